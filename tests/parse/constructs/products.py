"""Helpers, tuples and records."""

import intent2cuda as intent
import intent2cuda.language as I


class Mode(I.Enum):
    SUM = 0
    MAX = 1


@intent.fn
def scaled(p, /, q, *, scale):
    """A record of a product and a pair."""
    return I.record(product=p * scale, pair=(p, q))


@intent.fn
def put(destination, place, value):
    destination[place] = value


@intent.fn()
def unless_large(view, place: I.index):
    if place > 3:
        return
    view[place] = 1.0


@intent.fn
def first_above(p: I.f32, rounds) -> I.f32:
    for _ in range(rounds):
        if p > 3.0:
            return p
        p = p * 2.0
    return p


@intent.fn
def total(part, source, axis):
    return I.reduce.sum(source[part], axis=axis)


@intent.fn
def by_mode(mode, parts):
    if mode == Mode.SUM:
        return parts.left + parts.right[0]
    return I.maximum(parts.left, parts.right[1])


@intent.kernel
def arguments(a: I.f32, v: I.In[I.f32, ("N",)], y: I.Out[I.f32, ("N",)]):
    """By position, by name, by name only; results are records of tuples. Rows: K22 K23."""
    r = scaled(v[:], q=a, scale=2.0)
    s = scaled(a, scale=r.pair[1], q=1)
    y[:] = r.product + s.pair[0]


@intent.kernel
def effects(n: I.index, v: I.In[I.f32, ("N",)], y: I.InOut[I.f32, ("N",)]):
    """A helper writes the views and buffers it is given, and may return early. Rows: K24 A34."""
    scratch = I.buffer((4,), I.f32, init=0.0)
    put(scratch, 2, v[0])
    for i in I.parallel(I.domain(0, n)):
        put(y, i, v[i] + scratch[2])
    unless_large(y, n)
    y[0] = first_above(v[1], 5)


@intent.kernel
def places(v: I.In[I.f32, ("N",)], y: I.Out[I.f32, (4,)], MODE: I.Constexpr[Mode] = Mode.MAX):
    """Domains, axes, enum members and records pass through helpers. Rows: K25 K28 K29 A33."""
    d = I.domain(0, v.shape[0])
    y[0] = total(d[1:], v, 0)
    y[1] = total(d, source=v, axis=-1)
    y[2] = by_mode(MODE, I.record(left=v[0], right=(v[1], v[2])))
    y[3] = by_mode(Mode.SUM, parts=I.record(left=v[0], right=(v[1], 0)))


@intent.kernel
def nested(flag: I.bool, v: I.In[I.f32, ("N",)], y: I.Out[I.f32, ("N",)]):
    """Products of products, of domains, of views; unpacked, too. Rows: L24."""
    d = I.domain(0, v.shape[0])
    r = I.record(rows=d, inner=I.record(source=v, pair=(flag, (v[0], v[1]))))
    (chosen, (p, q)) = r.inner.pair
    y[r.rows] = I.select(chosen, r.inner.source[r.rows] * p, q)
