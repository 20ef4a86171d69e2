"""Sums of what meets in one place."""

import numpy as np

import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def bins(x: I.In[I.f32, ("N",)], bin: I.In[I.i32, ("N",)], total: I.InOut[I.f32, ("K",)]):
    I.scatter_reduce(total, index=bin[:], value=x[:], combine=I.add)


INPUTS = {
    "x": np.array([1, 2, 4], np.float32),
    "bin": np.array([1, 0, 1], np.int32),
    "total": np.zeros(2, np.float32),
}
EXPECTED = {"total": np.array([2, 5], np.float32)}
