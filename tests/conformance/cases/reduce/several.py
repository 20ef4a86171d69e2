"""Several reductions of the same members, also where memory changes between them. Rows: L91."""

import numpy as np

import intent2cuda as intent
import intent2cuda.language as I
from conformance.case import MATRICES, Case


@intent.kernel
def row_statistics(x: I.In[I.f32, ("M", "N")], y: I.Out[I.f32, (5, "M")], full: I.Out[I.bool, ("M",)]):
    for m in I.parallel(I.domain(0, x.shape[0])):
        row = x[m, :]
        total = I.reduce.sum(row, axis=0)
        y[0, m] = total
        y[1, m] = I.reduce.sum(row * row, axis=0)
        y[2, m] = I.reduce.max(row, axis=0)
        full[m] = I.reduce.all(row > -3.0, axis=0)
        y[3, m] = I.reduce.sum(row - total, axis=0)
        y[4, m] = I.reduce.sum(I.abs(row), axis=0)


@intent.kernel
def whole(x: I.In[I.f32, ("M", "N")], y: I.Out[I.f32, (3,)]):
    t = x[:, :]
    y[0] = I.reduce.sum(t, axis=(0, 1))
    y[1] = I.reduce.max(t, axis=(0, 1))
    y[2] = I.reduce(t, axis=(0, 1), identity=0.0, combine=I.minimum)


@intent.kernel
def mixed(x: I.In[I.f16, ("M", "N")], n: I.In[I.i8, ("N",)], y: I.Out[I.f32, ("M",)], z: I.Out[I.i32, ("M",)]):
    for m in I.parallel(I.domain(0, x.shape[0])):
        y[m] = I.reduce.sum(x[m, :], axis=0)
        z[m] = I.reduce.sum(I.select(x[m, :] > 0.0, n[:], 1), axis=0)


@intent.kernel
def changed(x: I.InOut[I.f32, ("N",)], y: I.Out[I.f32, (2,)]):
    y[0] = I.reduce.sum(x[:], axis=0)
    x[:] = x[:] + 1.0
    y[1] = I.reduce.max(x[:], axis=0)


@intent.kernel
def parts(x: I.In[I.f32, ("N",)], start: I.In[I.i32, ("E",)], y: I.Out[I.f32, (2, "G")]):
    groups = I.ragged(outer=I.domain(0, y.shape[1]), members=I.domain(0, x.shape[0]), offsets=start)
    for g in I.parallel(groups.outer):
        part = x[groups[g]]
        y[0, g] = I.reduce.sum(part, axis=0)
        y[1, g] = I.reduce.max(part, axis=0)


def cases(rng):
    for m, n in MATRICES:
        x = rng.integers(-4, 5, (m, n)).astype(np.float32)
        largest = x.max(1, initial=-np.inf)
        total = x.sum(1)
        expected = np.stack([total, (x * x).sum(1), largest, (x - total[:, None]).sum(1), np.abs(x).sum(1)])
        yield Case("row_statistics", (x,), {"y": expected, "full": (x > -3).all(1)}, id=f"{m}x{n}")
        least = min(0.0, x.min(initial=0))
        yield Case("whole", (x,), {"y": np.float32([x.sum(), x.max(initial=-np.inf), least])}, id=f"{m}x{n}")
        small = rng.integers(-9, 10, n).astype(np.int8)
        counted = np.where(x > 0, small.astype(np.int32), 1).sum(1).astype(np.int32)
        yield Case("mixed", (x.astype(np.float16), small), {"y": total, "z": counted}, id=f"{m}x{n}")
    nan = np.tile(np.float32([1, 2, 3]), (2, 40))
    nan[1, 77] = np.nan
    y = np.stack([nan.sum(1), (nan * nan).sum(1), nan.max(1), (nan - nan.sum(1)[:, None]).sum(1), nan.sum(1)])
    yield Case("row_statistics", (nan,), {"y": y, "full": (nan > -3).all(1)}, id="nan")
    for n in (1, 63, 5000):
        x = rng.integers(-9, 10, n).astype(np.float32)
        yield Case("changed", (x,), {"x": x + 1, "y": np.float32([x.sum(), x.max() + 1])}, id=str(n))
    for sizes in ((3, 0, 70, 1), (0,), (70_000, 5, 0, 300)):
        start = np.cumsum([0, *sizes]).astype(np.int32)
        x = rng.integers(-9, 10, start[-1]).astype(np.float32)
        cut = [x[a:b] for a, b in zip(start[:-1], start[1:], strict=True)]
        y = np.float32([[p.sum() for p in cut], [p.max(initial=-np.inf) for p in cut]])
        yield Case("parts", (x, start), {"y": y}, id="-".join(map(str, sizes)))
