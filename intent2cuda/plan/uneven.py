"""Loops whose members take more and more work, or less and less: triangles, causal windows."""

from __future__ import annotations

from collections.abc import Iterator

from intent2cuda.base.intexpr import IntExpr, symbols
from intent2cuda.ir.op import operands
from intent2cuda.ir.ops import Cast, Dim, For, Pointwise
from intent2cuda.ir.value import Value
from intent2cuda.plan.demand import Demand
from intent2cuda.plan.stage import Fold, Loop, Points, Product, Stage
from intent2cuda.plan.trees import every


def is_uneven(stage: Points, demand: Demand) -> bool:
    """Whether the extent of a loop inside follows from the member around, other than by what is left for the last
    one.
    """
    members = {bound.axis.point for bound in stage.axes if bound.axis.point is not None}
    steps = {bound.axis.step for bound in stage.axes}
    extents = {extent for inner in every(stage.body) for extent in _extents(inner)}
    named = [value for extent in extents if not _is_rest(extent, steps) for value in _values(extent, demand)]
    return any(_follows(value, members, demand) for value in named)


def _extents(stage: Stage) -> Iterator[IntExpr]:
    match stage:
        case Points():
            yield from (bound.axis.extent for bound in stage.axes)
        case Fold():
            yield from (axis.extent for axis in (*stage.axes, *stage.over))
        case Product():
            yield from (axis.extent for axis in (stage.rows, stage.columns, stage.depth))
        case Loop(op=For() as op):
            yield op.domain.domain.extent
        case _:
            return


def _is_rest(extent: IntExpr, steps: set[IntExpr]) -> bool:
    """`min(step, N - member)`."""
    operation = extent.as_operation
    return operation is not None and operation.kind == "min" and operation.lhs in steps


def _follows(value: Value, members: set[Value], demand: Demand) -> bool:
    """Whether a scalar is computed from a member without reading memory."""
    pending, seen = [value], set[Value]()
    while pending:
        value = pending.pop()
        if value in members:
            return True
        op = demand.producers.get(value)
        if value not in seen and isinstance(op, Pointwise | Cast | Dim):
            seen.add(value)
            pending += _values(op.expression, demand) if isinstance(op, Dim) else operands(op)
    return False


def _values(extent: IntExpr, demand: Demand) -> list[Value]:
    """The scalars of the kernel that an extent mentions."""
    return [demand.by_serial[symbol.serial] for symbol in symbols(extent) if symbol.serial]
