"""Which axes of an outermost loop the threads of a cpu share, and what is emitted for them."""

from __future__ import annotations

from pathlib import Path

import pytest
from intent2cuda import pipeline
from intent2cuda.parse import parse_kernel
from intent2cuda.plan import plan
from intent2cuda.plan.stage import Level, Points

HEADER = """
import intent2cuda as intent
import intent2cuda.language as I

@intent.kernel
def nest(x: I.In[I.f32, ("B", "M", "N")], size: I.In[I.i32, ("B",)], y: I.Out[I.f32, ("B", "M", "N")]):
"""
SOFTMAX = """
    e = I.exp(x[:, :, :] - I.reduce.max(x[:, :, :], axis=2)[:, :, None])
    y[:, :, :] = e / I.reduce.sum(e, axis=2)[:, :, None]
"""
POINTS = """
    for b, m in I.parallel((I.domain(0, x.shape[0]), I.domain(0, x.shape[1]))):
        y[b, m, 0] = I.reduce.max(x[b, m, :], axis=0)
"""
POINTWISE = """
    y[:, :, :] = x[:, :, :] + 1.0
"""
COUNTED = """
    for b in I.parallel(I.domain(0, x.shape[0])):
        for m in I.parallel(I.domain(0, size[b])):
            y[b, m, 0] = I.reduce.max(x[b, m, :], axis=0)
"""


def levels(path: Path) -> list[Level]:
    nest = plan(parse_kernel(path, "nest").kernel, "cpu").concrete.stages[-1]
    assert isinstance(nest, Points)
    return [bound.level for bound in nest.axes]


@pytest.mark.parametrize(
    ("body", "shared"),
    [(SOFTMAX, 2), (POINTS, 2), (POINTWISE, 2), (COUNTED, 1)],
    ids=["softmax", "points", "pointwise", "counted"],
)
def test_axes_around_rows_are_shared_as_one(tmp_path: Path, body: str, shared: int) -> None:
    path = tmp_path / "kernel.py"
    path.write_text(HEADER + body)
    assert levels(path) == [Level.TEAM] * shared


def test_loops_that_are_shared_as_one_have_nothing_between_them(tmp_path: Path) -> None:
    path = tmp_path / "kernel.py"
    path.write_text(HEADER + SOFTMAX)
    front = pipeline.front(path, "nest", {})
    files = pipeline.emit_project((front,), "cpu", "nest", ()).files
    lines = [line.strip() for line in files["src/nest.cpp"].splitlines()]
    first = lines.index("for (index_t b = 0; b < B; ++b) {")
    assert "collapse(2)" in lines[first - 1]
    assert lines[first + 1] == "for (index_t m = 0; m < M; ++m) {"
