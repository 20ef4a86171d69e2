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
