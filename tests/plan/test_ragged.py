"""Loops over members with parts of different sizes: which are shared by size, and which are not."""

from __future__ import annotations

from pathlib import Path

import pytest
from intent2cuda.parse import parse_kernel
from intent2cuda.plan import plan
from intent2cuda.plan.stage import Fold, Points, Prefetch
from intent2cuda.plan.trees import every

HEADER = """
import intent2cuda as intent
import intent2cuda.language as I

@intent.kernel
def rows(x: I.In[I.f32, ("N",)], start: I.In[I.i32, ("E",)], table: I.In[I.i32, (2, "E")], y: I.Out[I.f32, ("G",)]):
    members = I.domain(0, x.shape[0])
    for g in I.parallel(I.domain({first}, y.shape[0])):
        {body}
"""
ONE_BY_ONE = "I.reduce.sum(x[members[start[g] : start[g] + 2]], axis=0)"


def stages(tmp_path: Path, body: str, first: int = 0) -> list[Points | Fold]:
    source = tmp_path / "kernel.py"
    source.write_text(HEADER.format(body=body, first=first))
    planned = every(plan(parse_kernel(source, "rows").kernel, "cpu").concrete.stages)
    return [stage for stage in planned if isinstance(stage, Points | Fold)]


def implementations(tmp_path: Path, body: str, first: int = 0) -> list[str]:
    return [stage.implementation.name for stage in stages(tmp_path, body, first)]


@pytest.mark.parametrize(
    "body",
    [
        "y[g] = I.reduce.sum(x[members[start[g] : start[g + 1]]], axis=0)",
        "y[g] = I.reduce.max(x[I.ragged(outer=members, members=members, offsets=start)[g]], axis=0)",
        "y[g] = I.reduce.sum(x[members[table[1, g] : table[1, g + 1]]], axis=0)",
        "y[g] = I.reduce.sum(x[I.domain(I.cast(start[g], I.index), I.cast(start[g + 1], I.index))], axis=0)",
    ],
)
def test_parts_one_behind_the_other_are_shared_by_size(tmp_path: Path, body: str) -> None:
    assert implementations(tmp_path, body) == ["cpu.points.ragged", "cpu.reduce.ragged"]


@pytest.mark.parametrize(
    "body",
    [
        f"y[g] = {ONE_BY_ONE}",
        "y[g] = I.reduce.sum(x[members[start[g] : start[g + 2]]], axis=0)",
        "y[g] = I.reduce.sum(x[members[table[0, g] : table[1, g + 1]]], axis=0)",
        "y[g] = I.reduce.sum(x[members[table[0, g] : table[1, g]]], axis=0)",
        "y[g] = I.reduce.sum(x[members[start[0] : start[1]]], axis=0)",
    ],
)
def test_other_parts_are_not(tmp_path: Path, body: str) -> None:
    assert "cpu.points.ragged" not in implementations(tmp_path, body)


def test_members_that_do_not_begin_at_the_first_are_shared_by_number(tmp_path: Path) -> None:
    body = "y[g] = I.reduce.sum(x[members[start[g] : start[g + 1]]], axis=0)"
    assert "cpu.points.ragged" not in implementations(tmp_path, body, first=1)


def test_a_part_with_another_sweep_stays_on_one_thread(tmp_path: Path) -> None:
    body = "y[g] = I.cast(I.arg_reduce.max(x[members[start[g] : start[g + 1]]], axis=0)[1], I.f32)"
    assert implementations(tmp_path, body) == ["cpu.points.ragged", "cpu.reduce.arg_max"]


@pytest.mark.parametrize("member", ["x[part]", "I.exp(x[part])"])
def test_what_follows_a_part_is_fetched_ahead(tmp_path: Path, member: str) -> None:
    body = f"part = members[start[g] : start[g + 1]]; y[g] = I.reduce.sum({member}, axis=0)"
    assert [s.prefetch for s in stages(tmp_path, body) if isinstance(s, Fold)] == [Prefetch.AHEAD]
