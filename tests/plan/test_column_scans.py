"""Scans along the rows of matrices: columns that stand side by side in memory are scanned together."""

from __future__ import annotations

from pathlib import Path

import pytest
from intent2cuda.parse import parse_kernel
from intent2cuda.plan import plan
from intent2cuda.plan.stage import Level, Loop, Points
from intent2cuda.plan.trees import every

HEADER = """
import intent2cuda as intent
import intent2cuda.language as I

@intent.kernel
def prefixes(x: I.In[I.f32, ("B", "M", "N")], y: I.Out[I.f32, ("B", "M", "N")]):
"""
WHOLE = "    y[0, :, :] = I.cumsum(x[0, :, :], axis=0)\n"
BATCHED = "    y[:, :, :] = I.cumsum(x[:, :, :], axis=1)\n"
BY_COLUMN = """
    for n in I.parallel(I.domain(0, x.shape[2])):
        y[0, :, n] = I.cumsum(x[0, :, n], axis=0)
"""
ROWS = "    y[0, :, :] = I.cumsum(x[0, :, :], axis=1)\n"
FROM_THE_SECOND = BY_COLUMN.replace("I.domain(0,", "I.domain(1,")


def planned(tmp_path: Path, body: str) -> tuple[list[Level], list[str]]:
    """The levels of the loops around, and how the scan runs."""
    path = tmp_path / "kernel.py"
    path.write_text(HEADER + body)
    stages = list(every(plan(parse_kernel(path, "prefixes").kernel, "cpu").concrete.stages))
    levels = [bound.level for stage in stages if isinstance(stage, Points) for bound in stage.axes]
    return levels, [s.implementation.name for s in stages if isinstance(s, Loop) and s.implementation]


@pytest.mark.parametrize(
    ("body", "levels"),
    [(WHOLE, [Level.TEAM]), (BATCHED, [Level.TEAM, Level.SIMD]), (BY_COLUMN, [Level.TEAM])],
    ids=["whole", "batched", "by column"],
)
def test_neighbouring_columns_are_scanned_together(tmp_path: Path, body: str, levels: list[Level]) -> None:
    assert planned(tmp_path, body) == (levels, ["cpu.scan.columns"])


@pytest.mark.parametrize("body", [ROWS, FROM_THE_SECOND], ids=["rows", "from the second"])
def test_other_scans_are_one_line_each(tmp_path: Path, body: str) -> None:
    assert planned(tmp_path, body) == ([Level.TEAM], ["cpu.scan.row"])
