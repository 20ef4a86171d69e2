"""Reductions of whole arrays, of rows and of columns."""

import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def total(x: I.In[I.f32, ("N",)], out: I.Out[I.f32, ()]):
    """The sum of all elements."""
    out[()] = I.reduce.sum(x[:], axis=0)


@intent.kernel
def maximum(x: I.In[I.f32, ("N",)], out: I.Out[I.f32, ()]):
    """The greatest element; NaN if there is one."""
    out[()] = I.reduce.max(x[:], axis=0)


@intent.kernel
def row_peaks(x: I.In[I.f32, ("M", "N")], value: I.Out[I.f32, ("M",)], place: I.Out[I.i64, ("M",)]):
    """The greatest element of each row and the first column where it stands."""
    best, where = I.arg_reduce.max(x[:, :], axis=1)
    value[:] = best
    place[:] = I.cast(where, I.i64)


@intent.kernel
def column_sums(x: I.In[I.f32, ("M", "N")], out: I.Out[I.f32, ("N",)]):
    """The sum of each column."""
    out[:] = I.reduce.sum(x[:, :], axis=0)
