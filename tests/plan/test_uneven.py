"""Threads take the members of a loop in turns where later ones have more to do than earlier ones, or less."""

from __future__ import annotations

from pathlib import Path

import pytest
from intent2cuda.parse import parse_kernel
from intent2cuda.plan import plan
from intent2cuda.plan.stage import Points

TEXT = """
import intent2cuda as intent
import intent2cuda.language as I

@intent.kernel
def k(x: I.In[I.f32, ("N", "N")], length: I.In[I.i32, ("N",)], y: I.Out[I.f32, ("N",)]):
    for i in I.parallel(I.domain(0, x.shape[0])):
        {body}
"""
SUM = "y[i] = I.reduce.sum(x[i, {part}], axis=0)"
UNEVEN = {
    "up to the diagonal": SUM.format(part="I.domain(0, i + 1)"),
    "from the diagonal on": SUM.format(part="I.domain(i, x.shape[1])"),
    "a bound in a variable": "end = I.minimum(2 * i + 1, x.shape[1])\n        " + SUM.format(part="I.domain(0, end)"),
}
EVEN = {
    "whole rows": SUM.format(part="I.domain(0, x.shape[1])"),
    "as long as data say": SUM.format(part="I.domain(0, I.cast(length[i], I.index))"),
    "a part that moves": SUM.format(part="I.domain(I.minimum(i, 3), I.minimum(i, 3) + 2)"),
}


def in_turns(path: Path, name: str, **constexprs: object) -> bool:
    stages = plan(parse_kernel(path, name, constexprs).kernel, "cpu").concrete.stages
    return any(stage.in_turns for stage in stages if isinstance(stage, Points))


@pytest.mark.parametrize("name", [*UNEVEN, *EVEN])
def test_extents_that_follow_from_the_member(tmp_path: Path, name: str) -> None:
    path = tmp_path / "k.py"
    path.write_text(TEXT.format(body={**UNEVEN, **EVEN}[name]))
    assert in_turns(path, "k") is (name in UNEVEN)


@pytest.mark.parametrize("causal", [False, True])
def test_blocks_of_rows(causal: bool) -> None:
    """The last block has fewer rows, which is no reason; blocks of causal attention see more and more keys."""
    path = Path(__file__).parents[2] / "examples" / "08_attention" / "kernel.py"
    assert in_turns(path, "attention", CAUSAL=causal) is causal
