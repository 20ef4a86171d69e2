"""What a call must fulfil beyond dtype and shape."""

import numpy as np

import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def doubled(
    x: I.In[I.f32, ("M", "N"), I.constraints(strides=(None, 1))],
    y: I.Out[I.f32, ("M", "N"), I.constraints(noalias=True)],
):
    y[:, :] = 2.0 * x[:, :]


INPUTS = {"x": np.array([[1, 2], [3, 4]], np.float32)}
EXPECTED = {"y": np.array([[2, 4], [6, 8]], np.float32)}
