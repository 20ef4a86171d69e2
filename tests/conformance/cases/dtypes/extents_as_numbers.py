"""Extents that are known, as numbers of an integer type beside others of it. Rows: L99."""

import numpy as np

import intent2cuda as intent
import intent2cuda.language as I
from conformance.case import Case


@intent.kernel
def raised(x: I.In[I.i64, (4,)], y: I.Out[I.i64, (4,)]):
    y[:] = x[:] + I.cast(x.shape[0], I.i64)


@intent.kernel
def wide(x: I.In[I.i64, (4,)], y: I.Out[I.i64, (4,)]):
    y[:] = I.maximum(x[:], I.cast(y.shape[0], I.i64)) * (I.cast(x.shape[0], I.i64) - 2)


def cases(rng):
    x = np.array([-5, 7, 2**40, -3])
    yield Case("raised", (x,), {"y": x + 4})
    yield Case("wide", (x,), {"y": np.maximum(x, 4) * 2})
