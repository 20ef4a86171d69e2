"""A domain and a part of it: coordinates keep their numbers."""

import numpy as np

import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def window(x: I.In[I.f32, ("N",)], begin: I.index, end: I.index, y: I.InOut[I.f32, ("N",)]):
    axis = I.domain(0, x.shape[0])
    part = axis[begin:end]
    y[part] = x[part] * 10.0


INPUTS = {"x": np.arange(5, dtype=np.float32), "begin": 1, "end": 3, "y": np.zeros(5, np.float32)}
EXPECTED = {"y": np.array([0, 10, 20, 0, 0], np.float32)}
