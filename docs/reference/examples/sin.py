"""Angles in radians."""

import numpy as np

import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def circle(x: I.In[I.f32, ("N",)], one: I.Out[I.f32, ("N",)], angle: I.Out[I.f32, ("N",)]):
    one[:] = I.sin(x[:]) ** 2.0 + I.cos(x[:]) ** 2.0
    angle[:] = I.asin(I.sin(x[:]))


INPUTS = {"x": np.array([0, 0.5, 1], np.float32)}
EXPECTED = {"one": np.ones(3, np.float32), "angle": np.array([0, 0.5, 1], np.float32)}
TOLERANCE = 1e-6
