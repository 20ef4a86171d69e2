"""Roots, magnitudes, whole numbers."""

import numpy as np

import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def roots(x: I.In[I.f32, ("N",)], r: I.Out[I.f32, ("N",)], inverse: I.Out[I.f32, ("N",)], down: I.Out[I.f32, ("N",)]):
    r[:] = I.sqrt(I.abs(x[:]))
    inverse[:] = I.rsqrt(I.abs(x[:]))
    down[:] = I.floor(x[:] / 10.0)


INPUTS = {"x": np.array([4, -16], np.float32)}
EXPECTED = {
    "r": np.array([2, 4], np.float32),
    "inverse": np.array([0.5, 0.25], np.float32),
    "down": np.array([0, -2], np.float32),
}
