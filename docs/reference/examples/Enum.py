"""A choice among named variants; only the chosen branch is compiled."""

import numpy as np

import intent2cuda as intent
import intent2cuda.language as I


class Activation(I.Enum):
    NONE = 0
    RELU = 1


@intent.kernel
def activated(x: I.In[I.f32, ("N",)], y: I.Out[I.f32, ("N",)], ACTIVATION: I.Constexpr[Activation]):
    if ACTIVATION == Activation.RELU:
        y[:] = I.maximum(x[:], 0.0)
    else:
        y[:] = x[:]


CONSTEXPRS = {"ACTIVATION": Activation.RELU}
INPUTS = {"x": np.array([-1, 2], np.float32)}
EXPECTED = {"y": np.array([0, 2], np.float32)}
