"""How much a loop is said to do: what decides whether the threads of a processor are woken for it."""

from __future__ import annotations

from pathlib import Path

import pytest
from intent2cuda.parse import parse_kernel
from intent2cuda.plan import plan
from intent2cuda.plan.stage import Points

HEADER = """
import intent2cuda as intent
import intent2cuda.language as I

@intent.kernel
def rows(x: I.In[I.i32, ("M", "N")], y: I.InOut[I.i32, ("M", "K")]):
    for m in I.parallel(I.domain(0, x.shape[0])):
"""
COUNTS = "        y[m, :] = I.histogram(x[m, :], bins=y.shape[1], valid=True, count_dtype=I.i32)\n"
PASSES = "        y[m, :] = I.cast(I.reduce.max(x[m, :], axis=0) + I.reduce.sum(x[m, :], axis=0), I.i32)\n"
CUTS = (
    "        for k in range(1, x.shape[1] - 1):\n"
    "            for n in range(1, x.shape[1] - 1):\n"
    "                y[m, k] = y[m, k] + x[m, n]\n"
)
FILLS = "        y[m, :] = x[m, 0]\n"


@pytest.mark.parametrize(
    ("body", "work"),
    [(COUNTS, "K*M + M*N"), (PASSES, "K*M + M*N"), (FILLS, "K*M"), (CUTS, "M*N*N")],
    ids=["counts", "passes", "fills", "cuts"],
)
def test_sweeps_of_different_extents_add_up(tmp_path: Path, body: str, work: str) -> None:
    path = tmp_path / "kernel.py"
    path.write_text(HEADER + body)
    outermost = plan(parse_kernel(path, "rows").kernel, "cpu").concrete.stages[-1]
    assert isinstance(outermost, Points)
    assert str(outermost.work) == work
