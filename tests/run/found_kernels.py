"""Kernels that once were wrong, refused or crashed; `test_found.py` runs them."""

import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def two_extents(o: I.Out[I.f32, ("M", "N")], p: I.InOut[I.f32, ("N",)]):
    o[:, :] = I.full((o.shape[0], o.shape[1]), 1.0, dtype=I.f32)
    p[:] = p[:] + 1.0


@intent.kernel
def joined_and_read(
    a: I.In[I.f32, ("M", "N")],
    b: I.In[I.f32, ("M", "N")],
    o: I.Out[I.f32, ("M", "N", 2)],
    p: I.Out[I.f32, ("M", "N")],
):
    j = I.join(a[:, :], b[:, :])
    o[:, :, :] = j
    p[:, :] = j[:, :, 1] - j[:, :, 0]


@intent.kernel
def two_columns(a: I.In[I.f32, ("A", "B", "C")], o: I.Out[I.f32, ("C", "B")], p: I.Out[I.f32, ("B",)]):
    t = a[0, :, :]
    o[:, :] = I.transpose(t)[:, :]
    p[:] = I.transpose(t)[0, :] + t[:, -1]


@intent.kernel
def merged_rows(a: I.In[I.f32, ("M", "N")], f: I.In[I.bool, ("M",)], o: I.Out[I.f32, ("M", "N")]):
    for i in I.parallel(I.domain(0, a.shape[0])):
        v = a[i, :]
        if f[i]:
            w = v * 2.0
        else:
            w = I.exp(v) - I.reduce.max(v, axis=0)
        o[i, :] = w


@intent.kernel
def gathered_product(
    a: I.In[I.f32, ("M", "K")],
    b: I.In[I.f32, ("K", "N")],
    ix: I.In[I.i32, ("P",)],
    o: I.Out[I.f32, ("P", "N")],
):
    o[:, :] = I.matmul(a[ix[:], :], b[:, :], acc_dtype=I.f32)


@intent.kernel
def carried_unchanged(
    x: I.In[I.f32, ("M", "N")],
    o: I.Out[I.f32, ("M", "N")],
    p: I.Out[I.f32, ("M", "N")],
    q: I.Out[I.f32, ("M",)],
):
    a, b = x[:, :], x[:, :] * 2.0
    for _ in range(0, 4, 2):
        a, b = a * 0.5 + b, b
    o[:, :] = a
    p[:, :] = b
    for i in I.parallel(I.domain(0, x.shape[0])):
        c = x[i, 0]
        k = 0
        while k < 3:
            c = c
            k = k + 1
        q[i] = c


@intent.fn
def quarters(x):
    return I.maximum(I.minimum(I.floor(x * 4.0) * 0.25, 8.0), -8.0)


@intent.kernel
def carried_twice(
    x: I.In[I.f32, ("M", "N")],
    y: I.In[I.f32, ("N", "K")],
    g: I.InOut[I.f32, ("M", "N")],
    o: I.Out[I.f32, (3, "M", "K")],
):
    first = quarters(I.matmul(x[:, :], y[:, :], acc_dtype=I.f32))
    kept = first
    for _ in I.domain(0, y.shape[1]):
        g[:, :] = x[:, :]
        kept = quarters(kept * 0.5 + kept)
    again = first
    for t in I.domain(0, 3):
        o[t, :, :] = kept + again
        again = quarters(again * 0.5 + first)


@intent.kernel
def carried_and_unread(z: I.In[I.f32, ("N",)], w: I.In[I.f32, ("M",)], g: I.InOut[I.f32, ("M", "N")]):
    for i in I.parallel(I.domain(0, w.shape[0])):
        row = z[:]
        _unread = w[i]
        kept = row
        for _ in range(0, 3, 2):
            _unread, kept = quarters(I.reduce.sum(kept, axis=0)), quarters(kept * 0.5 + row)
        g[i, :] += I.minimum(I.maximum(kept, -1.0), 1.0)
        before = g[i, :]
        last = before
        for _ in I.domain(0, 3):
            g[i, :] += I.minimum(I.maximum(before, -1.0), 1.0)
            last = quarters(last * 0.5 + row)


@intent.kernel
def carried_through_memory(
    z: I.In[I.f32, ("N",)], w: I.In[I.f32, ("M",)], h: I.InOut[I.f32, ("N",)], o: I.Out[I.f32, ("M",)]
):
    c, d = z[:] + 0.25, w[:]
    for _ in I.domain(0, 3):
        h[:] = c
        c, d = h[:] * 2.0, d * 0.5 + w[:]
    o[:] = d


@intent.kernel
def stencil_rounds(a: I.InOut[I.f32, ("N",)], rounds: I.index):
    for _ in range(rounds):
        v = a[:]
        j = I.indices(I.domain(0, a.shape[0]))
        left = I.gather(v, j - 1, valid=j > 0, fill=0.0)
        right = I.gather(v, j + 1, valid=j < a.shape[0] - 1, fill=0.0)
        a[:] = (left + v + right) * 0.5


@intent.kernel
def sums_in_place(g: I.In[I.f32, ("M", "N")], h: I.InOut[I.f32, ("N",)], e: I.InOut[I.f32, ("M",)]):
    u = e[:] + I.matvec(g[:, :], h[:], acc_dtype=I.f32)
    e[:] = u * u
    h[:] = h[:] + I.reduce.sum(e[:], axis=0)
