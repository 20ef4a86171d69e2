"""Ordered loops that carry rows through scans: where the old row is read, and who reads the new one."""

import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def left(x: I.In[I.i32, ("M", "N")], first: I.In[I.i32, ("N",)], o: I.Out[I.i32, ("N",)], p: I.Out[I.i32, ("N",)]):
    at = I.indices(I.domain(0, x.shape[1]))
    row = first[:]
    best = row
    for i in I.domain(0, x.shape[0]):
        near = I.gather(row, index=(at - 1,), valid=at > 0, fill=0)
        row = I.cummax(I.maximum(near + x[i, :], row - 2), axis=0) - I.cast(at, I.i32)
        best = I.maximum(best, row)
    o[:] = row
    p[:] = best


@intent.kernel
def right(x: I.In[I.i32, ("M", "N")], first: I.In[I.i32, ("N",)], o: I.Out[I.i32, ("N",)]):
    at = I.indices(I.domain(0, x.shape[1]))
    row = first[:]
    for i in I.domain(0, x.shape[0]):
        near = I.gather(row, index=(at + 1,), valid=at + 1 < x.shape[1], fill=3)
        row = I.cummax(near - row + x[i, :], axis=0) + row
    o[:] = row


@intent.kernel
def mirrored(x: I.In[I.i32, ("M", "N")], first: I.In[I.i32, ("N",)], o: I.Out[I.i32, ("N",)]):
    at = I.indices(I.domain(0, x.shape[1]))
    row = first[:]
    for i in I.domain(0, x.shape[0]):
        row = I.cumsum(I.gather(row, index=(x.shape[1] - 1 - at,)) + x[i, :], axis=0) * 3
    o[:] = row


@intent.kernel
def picked(x: I.In[I.i32, ("M", "N")], where: I.In[I.i32, ("N",)], first: I.In[I.i32, ("N",)], o: I.Out[I.i32, ("N",)]):
    row = first[:]
    for i in I.domain(0, x.shape[0]):
        row = I.cumsum(I.gather(row, index=(where[:],)) ^ x[i, :], axis=0) + x[i, :]
    o[:] = row


@intent.kernel
def crossed(x: I.In[I.i32, ("M", "N")], first: I.In[I.i32, ("N",)], o: I.Out[I.i32, ("N",)], p: I.Out[I.i32, ("N",)]):
    at = I.indices(I.domain(0, x.shape[1]))
    one, other = first[:], first[:] - I.cast(at, I.i32)
    for i in I.domain(0, x.shape[0]):
        near = I.gather(other, index=(at - 1,), valid=at > 0, fill=1)
        following = I.cummax(near + x[i, :], axis=0) - one
        other = I.gather(one, index=(at + 1,), valid=at + 1 < x.shape[1], fill=0) + 1
        one = following
    o[:] = one
    p[:] = other


@intent.kernel
def both_in_place(
    x: I.In[I.i32, ("M", "N")], first: I.In[I.i32, ("N",)], o: I.Out[I.i32, ("N",)], p: I.Out[I.i32, ("N",)]
):
    at = I.indices(I.domain(0, x.shape[1]))
    row, best = first[:], first[:]
    for i in I.domain(0, x.shape[0]):
        near = I.gather(best, index=(at - 1,), valid=at > 0, fill=0)
        row = I.cummax(near + row + x[i, :], axis=0) - 5
        best = I.maximum(best, row)
    o[:] = row
    p[:] = best


@intent.kernel
def other_row(x: I.In[I.i32, ("M", "N")], first: I.In[I.i32, ("N",)], o: I.Out[I.i32, ("N",)], p: I.Out[I.i32, ("N",)]):
    at = I.indices(I.domain(0, x.shape[1]))
    row, best = first[:], first[:]
    for i in I.domain(0, x.shape[0]):
        near = I.gather(best, index=(at - 1,), valid=at > 0, fill=0)
        row = I.cummax(near + x[i, :], axis=0) - 5
        best = I.maximum(best, row)
    o[:] = row
    p[:] = best


@intent.kernel
def near_prefixes(x: I.In[I.i32, ("M", "N")], first: I.In[I.i32, ("N",)], o: I.Out[I.i32, ("N",)]):
    at = I.indices(I.domain(0, x.shape[1]))
    row = first[:]
    for i in I.domain(0, x.shape[0]):
        highest = I.cummax(row + x[i, :], axis=0)
        row = I.gather(highest, index=(at - 1,), valid=at > 0, fill=7) - highest
    o[:] = row


@intent.kernel
def read_in_round(
    x: I.In[I.i32, ("M", "N")], first: I.In[I.i32, ("N",)], o: I.Out[I.i32, ("N",)], p: I.Out[I.i32, ("M",)]
):
    at = I.indices(I.domain(0, x.shape[1]))
    row = first[:]
    for i in I.domain(0, x.shape[0]):
        near = I.gather(row, index=(at - 1,), valid=at > 0, fill=0)
        row = I.cummax(near + x[i, :], axis=0) - row
        p[i] = I.reduce.sum(row, axis=0)
    o[:] = row


