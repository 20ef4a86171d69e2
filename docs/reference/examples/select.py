"""Choices element by element."""

import numpy as np

import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def chosen(x: I.In[I.f32, ("N",)], size: I.Out[I.f32, ("N",)], positive: I.Out[I.f32, ("N",)]):
    size[:] = I.select(x[:] < 0.0, -x[:], x[:])
    positive[:] = I.mask(x[:], x[:] > 0.0, 0.0)


INPUTS = {"x": np.array([-3, 4], np.float32)}
EXPECTED = {"size": np.array([3, 4], np.float32), "positive": np.array([0, 4], np.float32)}
