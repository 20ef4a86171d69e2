"""Functions that level off."""

import numpy as np

import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def saturating(x: I.In[I.f32, ("N",)], t: I.Out[I.f32, ("N",)], s: I.Out[I.f32, ("N",)], quick: I.Out[I.f32, ("N",)]):
    t[:] = I.tanh(x[:])
    s[:] = I.sigmoid(x[:])
    quick[:] = I.tanh(x[:], approximate=True)


INPUTS = {"x": np.array([-50, 0, 50], np.float32)}
EXPECTED = {
    "t": np.array([-1, 0, 1], np.float32),
    "s": np.array([0, 0.5, 1], np.float32),
    "quick": np.array([-1, 0, 1], np.float32),
}
TOLERANCE = 2.0**-11
