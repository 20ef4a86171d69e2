"""Index terms, reads, writes, and values of stated shapes."""

import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def axes(x: I.In[I.f32, ("M", "N")], v: I.In[I.f32, ("N",)], o: I.InOut[I.f32, ("M", "N")]):
    """New axes, ellipses, whole axes, slices by call. Rows: L33 L34."""
    o[:, :] = v[None, :] * x[:, 0][:, None] + x[:, None, :][:, 0, :]
    t = x[...][None, ..., None]
    o[...] = t[0, :, :, 0]
    o[slice(None), 0] = x[..., 0]
    o[0, slice(2, 5)] = v[slice(2, 5)]
    o[0] = v


@intent.kernel
def positions(n: I.index, k: I.In[I.i32, (2,)], x: I.In[I.f32, ("M", "N")], y: I.InOut[I.f32, ("N",)]):
    """Negative constants count from the end; slices may begin anywhere. Rows: A13 A16."""
    y[-1] = x[-1, -2]
    t = x[0, :]
    y[0] = t[-1] + t[n - 1]
    b = n * 2
    y[n : n + 4] = x[0, b : b + 4] + x[1, 0:4]
    first = k[0]
    y[first : first + 2] = t[first : first + 2]
    y[0:2] = x[0, x.shape[1] - 2 :]


@intent.kernel
def lanes(k: I.In[I.i32, ("K",)], x: I.In[I.f32, ("M", "N")], y: I.InOut[I.f32, ("M", "N")]):
    """Tensors of indices, joined in one shape; a scalar variable may stand between. Rows: L109 L110."""
    rows, columns = I.indices(I.domain(0, x.shape[0])), I.indices(I.domain(0, x.shape[1]))
    y[rows[:, None], columns[None, :]] = x[rows[:, None], columns[None, :]]
    t = I.zeros((3, 3, 3), dtype=I.f32)
    at = k[0]
    y[0, 0:2] = t[k[0:2], at, k[0:2]]
    y[0, 0:2] = I.gather(x, (k[0:2], 1), valid=k[0:2] >= 0, fill=-1.0)
    I.scatter_unique(y, (0, k[:]), x[0, k])


@intent.kernel
def storage(n: I.index, v: I.In[I.f32, ("N",)], y: I.InOut[I.f32, ("N",)]):
    """Buffers of any extent, read and written by every form. Rows: K47 L114."""
    b = I.buffer((n, 4), dtype=I.f32)
    b[:, :] = 0.0
    c = I.buffer(v.shape, I.f32, init=v)
    at = I.indices(I.domain(0, 4))
    b[at, at] = 1.0
    b[-1, 1:3] = v[0]
    I.store(c, (0,), b[n - 1, 2])
    y[:] = c[:] + I.mutable_load(c, (1,))


@intent.kernel
def ranks(a: I.f32, s: I.InOut[I.f32, ()], empty: I.Out[I.f32, (0, 3)], x: I.In[I.f32, ("M", "N")]):
    """A view of rank 0, an empty one, and values of other shapes. Rows: L38 L41 L43 A55."""
    s[()] = a
    empty[:, :] = s[()]
    flat = I.reshape(x, (x.shape[0] * x.shape[1],))
    pairs = I.join(flat, I.full(flat.shape, a, I.f32))
    back = I.transpose(I.reshape(pairs, (..., 2)), permutation=(1, 0))
    s[...] = back[0, 0] + I.transpose(back)[0, 1]


@intent.kernel
def constrained(
    v: I.In[I.f32, ("N",), I.constraints(strides=(1,))],
    w: I.In[I.f32, ["N", 4], I.constraints(strides=[None, "S"], alias="pool")],
    z: I.InOut[I.f32, ("N",), I.constraints(alias="pool")],
    y: I.Out[I.f32, ("N",), I.constraints(noalias=True)],
):
    """Strides and aliasing are part of a view. Rows: K44."""
    y[:] = v + w[:, 0] + z
