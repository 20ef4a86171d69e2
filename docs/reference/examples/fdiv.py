"""Division with an error of 2 ulp permitted."""

import numpy as np

import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def quotients(x: I.In[I.f32, ("N",)], y: I.In[I.f32, ("N",)], z: I.Out[I.f32, ("N",)]):
    z[:] = I.fdiv(x[:], y[:], approximate=True, flush_to_zero=True)


INPUTS = {"x": np.array([1, 6], np.float32), "y": np.array([4, 3], np.float32)}
EXPECTED = {"z": np.array([0.25, 2], np.float32)}
TOLERANCE = 2.0**-22
