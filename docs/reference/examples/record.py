"""A product with named fields, carried through a loop."""

import numpy as np

import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def extremes(x: I.In[I.f32, ("N",)], low: I.Out[I.f32, ()], high: I.Out[I.f32, ()]):
    state = I.record(low=x[0], high=x[0])
    for n in range(1, x.shape[0]):
        state = I.record(low=I.minimum(state.low, x[n]), high=I.maximum(state.high, x[n]))
    low[()] = state.low
    high[()] = state.high


INPUTS = {"x": np.array([2, 7, -1], np.float32)}
EXPECTED = {"low": np.array(-1, np.float32), "high": np.array(7, np.float32)}
