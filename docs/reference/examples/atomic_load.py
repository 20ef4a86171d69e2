"""Reads and writes of one element by all points."""

import numpy as np

import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def flagged(x: I.In[I.i32, ("N",)], flag: I.InOut[I.i32, (2,)]):
    for n in I.parallel(I.domain(0, x.shape[0])):
        if x[n] < 0 and I.atomic.load(flag, 1, order="acquire") == 1:
            I.atomic.store(flag, 0, 1, order="release")


INPUTS = {"x": np.array([1, -1, -2], np.int32), "flag": np.array([0, 1], np.int32)}
EXPECTED = {"flag": np.array([1, 1], np.int32)}
