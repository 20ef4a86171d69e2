"""Whether some or all members hold."""

import numpy as np

import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def checked(x: I.In[I.f32, ("M", "N")], some: I.Out[I.bool, ("M",)], every: I.Out[I.bool, ("M",)]):
    some[:] = I.reduce.any(x[:, :] > 0.0, axis=1)
    every[:] = I.reduce.all(x[:, :] > 0.0, axis=1)


INPUTS = {"x": np.array([[1, 2], [1, -2], [-1, -2]], np.float32)}
EXPECTED = {"some": np.array([True, True, False]), "every": np.array([True, False, False])}
