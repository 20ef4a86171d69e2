"""Parallel points, ordered loops, branches, and what they carry."""

import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def points(x: I.In[I.f32, ("M", "N")], o: I.Out[I.f32, ("M", "N")]):
    """Points of a domain, of a part, of a product of domains. Rows: L45."""
    rows, columns = I.domain(0, x.shape[0]), I.domain(0, x.shape[1])
    both = (rows, columns[2:])
    for r, c in I.parallel(both):
        o[r, c] = x[r, c]
    for r in I.parallel(source=rows):
        o[r, 0] = 1.0
    for r in I.parallel(rows[:]):
        o[r, 1] = 2.0


@intent.kernel
def skipped(x: I.In[I.f32, ("M", "N")], o: I.InOut[I.f32, ("M", "N")]):
    """`continue` ends the inner point only. Rows: L49 A2."""
    for r in I.parallel(I.domain(0, x.shape[0])):
        if x[r, 0] < 0.0:
            continue
        for c in I.parallel(I.domain(0, x.shape[1])):
            if x[r, c] < 0.0:
                continue
            o[r, c] = x[r, c]


@intent.kernel
def carried(n: I.index, v: I.In[I.f32, ("N",)], y: I.Out[I.f32, ("N",)]):
    """Loops carry scalars, tensors, tuples and records. Rows: L56."""
    s = I.record(a=v[0], b=(v[:], 0))
    p, q = v[0], v[1]
    for i in I.domain(0, n):
        s = I.record(a=s.a + v[i], b=(s.b[0] * 2.0, s.b[1] + 1))
        p, q = q, p + q
    y[:] = s.b[0] * s.a
    y[s.b[1]] = p


@intent.kernel
def search(n: I.index, a: I.f32, v: I.In[I.f32, ("N",)], j: I.Out[I.index, ()]):
    """A while carries a record whose fields its condition reads. Rows: L56 K39."""
    s = I.record(low=I.cast(0, I.index), high=n)
    while s.low < s.high:
        middle = (s.low + s.high) // 2
        if v[middle] < a:
            s = I.record(low=middle + 1, high=s.high)
        else:
            s = I.record(low=s.low, high=middle)
    j[()] = s.low


@intent.kernel
def ways_out(a: I.f32, v: I.In[I.f32, ("N",)], y: I.InOut[I.f32, ("N",)]):
    """break, continue and an early return out of two loops. Rows: L57 K39."""
    t = 0
    while True:
        t = t + 1
        if t > 5:
            break
        if t == 3:
            continue
        for i in range(t):
            if v[i] > a:
                return
            y[i] = a


@intent.kernel
def merged(flag: I.bool, a: I.f32, v: I.In[I.f32, ("N",)], y: I.Out[I.f32, ("N",)]):
    """Branches merge scalars, tensors and records; conditional expressions too. Rows: L54 K37 K41."""
    if flag:
        r = I.record(p=v[0], q=v[:])
    elif a > 0.0:
        r = I.record(p=a, q=v[:] * 2.0)
    else:
        r = I.record(p=v[1], q=v[:])
    s = I.record(p=a) if flag else I.record(p=v[1])
    y[:] = r.q * r.p if flag else v[:]
    y[:] = v[:] if v[:] > 0.0 else s.p


@intent.kernel
def locals_(a: I.f32, v: I.In[I.f32, ("N",)], y: I.InOut[I.f32, ("N",)]):
    """Annotated literals, chained and augmented assignment, names that keep nothing. Rows: A10 A56."""
    s: I.f32 = 0.0
    p = q = a
    _ = v[0]
    for _ in range(3):
        s += p * q
    t = v[:]
    t *= s
    y[0] -= s
    y[1:3] += t[1:3]
    [n] = v.shape
    y[n - 1] = t[0]
