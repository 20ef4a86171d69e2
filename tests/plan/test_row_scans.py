"""Scans by the author's combine across rows: a round is for all columns on a processor, each has a thread on a GPU."""

from __future__ import annotations

from pathlib import Path

import pytest
from intent2cuda.parse import parse_kernel
from intent2cuda.plan import plan
from intent2cuda.plan.stage import Level, Loop, Points
from intent2cuda.plan.trees import every, inside

HEADER = """
import intent2cuda as intent
import intent2cuda.language as I

@intent.fn
def then(p, q):
    return I.record(f=p.f * q.f, o=p.o * q.f + q.o)

@intent.fn
def shown(p, q):
    found = p
    if q != 0.0:
        found = q
    return found

@intent.kernel
def scanned(
    a: I.In[I.f32, ("B", "T", "N")], x: I.In[I.f32, ("B", "T", "N")], y: I.Out[I.f32, ("B", "T", "N")]
):
"""
MAPS = """
    each, first = I.record(f=a[{0}], o=x[{0}]), I.record(f=1.0, o=0.0)
    y[{0}] = I.scan(each, axis={1}, identity=first, combine=then, inclusive=True).o
"""
BRANCHING = """
    y[0, :, :] = I.scan(x[0, :, :], axis=0, identity=0.0, combine=shown, inclusive=True)
"""
MATRIX, BATCHED, ALONG = MAPS.format("0, :, :", 0), MAPS.format(":, :, :", 1), MAPS.format("0, :, :", 1)


def loop_of(tmp_path: Path, body: str, target: str) -> Loop:
    """The loop along the scanned axis."""
    path = tmp_path / "kernel.py"
    path.write_text(HEADER + body)
    stages = every(plan(parse_kernel(path, "scanned").kernel, target).concrete.stages)
    (loop,) = (stage for stage in stages if isinstance(stage, Loop))
    return loop


def columns_inside(tmp_path: Path, body: str, target: str) -> bool:
    """Whether the loop along the scanned axis has a loop over its columns inside."""
    return any(isinstance(stage, Points) for stage in every(inside(loop_of(tmp_path, body, target))))


@pytest.mark.parametrize(("target", "expected"), [("cpu", True), ("cuda", False)])
@pytest.mark.parametrize("body", [MATRIX, BATCHED], ids=["matrix", "batched"])
def test_a_scan_across_rows_goes_row_by_row_on_a_processor(
    tmp_path: Path, body: str, target: str, expected: bool
) -> None:
    assert columns_inside(tmp_path, body, target) == expected


@pytest.mark.parametrize("body", [MATRIX, BATCHED], ids=["matrix", "batched"])
def test_no_threads_are_woken_for_a_row(tmp_path: Path, body: str) -> None:
    loop = loop_of(tmp_path, body, "cpu")
    assert [bound.level for points in loop.body if isinstance(points, Points) for bound in points.axes] == [Level.SIMD]


@pytest.mark.parametrize("body", [ALONG, BRANCHING], ids=["along rows", "branching"])
def test_other_scans_have_a_loop_of_each_line(tmp_path: Path, body: str) -> None:
    assert not columns_inside(tmp_path, body, "cpu")
