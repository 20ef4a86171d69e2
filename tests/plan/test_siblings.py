"""Reductions of the same members: which of them run in one sweep, and which do not."""

from __future__ import annotations

from pathlib import Path

import pytest
from intent2cuda.parse import parse_kernel
from intent2cuda.plan import Planned, plan
from intent2cuda.plan.portable import DecisionKind
from intent2cuda.plan.stage import Fold
from intent2cuda.plan.trees import every

HEADER = """
import intent2cuda as intent
import intent2cuda.language as I

@intent.kernel
def rows(x: I.In[I.f32, ("M", "N")], w: I.In[I.f32, ("N",)], z: I.InOut[I.f32, ("M", "N")], y: I.Out[I.f32, (6, "M")]):
    for m in I.parallel(I.domain(0, x.shape[0])):
{body}
"""


def planned(tmp_path: Path, *lines: str, target: str = "cpu") -> Planned:
    source = tmp_path / "kernel.py"
    source.write_text(HEADER.format(body="\n".join(f"        {line}" for line in lines)))
    return plan(parse_kernel(source, "rows").kernel, target)


def sweeps(tmp_path: Path, *lines: str) -> list[int]:
    """How many reductions each sweep has."""
    stages = every(planned(tmp_path, *lines).concrete.stages)
    return [len(stage.ops) for stage in stages if isinstance(stage, Fold)]


SUM = "y[0, m] = I.reduce.sum(x[m, :], axis=0)"
SQUARES = "y[1, m] = I.reduce.sum(x[m, :] * x[m, :], axis=0)"
LARGEST = "y[2, m] = I.reduce.max(x[m, :] + w[:], axis=0)"


def test_reductions_that_read_the_same_elements_run_in_one_sweep(tmp_path: Path) -> None:
    assert sweeps(tmp_path, SUM, SQUARES, LARGEST) == [3]


def test_a_sweep_has_so_many_reductions_at_most(tmp_path: Path) -> None:
    lines = [f"y[{n}, m] = I.reduce.sum(x[m, :] * {n}.0, axis=0)" for n in range(6)]
    assert sweeps(tmp_path, *lines) == [4, 2]


def test_what_a_reduction_needs_moves_with_it(tmp_path: Path) -> None:
    shifted = ("c = I.exp(w[m])", "y[1, m] = I.reduce.sum(x[m, :] * c, axis=0)", "y[2, m] = c")
    assert sweeps(tmp_path, SUM, *shifted) == [2]


def test_rows_without_a_loop_of_the_author_share_sweeps_too(tmp_path: Path) -> None:
    source = tmp_path / "kernel.py"
    source.write_text(
        HEADER.partition("    for m")[0]
        + "    t = x[:, :]\n    y[0, :] = I.reduce.sum(t, axis=1)\n    y[1, :] = I.reduce.max(t, axis=1)\n"
    )
    stages = every(plan(parse_kernel(source, "rows").kernel, "cpu").concrete.stages)
    assert [len(stage.ops) for stage in stages if isinstance(stage, Fold)] == [2]


@pytest.mark.parametrize(
    "lines",
    [
        ("mean = I.reduce.sum(x[m, :], axis=0)", "d = x[m, :] - mean", "y[1, m] = I.reduce.sum(d * d, axis=0)"),
        (SUM, "y[1, m] = I.reduce.sum(w[:], axis=0)"),
        (SUM, "y[1, m] = I.reduce.sum(x[m, 1:], axis=0)"),
        ("y[0, m] = I.reduce.sum(z[m, :], axis=0)", "z[m, :] = x[m, :]", "y[1, m] = I.reduce.max(z[m, :], axis=0)"),
        (SUM, "if w[m] > 0.0:", "    y[1, m] = 0.0", "y[2, m] = I.reduce.max(x[m, :], axis=0)"),
    ],
    ids=["one needs the other", "nothing in common", "other members", "memory changes between", "a branch between"],
)
def test_other_reductions_have_a_sweep_each(tmp_path: Path, lines: tuple[str, ...]) -> None:
    assert sweeps(tmp_path, *lines) == [1, 1]


def test_sharing_is_a_decision_of_the_portable_plan(tmp_path: Path) -> None:
    found = planned(tmp_path, SUM, SQUARES)
    fused = [d for d in found.portable.decisions if d.kind is DecisionKind.FUSE and "one sweep" in d.reason]
    assert [len(d.subject) for d in fused] == [2]
    assert planned(tmp_path, SUM, SQUARES, target="sm_90a").portable.digest == found.portable.digest


def test_what_is_shared_is_counted_once(tmp_path: Path) -> None:
    heavy = ("e = I.exp(x[m, :])", "y[0, m] = I.reduce.sum(e, axis=0)", "y[1, m] = I.reduce.sum(e * w[:], axis=0)")
    found = planned(tmp_path, *heavy)
    takes = next(c.takes for c in found.planset.candidates if c.structure == found.planset.chosen)
    assert str(takes.functions) == "M*N"
    assert str(takes.resident_bytes) == "0"
