"""What is done row by row: a round or a condition is for all columns on a processor, each has a thread on a GPU."""

from __future__ import annotations

from pathlib import Path

import pytest
from intent2cuda.parse import parse_kernel
from intent2cuda.plan import plan
from intent2cuda.plan.stage import Branch, Level, Loop, Points
from intent2cuda.plan.trees import every, inside

HEADER = """
import intent2cuda as intent
import intent2cuda.language as I

@intent.kernel
def rounds(x: I.In[I.f32, ("B", "T", "D")], y: I.Out[I.f32, ("B", "T", "D")], z: I.Out[I.f32, ("B", "D")]):
    for b in I.parallel(I.domain(0, x.shape[0])):
"""
RECURRENCE = """
        h = x[b, 0, :]
        for t in range(x.shape[1]):
            h = 0.5 * h + x[b, t, :]
            y[b, t, :] = h
"""
STORES = """
        for t in range(x.shape[1]):
            y[b, t, :] = 2.0 * x[b, x.shape[1] - 1 - t, :]
"""
ALONG_MEMORY = """
        z[b, :] = 0.0
        h = I.zeros((x.shape[1],), I.f32)
        for d in range(x.shape[2]):
            h = 0.5 * h + x[b, :, d]
            y[b, :, d] = h
"""


def columns_around(tmp_path: Path, body: str, target: str) -> bool:
    """Whether the ordered loop stands in a loop over columns."""
    path = tmp_path / "kernel.py"
    path.write_text(HEADER + body)
    stages = list(every(plan(parse_kernel(path, "rounds").kernel, target).concrete.stages))
    loops = [stage for stage in stages if isinstance(stage, Loop)]
    assert len(loops) == 1
    around = [s for s in stages if isinstance(s, Points) and loops[0] in every(inside(s))]
    return sum(len(stage.axes) for stage in around) > 1


@pytest.mark.parametrize("body", [RECURRENCE, STORES], ids=["recurrence", "stores"])
def test_a_round_is_for_all_columns_on_a_processor(tmp_path: Path, body: str) -> None:
    assert not columns_around(tmp_path, body, "cpu")


@pytest.mark.parametrize("body", [RECURRENCE, STORES], ids=["recurrence", "stores"])
def test_each_column_has_a_thread_on_a_gpu(tmp_path: Path, body: str) -> None:
    assert columns_around(tmp_path, body, "cuda")


def test_a_loop_along_memory_stays_in_the_loop_across_it(tmp_path: Path) -> None:
    assert columns_around(tmp_path, ALONG_MEMORY, "cpu")


def test_the_columns_of_a_round_take_vector_lanes(tmp_path: Path) -> None:
    path = tmp_path / "kernel.py"
    path.write_text(HEADER + RECURRENCE)
    stages = list(every(plan(parse_kernel(path, "rounds").kernel, "cpu").concrete.stages))
    loop = next(stage for stage in stages if isinstance(stage, Loop))
    levels = [bound.level for stage in loop.body if isinstance(stage, Points) for bound in stage.axes]
    assert levels == [Level.SIMD]


CONDITION = """
        if x[b, 0, 0] > 0.0:
            z[b, :] = x[b, 1, :]
"""


@pytest.mark.parametrize(("target", "inside_it"), [("cpu", True), ("cuda", False)])
def test_a_condition_of_a_row_is_asked_once_on_a_processor(tmp_path: Path, target: str, inside_it: bool) -> None:
    path = tmp_path / "kernel.py"
    path.write_text(HEADER + CONDITION)
    stages = list(every(plan(parse_kernel(path, "rounds").kernel, target).concrete.stages))
    (branch,) = (stage for stage in stages if isinstance(stage, Branch))
    assert any(isinstance(stage, Points) for stage in branch.then_body) == inside_it
