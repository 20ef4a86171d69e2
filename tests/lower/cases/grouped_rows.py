"""Rows of a group times its matrix: where the group begins and ends, and how many rows it has."""

import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def grouped_rows(
    x: I.In[I.f32, ("R", "K")],
    offsets: I.In[I.i32, ("G1",)],
    token: I.In[I.i32, ("R",)],
    weight: I.In[I.f32, ("G", "K", "N")],
    y: I.InOut[I.f32, ("T", "N")],
):
    rows = I.ragged(outer=I.domain(0, weight.shape[0]), members=I.domain(0, x.shape[0]), offsets=offsets)
    for group in I.parallel(rows.outer):
        mine = rows[group]
        product = I.matmul(x[mine, :], weight[group, :, :], acc_dtype=I.f32)
        I.scatter_reduce(y, index=(token[mine], slice(None)), value=product, combine=I.add)
