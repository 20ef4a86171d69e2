"""Prefixes that go past the caches, and who waits for them."""

from __future__ import annotations

from pathlib import Path

import pytest
from intent2cuda.parse import parse_kernel
from intent2cuda.plan import plan
from intent2cuda.plan.stage import Loop
from intent2cuda.plan.trees import every

HEADER = """
import intent2cuda as intent
import intent2cuda.language as I

@intent.kernel
def sums(
    x: I.In[I.f32, ("M", "N")],
    w: I.In[I.f64, ("M", "N")],
    y: I.Out[I.f32, ("M", "N")],
    z: I.Out[I.f64, ("M", "N")],
):
    {body}
"""


def streamed(tmp_path: Path, body: str) -> list[bool]:
    source = tmp_path / "kernel.py"
    source.write_text(HEADER.format(body=body))
    stages = every(plan(parse_kernel(source, "sums").kernel, "cpu").concrete.stages)
    return [stage.scans.stream for stage in stages if isinstance(stage, Loop) and stage.scans is not None]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("y[:, :] = I.cumsum(x[:, :], axis=1)", True),
        ("z[:, :] = I.cumsum(w[:, :], axis=1)", False),  # the format is not streamed
        ("y[:, :] = I.cumsum(x[:, :], axis=1)\n    z[:, :] = I.cast(y[:, :], I.f64)", False),  # it is read again
    ],
)
def test_prefixes_in_rows_that_nothing_reads_go_past_the_caches(tmp_path: Path, body: str, expected: bool) -> None:
    assert streamed(tmp_path, body) == [expected]
