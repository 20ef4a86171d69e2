"""A permutation that comes from data."""

import numpy as np

import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def placed(x: I.In[I.f32, ("N",)], place: I.In[I.i32, ("N",)], y: I.Out[I.f32, ("N",)]):
    I.scatter_unique(y, index=place[:], value=x[:])


INPUTS = {"x": np.array([1, 2, 3], np.float32), "place": np.array([2, 0, 1], np.int32)}
EXPECTED = {"y": np.array([2, 3, 1], np.float32)}
