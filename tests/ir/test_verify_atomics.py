"""Rules of atomic accesses and of scatters that combine: one op that breaks each, and one that keeps them."""

from __future__ import annotations

import pytest

from intent2cuda.base.diagnostics import InternalError
from intent2cuda.ir.reader import read
from intent2cuda.ir.verify import verify

HEAD = """kernel kernel(
  %x: In i32[4],
  %y: Out i32[4],
  %c: InOut i32[4],
  %p: InOut bool[4],
  %e: InOut f8e4m3fn[4],
  %f: InOut f32[4]
) {
  %0: index = constant 0
  %1: i32 = constant 1
  %2: bool = constant true
  %3: f8e4m3fn = constant 1.0
  %4: f32 = constant 1.0
"""

KEPT = [
    "%old: i32 = atomic_update.add %c[%0], %1 order=acq_rel",
    "%old: bool = atomic_update.exchange %p[%0], %2 order=relaxed",
    "%old: f8e4m3fn = atomic_load %e[%0] order=acquire",
    "%old: f32, %done: bool = compare_exchange %f[%0], %4, %4 order=release",
    "scatter_reduce.add %y[%0], %1",
]

BROKEN = [
    ("%old: i32 = atomic_update.add %y[%0], %1 order=relaxed", "kir.view.write"),
    ("scatter_reduce.add %x[%0], %1", "kir.view.write"),
    ("%old: i32 = atomic_load %c[%0] order=release", "kir.atomic.order"),
    ("atomic_store %c[%0], %1 order=acquire", "kir.atomic.order"),
    ("%old: f32 = atomic_update.and %f[%0], %4 order=relaxed", "kir.atomic.dtype"),
    ("%old: bool = atomic_update.max %p[%0], %2 order=relaxed", "kir.atomic.dtype"),
    ("%old: f8e4m3fn = atomic_update.add %e[%0], %3 order=relaxed", "kir.atomic.dtype"),
    ("scatter_reduce.add %p[%0], %2", "kir.scatter.dtype"),
    ("scatter_reduce.maximum %c[%0], %1", "kir.scatter.combine"),
    ("%old: i32 = atomic_update.add %c[%0], %4 order=relaxed", "kir.store.dtype"),
    ("%old: i32[4] = atomic_update.add %c[:], %1 order=relaxed", "kir.store.shape"),
    ("%old: i32, %done: i32 = compare_exchange %c[%0], %1, %1 order=relaxed", "kir.op.dtype"),
]


@pytest.mark.req("L118", "L119", "L124")
@pytest.mark.parametrize("op", KEPT)
def test_kept(op: str) -> None:
    verify(read(f"{HEAD}  {op}\n}}\n"))


@pytest.mark.req("L118", "L119", "L124")
@pytest.mark.parametrize(("op", "code"), BROKEN)
def test_broken(op: str, code: str) -> None:
    with pytest.raises(InternalError, match=code):
        verify(read(f"{HEAD}  {op}\n}}\n"))
