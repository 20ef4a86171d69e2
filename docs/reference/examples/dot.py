"""Vectors: one number, or every product."""

import numpy as np

import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def products(x: I.In[I.i8, ("N",)], y: I.In[I.i8, ("N",)], d: I.Out[I.i32, ()], table: I.Out[I.i8, ("N", "N")]):
    d[()] = I.dot(x[:], y[:], acc_dtype=I.i32)
    table[:, :] = I.outer(x[:], y[:])


INPUTS = {"x": np.array([100, 2], np.int8), "y": np.array([1, 50], np.int8)}
EXPECTED = {"d": np.array(200, np.int32), "table": np.array([[100, -120], [2, 100]], np.int8)}
