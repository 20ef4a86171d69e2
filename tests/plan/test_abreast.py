"""Reductions that run in vector lanes side by side, and those that do not."""

from __future__ import annotations

from pathlib import Path

import pytest
from intent2cuda.parse import parse_kernel
from intent2cuda.plan import plan
from intent2cuda.plan.stage import Fold, Level, Points
from intent2cuda.plan.trees import every

HEADER = """
import intent2cuda as intent
import intent2cuda.language as I

@intent.kernel
def k(
    x: I.In[I.f32, ("C", "H", "W")], w: I.In[I.f32, ("O", "C", 3, 3)], a: I.In[I.f32, ("Q", "W")],
    b: I.In[I.f32, ("W", "Q")], place: I.In[I.i32, ("Q",)], y: I.Out[I.f32, ("O", "Q")],
):
    for o, q in I.parallel((I.domain(0, y.shape[0]), I.domain({first}, y.shape[1]))):
        {line}
"""
CONVOLUTION = "y[o, q] = I.reduce.sum(x[:, 0 : 3, q : q + 3] * w[o, :, :, :], axis=(0, 1, 2))"
ACROSS_ROWS = "y[o, q] = I.maximum(I.reduce.max(b[:, q] + x[o, 0, :], axis=0), 0.0)"


def reductions(tmp_path: Path, line: str, first: int = 0) -> list[tuple[list[Level], list[str]]]:
    """The loops with reductions in them: their levels, and how the reductions run."""
    source = tmp_path / "kernel.py"
    source.write_text(HEADER.format(line=line, first=first))
    stages = every(plan(parse_kernel(source, "k").kernel, "cpu").concrete.stages)
    nests = [(s, [f for f in s.body if isinstance(f, Fold)]) for s in stages if isinstance(s, Points)]
    return [([b.level for b in nest.axes], [f.implementation.name for f in folds]) for nest, folds in nests if folds]


@pytest.mark.parametrize("line", [CONVOLUTION, ACROSS_ROWS], ids=["convolution", "across rows"])
def test_members_side_by_side_are_reduced_in_lanes(tmp_path: Path, line: str) -> None:
    assert reductions(tmp_path, line) == [([Level.SIMD], ["cpu.reduce.abreast"])]


@pytest.mark.parametrize(
    "line",
    [
        "y[o, q] = I.reduce.sum(a[q, :] * x[o, 0, :], axis=0)",
        "y[o, q] = I.reduce.sum(x[o, 0, :], axis=0)",
        "y[o, q] = I.reduce.sum(b[:, place[q]] * x[o, 0, :], axis=0)",
        "y[o, q] = I.reduce.sum(b[:, 2 * q] * x[o, 0, :], axis=0)",
        "y[o, q] = I.reduce.sum(x[:, 0 : 6, q : q + 6], axis=(0, 1, 2))",
        "y[o, q] = I.reduce.sum(x[:, :, q], axis=(0, 1))",
        "y[o, q] = I.reduce.sum(b[0 : place[q], q], axis=0)",
        "y[o, q] = I.cast(I.arg_reduce.max(b[:, q] + x[o, 0, :], axis=0)[1], I.f32)",
    ],
    ids=["own rows", "alike", "at places", "every other", "36 members", "two long axes", "ragged", "position"],
)
def test_others_are_reduced_one_by_one(tmp_path: Path, line: str) -> None:
    ((_, how),) = reductions(tmp_path, line)
    assert "cpu.reduce.abreast" not in how


def test_members_not_from_the_first_on_are_reduced_one_by_one(tmp_path: Path) -> None:
    ((_, how),) = reductions(tmp_path, ACROSS_ROWS, first=1)
    assert how == ["cpu.reduce.lanes"]
