"""Rows of very different lengths: one huge among tiny and empty ones, and sums that need a row twice.

Rows: L93 L103.
"""

import numpy as np

import intent2cuda as intent
import intent2cuda.language as I
from conformance.case import Case


@intent.kernel
def total(x: I.In[I.f64, ("N",)], offsets: I.In[I.i32, ("E",)], y: I.Out[I.f64, ("G",)]):
    rows = I.ragged(outer=I.domain(0, y.shape[0]), members=I.domain(0, x.shape[0]), offsets=offsets)
    for g in I.parallel(rows.outer):
        y[g] = I.reduce.sum(x[rows[g]], axis=0)


@intent.kernel
def some(x: I.In[I.f64, ("N",)], offsets: I.In[I.i32, ("E",)], count: I.index, y: I.InOut[I.f64, ("G",)]):
    rows = I.ragged(outer=I.domain(0, count), members=I.domain(0, x.shape[0]), offsets=offsets)
    for g in I.parallel(rows.outer):
        y[g] = I.reduce.sum(x[rows[g]], axis=0)


@intent.kernel
def spread(x: I.In[I.f64, ("N",)], offsets: I.In[I.i32, ("E",)], y: I.Out[I.f64, ("G",)]):
    rows = I.ragged(outer=I.domain(0, y.shape[0]), members=I.domain(0, x.shape[0]), offsets=offsets)
    for g in I.parallel(rows.outer):
        count = I.cast(I.maximum(offsets[g + 1] - offsets[g], 1), I.f64)
        middle = I.reduce.sum(x[rows[g]], axis=0) / count
        away = x[rows[g]] - middle
        y[g] = I.reduce.sum(away * away, axis=0) / count


@intent.kernel
def places(x: I.In[I.f64, ("N",)], offsets: I.In[I.i32, ("E",)], y: I.Out[I.i64, ("G",)]):
    rows = I.ragged(outer=I.domain(0, y.shape[0]), members=I.domain(0, x.shape[0]), offsets=offsets)
    for g in I.parallel(rows.outer):
        value, place = I.arg_reduce.max(x[rows[g]], axis=0)
        y[g] = I.cast(place, I.i64)


@intent.kernel
def columns(x: I.In[I.f64, ("N", "D")], offsets: I.In[I.i32, ("E",)], y: I.Out[I.f64, ("G", "D")]):
    rows = I.ragged(outer=I.domain(0, y.shape[0]), members=I.domain(0, x.shape[0]), offsets=offsets)
    for g in I.parallel(rows.outer):
        y[g, :] = I.reduce.sum(x[rows[g], :], axis=0)


def cases(rng):
    for name, lengths in (
        ("huge", [1, 0, 3, 70000, 2, 0, 0, 17, 64]),
        ("two_huge", [66000, 65536, 5]),
        ("tiny", list(rng.integers(0, 30, 700))),
        ("none", [0, 0, 0]),
    ):
        offsets = np.cumsum([0, *lengths])
        spans = list(zip(offsets, offsets[1:]))
        x, wide = rng.standard_normal(offsets[-1]), rng.standard_normal((offsets[-1], 5))
        given = (x, offsets.astype(np.int32))
        near = {"rtol": 1e-10, "atol": 1e-9}
        yield Case("total", given, {"y": np.array([x[s:e].sum() for s, e in spans])}, id=name, **near)
        first = np.array([x[s:e].sum() for s, e in spans[:3]])
        yield Case("some", (*given, 3, np.zeros(3)), {"y": first}, id=name, **near)
        yield Case(
            "spread", given, {"y": np.array([x[s:e].var() if e > s else 0.0 for s, e in spans])}, id=name, **near
        )
        greatest = np.array([x[s:e].argmax() if e > s else np.iinfo(np.int64).max for s, e in spans])
        yield Case("places", given, {"y": greatest}, id=name)
        sums = np.stack([wide[s:e].sum(0) for s, e in spans])
        yield Case("columns", (wide, given[1]), {"y": sums}, id=name, **near)
