"""Next values of a carried row that are made while the line of their prefixes is scanned, and those that are not."""

from __future__ import annotations

from pathlib import Path

import pytest
from intent2cuda.parse import parse_kernel
from intent2cuda.plan import plan
from intent2cuda.plan.prefixes import tail_of
from intent2cuda.plan.stage import Keep, Loop
from intent2cuda.plan.trees import every

HEADER = """
import intent2cuda as intent
import intent2cuda.language as I

@intent.kernel
def rounds(x: I.In[I.i32, ("M", "N")], o: I.Out[I.i32, ("N",)], p: I.Out[I.i32, ("N",)]):
    at = I.indices(I.domain(0, x.shape[1]))
    row, best = x[0, :], x[0, :]
    for i in I.domain(0, x.shape[0]):
        left = I.gather({read}, index=(at - 1,), valid=at > 0, fill=0)
        highest = I.cummax(left + x[i, :], axis=0)
        row = {following}
        best = I.maximum(best, row)
    o[:] = row
    p[:] = best
"""


def loops(tmp_path: Path, target: str, read: str, following: str) -> list[Loop]:
    path = tmp_path / "kernel.py"
    path.write_text(HEADER.format(read=read, following=following))
    stages = every(plan(parse_kernel(path, "rounds").kernel, target).concrete.stages)
    return [stage for stage in stages if isinstance(stage, Loop)]


@pytest.mark.parametrize(("read", "exchanged"), [("row", [True, False]), ("best", [False, True])])
def test_two_rows_change_places(tmp_path: Path, read: str, exchanged: list[bool]) -> None:
    rounds, scan = loops(tmp_path, "cpu", read, "highest - 2")
    assert [(carry.spare is not None) for carry in rounds.carries] == exchanged
    (spare,) = [carry.spare for carry in rounds.carries if carry.spare is not None]
    kept = [stage.buffer.id for stage in tail_of(scan) if isinstance(stage, Keep)]
    assert spare.id in kept and len(kept) == 2
    assert spare.reason == "the next round's values; the two change places"


@pytest.mark.parametrize(
    ("read", "following"),
    [
        ("best + row", "highest - 2"),  # members would read what is written for those before them
        ("row", "I.gather(highest, index=(at - 1,), valid=at > 0, fill=0)"),  # the prefix of another member
    ],
)
def test_other_rows_are_made_in_a_sweep_of_their_own(tmp_path: Path, read: str, following: str) -> None:
    _, scan = loops(tmp_path, "cpu", read, following)
    assert scan.scans is not None and scan.scans.tail is None


def test_a_gpu_keeps_its_threads_on_the_sweep(tmp_path: Path) -> None:
    assert all(loop.scans is None for loop in loops(tmp_path, "cuda", "row", "highest - 2"))
