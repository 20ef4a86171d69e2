"""Who shares the memory of an atomic access decides how far it reaches; the plan says so, and the text follows it."""

from __future__ import annotations

from pathlib import Path

import pytest
from intent2cuda.pipeline.back import machine_text, plan_kernel
from intent2cuda.pipeline.front import front
from intent2cuda.plan.stage import Access, Scope
from intent2cuda.plan.trees import every

SOURCE = """
import intent2cuda as intent
import intent2cuda.language as I

@intent.kernel
def rows(x: I.In[I.i32, ("M", "N")], y: I.Out[I.i32, ("M", 64)], seen: I.InOut[I.i32, (1,)]):
    for m in I.parallel(I.domain(0, x.shape[0])):
        counts = I.buffer((64,), I.i32, init=0)
        for n in range(x.shape[1]):
            I.atomic.add(counts, (I.cast(x[m, n], I.index),), 1, order="relaxed")
        y[m, :] = counts[:]
        I.atomic.add(seen, (0,), 1, order="release")
"""


@pytest.mark.req("L125")
@pytest.mark.parametrize(
    ("target", "private", "calls"), [("cpu", Scope.THREAD, 1), ("cuda", Scope.BLOCK, 2)], ids=["cpu", "cuda"]
)
def test_the_scope_follows_from_who_reaches_the_memory(tmp_path: Path, target: str, private: Scope, calls: int) -> None:
    file = tmp_path / "rows.py"
    file.write_text(SOURCE, encoding="utf-8")
    kernel = front(file, "rows")
    plan = plan_kernel(kernel, target).concrete
    found = {a.op.resource.name: a for a in every(plan.stages) if isinstance(a, Access)}
    assert (found["counts"].scope, found["seen"].scope) == (private, Scope.DEVICE)
    assert all(access.reason for access in found.values())
    assert machine_text(kernel, target).count("intent::atomic_add") == calls
