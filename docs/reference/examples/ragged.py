"""Rows of different lengths, with a mapping of their members."""

import numpy as np

import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def row_sums(
    x: I.In[I.f32, ("R",)], offsets: I.In[I.i32, ("G1",)], order: I.In[I.i32, ("R",)], y: I.Out[I.f32, ("G",)]
):
    rows = I.ragged(outer=I.domain(0, y.shape[0]), members=I.domain(0, x.shape[0]), offsets=offsets, indices=order)
    for g in I.parallel(rows.outer):
        y[g] = I.reduce.sum(x[I.members(rows[g])], axis=0)


INPUTS = {
    "x": np.array([1, 2, 4, 8], np.float32),
    "offsets": np.array([0, 1, 1, 4], np.int32),
    "order": np.array([3, 2, 1, 0], np.int32),
}
EXPECTED = {"y": np.array([8, 0, 7], np.float32)}
