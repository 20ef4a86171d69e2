"""Coordinates as a tensor, and where they end."""

import numpy as np

import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def mirrored(x: I.In[I.f32, ("N",)], y: I.Out[I.f32, ("N",)]):
    axis = I.domain(0, x.shape[0])
    places = I.end(axis) - 1 - I.indices(axis)
    y[:] = x[places]


INPUTS = {"x": np.array([1, 2, 3], np.float32)}
EXPECTED = {"y": np.array([3, 2, 1], np.float32)}
