"""The bits of floats."""

import numpy as np

import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def exponents(x: I.In[I.f32, ("N",)], y: I.Out[I.u32, ("N",)]):
    y[:] = (I.bitcast(x[:], I.u32) >> 23) & 255


INPUTS = {"x": np.array([1, 2, 0.5, -8], np.float32)}
EXPECTED = {"y": np.array([127, 128, 126, 130], np.uint32)}
