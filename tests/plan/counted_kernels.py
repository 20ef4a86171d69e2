"""Kernels whose work depends on more than the product of their extents."""

import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def triangle(x: I.In[I.f32, ("N", "N")], y: I.Out[I.f32, ("N",)]):
    n = x.shape[0]
    for i in I.parallel(I.domain(0, n)):
        total = I.cast(0.0, I.f32)
        for j in I.domain(0, i + 1):
            total = total + x[i, j] * 2.0
        y[i] = total


@intent.kernel
def strided(x: I.In[I.f32, ("N",)], first: I.index, y: I.InOut[I.f32, ("N",)]):
    n = x.shape[0]
    for i in I.domain(first, n, 3):
        for j in I.domain(i, n, 2):
            y[j] = y[j] + x[i] * 0.5


@intent.kernel
def sliding(x: I.In[I.f32, ("N",)], back: I.index, y: I.Out[I.f32, ("N",)]):
    for i in I.parallel(I.domain(0, x.shape[0])):
        y[i] = I.reduce.sum(x[I.domain(I.maximum(i - back, 0), i + 1)], axis=0)


@intent.kernel
def causal(
    q: I.In[I.f32, ("Q", "D")], k: I.In[I.f32, ("K", "D")], v: I.In[I.f32, ("K", "E")], y: I.Out[I.f32, ("Q", "E")]
):
    rows, columns = I.indices(I.domain(0, q.shape[0])), I.indices(I.domain(0, k.shape[0]))
    scores = I.matmul(q[:, :], k[:, :], acc_dtype=I.f32, transpose_rhs=True)
    scores = I.mask(scores, valid=columns[None, :] <= rows[:, None], fill=-I.inf)
    weight = I.exp(scores - I.reduce.max(scores, axis=1)[:, None])
    mixed = I.matmul(weight, v[:, :], acc_dtype=I.f32)
    y[:, :] = mixed / I.reduce.sum(weight, axis=1)[:, None]


@intent.kernel
def banded(x: I.In[I.f32, ("M", "N")], width: I.index, y: I.Out[I.f32, ("M",)]):
    rows, columns = I.indices(I.domain(0, x.shape[0])), I.indices(I.domain(0, x.shape[1]))
    near = (columns[None, :] > rows[:, None] - width) and (columns[None, :] < rows[:, None] + width)
    y[:] = I.reduce.sum(I.mask(x[:, :] * x[:, :], valid=near, fill=0.0), axis=1)


@intent.kernel
def either_end(x: I.In[I.f32, ("M", "N")], edge: I.index, y: I.Out[I.f32, ("M", "N")]):
    columns = I.indices(I.domain(0, x.shape[1]))[None, :]
    outer = (columns < edge) or (columns >= x.shape[1] - edge)
    y[:, :] = I.select(outer, I.exp(x[:, :]), I.sqrt(x[:, :]))


@intent.kernel
def upper_only(x: I.In[I.f32, ("N", "N")], y: I.InOut[I.f32, ("N", "N")]):
    n = x.shape[0]
    for i, j in I.parallel((I.domain(0, n), I.domain(0, n))):
        if i < j:
            y[i, j] = I.sqrt(x[j, i])
        elif i == j:
            y[i, j] = 1.0 / x[i, j]


@intent.kernel
def padded(x: I.In[I.f32, ("M", "N")], keep: I.In[I.bool, ("M", "N")], y: I.Out[I.f32, ("M",)]):
    columns = I.indices(I.domain(0, x.shape[1]))[None, :]
    rows = I.indices(I.domain(0, x.shape[0]))[:, None]
    y[:] = I.reduce.sum(I.mask(I.exp(x[:, :]), valid=keep[:, :] and columns <= rows, fill=0.0), axis=1)


@intent.kernel
def pairs(x: I.In[I.f32, ("N",)], y: I.InOut[I.f32, ("N",)]):
    n = x.shape[0]
    for turn in I.domain(0, n):
        for pair in I.parallel(I.domain(0, (n - turn % 2) // 2)):
            i = 2 * pair + turn % 2
            y[i] = I.maximum(y[i], x[i + 1])


@intent.kernel
def ragged_pairs(x: I.In[I.f32, ("R", "D")], offsets: I.In[I.i32, ("E",)], y: I.Out[I.f32, ("G", "D")]):
    rows = I.domain(0, x.shape[0])
    for g in I.parallel(I.domain(0, y.shape[0])):
        members = rows[offsets[g] : offsets[g + 1]]
        part = x[members, :]
        square = I.contract(part, part, reduce=((1, 1),), acc_dtype=I.f32)
        y[g, :] = I.reduce.sum(part, axis=0) + I.reduce.max(I.reduce.sum(square, axis=1), axis=0)


@intent.kernel
def until(x: I.In[I.f32, ("N",)], y: I.Out[I.i32, ()]):
    count = I.cast(0, I.i32)
    for i in I.domain(0, x.shape[0]):
        if x[i] > 1.0:
            break
        count = count + 1
    y[()] = count


@intent.kernel
def stencil(x: I.In[I.f32, ("R", "C")], y: I.InOut[I.f32, ("R", "C")]):
    height, width = x.shape
    for i, j in I.parallel((I.domain(1, height - 1), I.domain(1, width - 1))):
        y[i, j] = x[i, j] * 0.5 + (x[i - 1, j] + x[i + 1, j] + x[i, j - 1] + x[i, j + 1]) * 0.125
