"""Values whose elements are picked one by one are kept where a loop around would pick them for each of its members."""

from __future__ import annotations

from pathlib import Path

import pytest
from intent2cuda.parse import parse_kernel
from intent2cuda.plan import plan
from intent2cuda.plan.stage import Keep
from intent2cuda.plan.trees import every

HEADER = """
import intent2cuda as intent
import intent2cuda.language as I

@intent.kernel
def picked(
    x: I.In[I.f32, ("M", "K")], table: I.In[I.f32, ("N", "H")], place: I.In[I.i32, ("K",)], y: I.Out[I.f32, ("M", "N")]
):
    k = I.indices(I.domain(0, x.shape[1]))
    for n in I.parallel(I.domain(0, table.shape[0])):
"""
OF_ALL_ROWS = "t = table[n, k // 2]; y[:, n] = I.reduce.sum(x[:, :] * t[None, :], axis=1)"
BY_AN_ARRAY = "t = table[n, place[:]]; y[:, n] = I.reduce.sum(x[:, :] * t[None, :], axis=1)"
OF_ONE_ROW = "t = table[n, k // 2]; y[0, n] = I.reduce.sum(x[0, :] * t, axis=0)"
OF_FEW_ROWS = "t = table[n, k // 2]; y[0:4, n] = I.reduce.sum(x[0:4, :] * t[None, :], axis=1)"


def kept(tmp_path: Path, lines: str) -> list[str | None]:
    """The names of the values with storage."""
    source = tmp_path / "kernel.py"
    source.write_text(HEADER + "".join(f"        {line}\n" for line in lines.split("; ")))
    stages = every(plan(parse_kernel(source, "picked").kernel, "cpu").concrete.stages)
    return [stage.value.name for stage in stages if isinstance(stage, Keep)]


@pytest.mark.parametrize("lines", [OF_ALL_ROWS, BY_AN_ARRAY], ids=["halves", "by an array"])
def test_what_all_rows_pick_alike_is_picked_once(tmp_path: Path, lines: str) -> None:
    assert kept(tmp_path, lines) == ["t"]


@pytest.mark.parametrize("lines", [OF_ONE_ROW, OF_FEW_ROWS], ids=["one", "few"])
def test_what_few_rows_pick_has_no_storage(tmp_path: Path, lines: str) -> None:
    assert kept(tmp_path, lines) == []


def test_what_lies_in_order_is_read_again(tmp_path: Path) -> None:
    lines = "y[:, n] = I.reduce.sum(x[:, :] * table[n, 0:x.shape[1]][None, :], axis=1)"
    assert kept(tmp_path, lines) == []
