"""Running sums that begin with a balance, and the balance at the end."""

import numpy as np

import intent2cuda as intent
import intent2cuda.language as I


@intent.fn
def total(part):
    return I.reduce.sum(part, axis=0)


@intent.fn
def plus(a, b):
    return a + b


@intent.fn
def balances(part, balance):
    return I.cumsum(part, axis=0) + balance


@intent.kernel
def account(x: I.In[I.f32, ("N",)], start: I.f32, y: I.Out[I.f32, ("N",)], end: I.Out[I.f32, ()]):
    nothing = I.cast(0.0, I.f32)
    lines, last = I.region_scan(x[:], 0, total, plus, nothing, start, plus, balances)
    y[:] = lines
    end[()] = last


INPUTS = {"x": np.array([5, -2, 4], np.float32), "start": 10.0}
EXPECTED = {"y": np.array([15, 13, 17], np.float32), "end": np.array(17, np.float32)}
