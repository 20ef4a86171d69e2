"""A kernel: views, a runtime scalar, one statement."""

import numpy as np

import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def saxpy(x: I.In[I.f32, ("N",)], a: I.f32, y: I.InOut[I.f32, ("N",)]):
    y[:] = a * x[:] + y[:]


INPUTS = {"x": np.array([1, 2, 3], np.float32), "a": 10.0, "y": np.array([5, 5, 5], np.float32)}
EXPECTED = {"y": np.array([15, 25, 35], np.float32)}
