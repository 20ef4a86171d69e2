"""Points of two domains at once; `continue` leaves a point."""

import numpy as np

import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def upper_triangle(x: I.In[I.f32, ("N", "N")], y: I.InOut[I.f32, ("N", "N")]):
    rows, columns = I.domain(0, x.shape[0]), I.domain(0, x.shape[1])
    for i, j in I.parallel((rows, columns)):
        if j < i:
            continue
        y[i, j] = x[i, j]


INPUTS = {"x": np.array([[1, 2], [3, 4]], np.float32), "y": np.zeros((2, 2), np.float32)}
EXPECTED = {"y": np.array([[1, 2], [0, 4]], np.float32)}
