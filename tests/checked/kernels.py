"""Kernels that keep the rules or break them, by what they are given."""

import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def lookup(table: I.In[I.f32, ("K",)], index: I.In[I.i32, ("N",)], y: I.Out[I.f32, ("N",)]):
    for n in I.parallel(I.domain(0, index.shape[0])):
        y[n] = table[index[n]]


@intent.kernel
def rows(table: I.In[I.f32, ("K", "D")], index: I.In[I.i64, ("N",)], y: I.Out[I.f32, ("N", "D")]):
    y[:, :] = table[index[:], :]


@intent.kernel
def segment_sum(x: I.In[I.f32, ("N",)], offsets: I.In[I.i32, ("G1",)], total: I.Out[I.f32, ("G",)]):
    segments = I.ragged(outer=I.domain(0, total.shape[0]), members=I.domain(0, x.shape[0]), offsets=offsets)
    for g in I.parallel(segments.outer):
        total[g] = I.reduce.sum(x[segments[g]], axis=0)


@intent.kernel
def segment_copy(x: I.In[I.f32, ("N",)], offsets: I.In[I.i32, ("G1",)], y: I.InOut[I.f32, ("N",)]):
    members = I.domain(0, x.shape[0])
    segments = I.ragged(outer=I.domain(0, offsets.shape[0] - 1), members=members, offsets=offsets)
    for g in I.parallel(segments.outer):
        mine = segments[g]
        y[mine] = x[mine] + 1.0


@intent.kernel
def scatter_add(x: I.In[I.f32, ("N", "D")], key: I.In[I.i32, ("N",)], total: I.InOut[I.f32, ("K", "D")]):
    I.scatter_reduce(total, index=(key[:], slice(None)), value=x[:, :], combine=I.add)


@intent.kernel
def counts(x: I.In[I.i32, ("N",)], count: I.Out[I.i32, ("BINS",)]):
    value = x[:]
    count[:] = I.histogram(value, bins=count.shape[0], valid=value > -5, count_dtype=I.i32)


@intent.kernel
def place(x: I.In[I.f32, ("N",)], index: I.In[I.i32, ("N",)], y: I.InOut[I.f32, ("K",)]):
    for n in I.parallel(I.domain(0, index.shape[0])):
        y[index[n]] = x[n]


@intent.kernel
def permute(x: I.In[I.f32, ("N",)], index: I.In[I.i32, ("N",)], y: I.InOut[I.f32, ("K",)]):
    I.scatter_unique(y, index=(index[:],), value=x[:])


@intent.kernel
def product_rows(
    x: I.In[I.f32, ("M", "K")], w: I.In[I.f32, ("K", "N")], at: I.In[I.i32, ()], y: I.InOut[I.f32, ("R", "M", "N")]
):
    y[at[()], :, :] = I.matmul(x[:, :], w[:, :], acc_dtype=I.f32)


@intent.kernel
def half(x: I.In[I.f32, ("N",)], count: I.In[I.i32, ()], y: I.Out[I.f32, ("N",)], z: I.Out[I.f32, ("N",)]):
    for n in I.parallel(I.domain(0, count[()])):
        y[n] = x[n]
    z[:] = y[:]


@intent.kernel
def buffered(x: I.In[I.f32, ("N",)], index: I.In[I.i32, ("N",)], z: I.Out[I.f32, ("N",)]):
    for n in I.parallel(I.domain(0, x.shape[0])):
        state = I.buffer((4,), I.f32)
        state[0] = x[n]
        state[2] = x[n]
        z[n] = state[index[n]]


@intent.kernel
def promised(table: I.In[I.f32, ("K",)], index: I.In[I.i32, ("N",)], y: I.Out[I.f32, ("N",)]):
    positions = index[:]
    I.assume_in_bounds(positions, table, 0)
    y[:] = table[positions]


@intent.kernel
def spread(table: I.In[I.f32, ("K",)], index: I.In[I.i32, ("N",)], y: I.Out[I.f32, ("N", "D")]):
    for n in I.parallel(I.domain(0, y.shape[0])):
        for d in I.parallel(I.domain(0, y.shape[1])):
            y[n, d] = table[index[n]] + 1.0


@intent.kernel
def proved(x: I.In[I.f32, ("N",)], y: I.Out[I.f32, ("N",)]):
    for n in I.parallel(I.domain(0, x.shape[0])):
        y[n] = x[n] + 1.0


@intent.kernel
def neighbours(index: I.In[I.i32, ("N",)], y: I.InOut[I.f32, ("N",)]):
    for n in I.parallel(I.domain(0, y.shape[0])):
        y[n] = y[index[n]]


