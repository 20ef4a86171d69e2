"""Counts of values; what is not valid is not looked at."""

import numpy as np

import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def counts(x: I.In[I.i32, ("N",)], y: I.Out[I.i32, (4,)]):
    values = x[:]
    y[:] = I.histogram(values, bins=4, valid=(values >= 0) and (values < 4), count_dtype=I.i32)


INPUTS = {"x": np.array([0, 3, 3, 9, -1, 0, 0], np.int32)}
EXPECTED = {"y": np.array([3, 0, 0, 2], np.int32)}
