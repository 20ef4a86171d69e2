"""Helpers: one gives a tuple, one a record; each is called like a function."""

import numpy as np

import intent2cuda as intent
import intent2cuda.language as I


@intent.fn
def polar(x, y):
    return I.sqrt(x * x + y * y), x >= 0.0


@intent.fn
def described(x, y):
    radius, right = polar(x, y)
    return I.record(radius=radius, side=I.select(right, 1.0, -1.0 * radius))


@intent.kernel
def radii(x: I.In[I.f32, ("N",)], y: I.In[I.f32, ("N",)], r: I.Out[I.f32, ("N",)]):
    r[:] = described(x[:], y=y[:]).radius


INPUTS = {"x": np.array([3, -5], np.float32), "y": np.array([4, 12], np.float32)}
EXPECTED = {"r": np.array([5, 13], np.float32)}