@intent.kernel
def last_element(x: I.In[I.i32, ("M", "N")], first: I.In[I.i32, ("N",)], o: I.Out[I.i32, ("N",)], p: I.Out[I.i32, ()]):
    at = I.indices(I.domain(0, x.shape[1]))
    row, seen = first[:], I.cast(0, I.i32)
    for i in I.domain(0, x.shape[0]):
        near = I.gather(row, index=(at - 1,), valid=at > 0, fill=0)
        row = I.cummax(near + x[i, :] + seen, axis=0) - row
        seen = I.reduce.max(row, axis=0)
    o[:] = row
    p[()] = seen


@intent.kernel
def after_the_loop(x: I.In[I.i32, ("M", "N")], first: I.In[I.i32, ("N",)], o: I.Out[I.i32, ("N",)]):
    at = I.indices(I.domain(0, x.shape[1]))
    row = first[:]
    for i in I.domain(0, x.shape[0]):
        row = I.cumsum(row * x[i, :], axis=0) - 1
    o[:] = I.gather(row, index=(x.shape[1] - 1 - at,)) + I.cumsum(row, axis=0)


@intent.kernel
def nested(x: I.In[I.i32, ("M", "N")], first: I.In[I.i32, ("N",)], o: I.Out[I.i32, ("N",)]):
    at = I.indices(I.domain(0, x.shape[1]))
    row = first[:]
    for i in I.domain(0, x.shape[0]):
        for j in I.domain(0, 3):
            near = I.gather(row, index=(at - 1,), valid=at > 0, fill=0)
            row = I.cummax(near + x[i, :] + I.cast(j, I.i32), axis=0) - row
        row = row + x[i, :]
    o[:] = row


@intent.kernel
def until(x: I.In[I.i32, ("M", "N")], first: I.In[I.i32, ("N",)], o: I.Out[I.i32, ("N",)]):
    at = I.indices(I.domain(0, x.shape[1]))
    row, i = first[:], I.cast(0, I.index)
    while i < x.shape[0]:
        near = I.gather(row, index=(at - 1,), valid=at > 0, fill=0)
        row = I.cummax(near + x[i, :], axis=0) - row
        i = i + 1
    o[:] = row


@intent.kernel
def floats(x: I.In[I.f32, ("M", "N")], first: I.In[I.f32, ("N",)], o: I.Out[I.f32, ("N",)], p: I.Out[I.f32, ("N",)]):
    at = I.indices(I.domain(0, x.shape[1]))
    row = first[:]
    best = row
    for i in I.domain(0, x.shape[0]):
        near = I.gather(row, index=(at - 1,), valid=at > 0, fill=0.0)
        row = I.cummax(I.maximum(near, row) + x[i, :], axis=0) * 0.5 - 1.0
        best = I.minimum(best, row)
    o[:] = row
    p[:] = best


@intent.kernel
def many(x: I.In[I.i32, ("B", "M", "N")], o: I.Out[I.i32, ("B", "N")]):
    at = I.indices(I.domain(0, x.shape[2]))
    for b in I.parallel(I.domain(0, x.shape[0])):
        row = I.zeros((x.shape[2],), dtype=I.i32)
        for i in I.domain(0, x.shape[1]):
            near = I.gather(row, index=(at - 1,), valid=at > 0, fill=0)
            row = I.cummax(near + x[b, i, :], axis=0) - row
        o[b, :] = row


@intent.kernel
def fixed(x: I.In[I.i32, ("M", 20)], first: I.In[I.i32, (20,)], o: I.Out[I.i32, (20,)]):
    at = I.indices(I.domain(0, 20))
    row = first[:]
    for i in I.domain(0, x.shape[0]):
        near = I.gather(row, index=(at - 1,), valid=at > 0, fill=0)
        row = I.cummax(near + x[i, :], axis=0) - row
    o[:] = row


@intent.kernel
def one_element(x: I.In[I.i32, ("M", 20)], first: I.In[I.i32, (20,)], o: I.Out[I.i32, (20,)], p: I.Out[I.i32, ()]):
    at = I.indices(I.domain(0, 20))
    row, seen = first[:], I.cast(1, I.i32)
    for i in I.domain(0, x.shape[0]):
        near = I.gather(row, index=(at - 1,), valid=at > 0, fill=0)
        row = I.cummax(near + x[i, :] + seen, axis=0) - 1
        seen = row[3]
    o[:] = row
    p[()] = seen


@intent.kernel
def old_element(x: I.In[I.i32, ("M", 20)], first: I.In[I.i32, (20,)], o: I.Out[I.i32, (20,)], p: I.Out[I.i32, ()]):
    at = I.indices(I.domain(0, 20))
    row, seen = first[:], I.cast(1, I.i32)
    for i in I.domain(0, x.shape[0]):
        near = I.gather(row, index=(at - 1,), valid=at > 0, fill=0)
        following = I.cummax(near + x[i, :] + seen, axis=0) - 1
        seen = row[3]
        row = following
    o[:] = row
    p[()] = seen