@intent.kernel
def product_of_rows(
    a: I.In[I.f32, ("R", "K")], b: I.In[I.f32, ("K", "N")], at: I.In[I.i64, ("M",)], y: I.Out[I.f32, ("M", "N")]
):
    y[:, :] = I.matmul(a[at[:], :], b[:, :], acc_dtype=I.f32)


@intent.kernel
def outer(a: I.In[I.f32, ("R",)], b: I.In[I.f32, ("N",)], at: I.In[I.i32, ("M",)], y: I.Out[I.f32, ("M", "N")]):
    y[:, :] = a[at[:]][:, None] * b[None, :]


@intent.kernel
def shifted(a: I.In[I.f32, ("R",)], at: I.In[I.i32, ()], y: I.InOut[I.f32, ("N",)]):
    by = a[at[()]]
    for n in I.parallel(I.domain(0, y.shape[0])):
        y[n] = y[n] + by


@intent.kernel
def slice_sums(x: I.In[I.f32, ("N",)], offsets: I.In[I.i64, ("G1",)], total: I.Out[I.f32, ("G",)]):
    for g in I.parallel(I.domain(0, total.shape[0])):
        part = x[offsets[g] : offsets[g + 1]]
        total[g] = I.reduce.sum(part * part, axis=0)


@intent.kernel
def slice_copies(x: I.In[I.f32, ("N",)], offsets: I.In[I.i64, ("G1",)], y: I.InOut[I.f32, ("N",)]):
    for g in I.parallel(I.domain(0, offsets.shape[0] - 1)):
        y[offsets[g] : offsets[g + 1]] = 1.0


@intent.kernel
def ordered_sums(x: I.In[I.f32, ("N",)], offsets: I.In[I.i64, ("G1",)], total: I.Out[I.f32, ("G",)]):
    for g in I.parallel(I.domain(0, total.shape[0])):
        s = I.cast(0.0, I.f32)
        for n in I.domain(offsets[g], offsets[g + 1]):
            s = s + x[n]
        total[g] = s


@intent.kernel
def chains(follows: I.In[I.i32, ("N",)], y: I.Out[I.i32, ("N",)]):
    for n in I.parallel(I.domain(0, y.shape[0])):
        length = 0
        at = n
        while follows[at] >= 0:
            at = I.cast(follows[at], I.index)
            length = length + 1
        y[n] = I.cast(length, I.i32)


@intent.kernel
def counted_down(a: I.In[I.f32, ("R",)], b: I.In[I.f32, ("K",)], at: I.In[I.i32, ("N",)], y: I.Out[I.f32, ("N",)]):
    for i in I.parallel(I.domain(0, at.shape[0])):
        rest = at[i]
        total = I.cast(0.0, I.f32)
        while rest > 0:
            total = total + I.select(rest > 1, a[rest], b[at[i] - rest])
            rest = rest - 1
        y[i] = total


@intent.kernel
def paths(follows: I.In[I.i32, ("N",)], a: I.In[I.f32, ("R",)], b: I.In[I.f32, ("K",)], y: I.Out[I.f32, ("N",)]):
    for i in I.parallel(I.domain(0, follows.shape[0])):
        place, turns = follows[i], 0
        total = I.cast(0.0, I.f32)
        while place > 0 and turns < 9:
            place = follows[place]
            total = total + I.select(turns > 1, a[place], b[place])
            turns = turns + 1
        y[i] = total


@intent.kernel
def chosen(x: I.In[I.f32, ("M", "N")], at: I.In[I.i32, ("M",)], y: I.Out[I.f32, ("M",)]):
    for i in I.parallel(I.domain(0, x.shape[0])):
        y[i] = x[i, :][at[i]]


@intent.kernel
def chosen_twice(x: I.In[I.f32, ("M", "K", "N")], at: I.In[I.i32, ("M",)], y: I.Out[I.f32, ("M",)]):
    for i in I.parallel(I.domain(0, x.shape[0])):
        part = x[i, 1:3, :]
        y[i] = part[1, at[i]] + part[0, 0]


@intent.kernel
def every(x: I.In[I.f32, ("N",)], count: I.In[I.i64, ()], y: I.Out[I.f32, ("M",)]):
    for i in I.parallel(I.domain(0, count[()])):
        y[i] = x[2 * i + 1]


@intent.kernel
def every_pair(x: I.In[I.f32, ("M", "N")], first: I.In[I.i64, ()], last: I.In[I.i64, ()], y: I.Out[I.f32, ("M", "N")]):
    for i, j in I.parallel((I.domain(first[()], last[()]), I.domain(0, x.shape[1]))):
        y[i, j] = x[i, j]


@intent.kernel
def every_guarded(x: I.In[I.f32, ("N",)], count: I.In[I.i64, ()], y: I.Out[I.f32, ("N",)]):
    for i in I.parallel(I.domain(0, count[()])):
        if i < x.shape[0]:
            y[i] = x[i]
