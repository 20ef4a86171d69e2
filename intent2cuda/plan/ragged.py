"""Loops whose members have parts of different sizes, one behind the other: rows of a ragged relation."""

from __future__ import annotations

from collections.abc import Iterator

from intent2cuda.base.intexpr import IntExpr, symbols
from intent2cuda.ir.op import operands, regions
from intent2cuda.ir.ops import Cast, Load, Reduce
from intent2cuda.ir.value import Value
from intent2cuda.plan.access import access_of
from intent2cuda.plan.demand import Demand
from intent2cuda.plan.stage import Axis, Fold, Points, Stage


def offsets(stage: Points, demand: Demand) -> Value | None:
    """The scalar that says where the part of a member begins, if its body reduces such parts."""
    parts = (found for inner in stage.body if isinstance(inner, Fold) for found in _parts(inner, stage, demand))
    return next(parts, None)


def is_read(extent: IntExpr, demand: Demand) -> bool:
    """Whether a number that an extent depends on is read from memory, or computed from such a one."""
    pending = [value for symbol in symbols(extent) if (value := demand.by_serial.get(symbol.serial)) is not None]
    seen = set(pending)
    while pending:
        op = demand.producers.get(pending.pop())
        if isinstance(op, Load):
            return True
        new = [] if op is None or regions(op) else [value for value in operands(op) if value not in seen]
        pending += new
        seen.update(new)
    return False


def is_shared_part(sweep: Stage, stage: Points, demand: Demand) -> bool:
    """Whether a sweep in the body is a reduction of such a part to one element, that threads may share."""
    return (
        isinstance(sweep, Fold)
        and isinstance(sweep.op, Reduce)
        and not sweep.over
        and len(sweep.axes) == 1
        and any(_parts(sweep, stage, demand))
    )


def _parts(fold: Fold, stage: Points, demand: Demand) -> Iterator[Value]:
    around = stage.axes[0].axis
    if len(stage.axes) == 1 and around.point is not None and around.begin.constant == 0 and around.step.constant == 1:
        for axis in fold.axes:
            begin = _begin(axis, around.point, demand)
            if begin is not None:
                yield begin


def _begin(axis: Axis, point: Value, demand: Demand) -> Value | None:
    """The begin of [begin, end), where `end` is what the begin is for the next member."""
    parts = {coefficient: monomial for monomial, coefficient in axis.extent.terms}
    if len(axis.extent.terms) != 2 or parts.keys() != {1, -1} or any(len(m) != 1 for m in parts.values()):
        return None
    begin, end = (_loaded(IntExpr(((parts[sign], 1),)), demand) for sign in (-1, 1))
    if begin is None or end is None:
        return None
    (value, first), (_, following) = begin, end
    here = point.as_symbol
    one, other = (access_of(load, (), demand.producers) for load in (first, following))
    if one.resource is not other.resource or first.valid is not None or following.valid is not None:
        return None
    steps = [(a, b) for (_, a), (_, b) in zip(one.points, other.points, strict=True) if a != b]
    fixed = [a for _, a in one.points if a != here]
    moved = any(set(symbols(a)) & set(symbols(here)) for a in fixed)
    return value if steps == [(here, here + 1)] and not moved else None


def _loaded(scalar: IntExpr, demand: Demand) -> tuple[Value, Load] | None:
    """The value that an extent names, and the load of one element that it comes from."""
    value = next((demand.by_serial.get(symbol.serial) for symbol in symbols(scalar)), None)
    op = demand.producers.get(value) if value is not None else None
    while isinstance(op, Cast):
        op = demand.producers.get(op.source)
    return (value, op) if value is not None and isinstance(op, Load) else None
