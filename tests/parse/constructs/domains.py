"""Domains, their parts and their coordinates."""

import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def runtime_bounds(n: I.index, k: I.In[I.i32, (3,)], y: I.InOut[I.f32, ("N",)]):
    """Bounds and steps are runtime scalars, loaded or passed. Rows: L2 L4."""
    for i in I.domain(n, n + 4, n):
        y[i] = 1.0
    for i in I.domain(k[0], k[1], k[2]):
        y[i] = 2.0
    for i in I.domain(start=-3, stop=4):
        y[i + 3] = 3.0


@intent.kernel
def ranges(n: I.index, j: I.Out[I.index, ("N",)]):
    """A range is a domain; an empty one is legal. Rows: L2 L3."""
    for i in range(n):
        j[i] = i
    for i in range(2, n):
        j[i] = i
    for i in range(0, n, 2):
        j[i] = i
    for i in range(5, 2):
        j[i] = i


@intent.kernel
def ends(n: I.index, j: I.Out[I.index, (4,)]):
    """The end of a domain, of a part of it, and of a stepped one. Rows: L10."""
    d = I.domain(3, n)
    j[0] = I.end(d)
    j[1] = I.end(d[4:7]) - 1
    j[2] = I.end(I.domain(0, n, 3))
    j[I.end(d[3:4]) - 1] = 0


@intent.kernel
def parts(n: I.index, v: I.In[I.f32, ("N",)], y: I.InOut[I.f32, ("N",)]):
    """Prefixes, windows, empty parts, and parts of parts. Rows: L6 L8 L23."""
    d = I.domain(0, v.shape[0])
    y[d[:4]] = 1.0
    y[d[4:]] = 2.0
    y[d[n:n]] = 3.0
    y[d[:]] = v[d[:]]
    inner = d[2:9][3:5]
    y[inner] = v[inner]
    where = I.indices(inner)
    y[where] = v[where]


@intent.kernel
def clipped(n: I.index, v: I.In[I.f32, ("N",)], y: I.InOut[I.f32, ("N",)]):
    """The author clips a window; nothing else does. Rows: L9 L88."""
    rows = I.domain(0, v.shape[0])
    window = rows[n : I.minimum(n + 64, v.shape[0])]
    for i in I.parallel(window):
        y[i] = v[i]


@intent.kernel
def ordinals(n: I.index, j: I.InOut[I.index, ("N",)]):
    """An ordinal comes from enumerate, or from a domain of its own. Rows: L11 L13."""
    for t, i in enumerate(I.domain(3, n)[4:7]):
        j[t] = i
    for t, _ in enumerate(I.domain(0, n, 3)):
        j[t] = t
    window = I.domain(0, n)[3:7]
    for t in I.domain(0, I.end(window) - 3):
        j[t] = t + 3


@intent.kernel
def extents(n: I.index, flag: I.bool, j: I.Out[I.index, ("N",)]):
    """A domain counts as its extent in a shape, and is one value on both sides of a branch. Rows: L30 L54."""
    d = I.domain(2, n)
    t = I.zeros((d, 2, "N", n, 3), dtype=I.f32)
    if flag:
        e = d
    else:
        e = d
    for i in e:
        j[i] = t.shape[0]
