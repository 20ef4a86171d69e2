"""Unordered and ordered loops: what may be rearranged, and that nothing else is."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from intent2cuda import interpret, pipeline
from intent2cuda.base.intexpr import IntExpr, substitute, symbols
from intent2cuda.ir.kernel import walk
from intent2cuda.ir.ops import RequireEqual
from intent2cuda.language.bodies.storage import NUMPY
from intent2cuda.plan.stage import Level, Points
from intent2cuda.plan.trees import every
from intent2cuda.types.value_type import Access, ViewType

from ..parse.texts import parsed, source

ROOT = Path(__file__).resolve().parents[2]
MARK = 77
MATRIX = 'x: I.In[I.f32, ("M", "N")], y: I.InOut[I.f32, ("M", "N")]'
VECTOR = 'x: I.In[I.f32, ("N",)], y: I.InOut[I.f32, ("N",)]'

WHOLE = "y[:, :] = x[:, :] * 2.0"
RECURRENCE = """
    t = I.cast(0.0, I.f32)
    for i in range(x.shape[0]):
        t = t * 0.5 + x[i]
        y[i] = t
"""


def levels(folder: Path, target: str, body: str, parameters: str) -> set[Level]:
    """The levels over which a plan lays the axes of its stages."""
    path = folder / "file.py"
    path.write_text(source(body, parameters))
    planned = pipeline.plan_kernel(pipeline.front(path, "kernel"), target)
    return {axis.level for stage in every(planned.concrete.stages) if isinstance(stage, Points) for axis in stage.axes}


@pytest.mark.req("L52")
@pytest.mark.parametrize(("target", "level"), [("cpu", Level.TEAM), ("cuda", Level.GRID)])
def test_whole_tensors_are_parallel_without_a_loop(target: str, level: Level, tmp_path: Path) -> None:
    assert level in levels(tmp_path, target, WHOLE, MATRIX)


@pytest.mark.req("L59")
@pytest.mark.parametrize("target", ["cpu", "cuda"])
def test_a_recurrence_stays_serial(target: str, tmp_path: Path) -> None:
    assert not levels(tmp_path, target, RECURRENCE, VECTOR)


@pytest.mark.req("L1", "L2", "L55")
@pytest.mark.parametrize(("begin", "end", "step"), [(2, 9, 1), (2, 9, 3), (-4, 3, 2), (5, 5, 1), (6, 2, 1), (0, 1, 7)])
def test_a_domain_is_walked_in_its_order(begin: int, end: int, step: int, tmp_path: Path) -> None:
    body = """
        k = y[0]
        for i in I.domain(begin, end, step):
            y[I.cast(k, I.index) + 1] = I.cast(i, I.i64)
            k = k + 1
        y[0] = k
    """
    parameters = "y: I.InOut[I.i64, (16,)], begin: I.index, end: I.index, step: I.index"
    kernel = parsed(tmp_path, source(body, parameters))
    y = np.zeros(16, np.int64)
    interpret.run(kernel, {"y": y, "begin": begin, "end": end, "step": step}, checked=True)
    assert y[1 : y[0] + 1].tolist() == list(range(begin, end, step))


@pytest.mark.req("L3")
@pytest.mark.parametrize("example", sorted(ROOT.glob("examples/*/kernel.py")), ids=lambda p: p.parent.name)
def test_extents_of_zero_touch_nothing_and_leave_nothing_undefined(example: Path) -> None:
    for name in pipeline.kernel_names(example):
        kernel = pipeline.front(example, name).kernel
        arguments: dict[str, object] = {p.name: 1 for p in kernel.parameters}
        views = [p for p in kernel.parameters if isinstance(p.type, ViewType)]
        nothing = {symbol: IntExpr.of(0) for view in views for e in view.resource.shape for symbol in symbols(e)}
        demanded = {op.lhs: substitute(op.rhs, nothing) for op in walk(kernel.body) if isinstance(op, RequireEqual)}
        for view in views:
            extents = (demanded.get(extent, extent) for extent in view.resource.shape)  # offsets: one more than groups
            shape = tuple(extent.constant or 0 for extent in extents)
            arguments[view.name] = np.full(shape, MARK, NUMPY[view.resource.dtype])
        interpret.run(kernel, arguments, checked=True)
        assert not any(np.any(arguments[v.name] == MARK) for v in views if v.resource.access is Access.OUT)


@pytest.mark.req("L116")
def test_a_store_that_does_not_happen_forms_no_address(tmp_path: Path) -> None:
    body = """
        for i in I.parallel(I.domain(0, x.shape[0])):
            if x[i] >= 0:
                y[I.cast(x[i], I.index)] = I.cast(i, I.i64)
    """
    kernel = parsed(tmp_path, source(body, 'x: I.In[I.i64, ("N",)], y: I.InOut[I.i64, ("K",)]'))
    y = np.full(4, 77)
    interpret.run(kernel, {"x": np.array([3, -1, -(2**62), 0]), "y": y}, checked=True)
    assert y.tolist() == [3, 77, 77, 0]
