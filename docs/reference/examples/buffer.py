"""Storage of each point: Fibonacci numbers in a table."""

import numpy as np

import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def fibonacci(n: I.In[I.i32, ("N",)], y: I.Out[I.i64, ("N",)]):
    for k in I.parallel(I.domain(0, n.shape[0])):
        table = I.buffer((2,), I.i64, init=1)
        for step in range(n[k]):
            I.store(table, step % 2, I.mutable_load(table, 0) + table[1])
        y[k] = I.maximum(table[0], table[1])


INPUTS = {"n": np.array([0, 1, 5], np.int32)}
EXPECTED = {"y": np.array([1, 2, 13])}
