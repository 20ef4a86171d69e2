"""Axes in another order."""

import numpy as np

import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def turned(x: I.In[I.f32, ("A", "B", "C")], y: I.Out[I.f32, ("C", "A", "B")]):
    y[:, :, :] = I.transpose(x[:, :, :], (2, 0, 1))


INPUTS = {"x": np.arange(6, dtype=np.float32).reshape(1, 2, 3)}
EXPECTED = {"y": np.array([[[0, 3]], [[1, 4]], [[2, 5]]], np.float32)}
