"""Names of the author that emitted kernels have a use of their own for. Rows: K5."""

import numpy as np

import intent2cuda as intent
import intent2cuda.language as I
from conformance.case import Case


@intent.kernel
def taken(faults: I.In[I.f32, ("N",)], workspace: I.Out[I.f32, ("N",)]):
    workspace[:] = faults[:] + 1.0


@intent.kernel
def sums(row_fold: I.In[I.f32, ("N",)], offset: I.In[I.i32, ("E",)], row: I.Out[I.f32, ("G",)]):
    part = I.ragged(outer=I.domain(0, row.shape[0]), members=I.domain(0, row_fold.shape[0]), offsets=offset)
    for g in I.parallel(part.outer):
        row[g] = I.reduce.sum(row_fold[part[g]], axis=0)


def cases(rng):
    x = np.arange(5, dtype=np.float32)
    yield Case("taken", (x,), {"workspace": x + 1})
    yield Case("sums", (x, np.array([0, 2, 5], np.int32)), {"row": np.array([1, 9], np.float32)})
