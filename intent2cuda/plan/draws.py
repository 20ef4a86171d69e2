"""Random bits that the members of a loop take from consecutive counters."""

from __future__ import annotations

from dataclasses import dataclass

from intent2cuda.base.intexpr import IntExpr, substitute, symbols
from intent2cuda.ir.ops import Broadcast, Cast, Constant, Dim, Indices, Philox, Pointwise, Reshape, Transpose
from intent2cuda.ir.value import Value
from intent2cuda.plan.demand import Demand
from intent2cuda.plan.roots import roots_of, virtual_reads
from intent2cuda.plan.stage import Axis, Draw, Effect, Points
from intent2cuda.types.dtype import Kind
from intent2cuda.types.value_type import TensorType


def draw_of(stage: Points, axis: Axis, demand: Demand) -> Draw | None:
    """The first random bits that the one store of a body takes whose counters rise by one from member to member."""
    effect = stage.body[0]
    if len(stage.body) > 1 or not isinstance(effect, Effect) or axis.step.constant != 1:
        return None
    counters = _Counters(axis, demand)
    found: list[Draw] = []
    for root in roots_of(effect.op, demand.classes):
        seen = demand.seen(root)
        for value in seen.values:
            op, places = demand.producers.get(value), seen.at(value)
            if not isinstance(op, Philox) or len(places) != 1 or (value, places[0]) in seen.leaves:
                continue
            at = tuple(effect.at[token] for token in places[0] if token is not None)
            draw = counters.draw(op, at) if len(at) == len(places[0]) else None
            if draw is not None:
                found.append(draw)
    return min(found, key=lambda draw: draw.value.serial, default=None)


@dataclass(frozen=True)
class _Counters:
    """How integers change along an axis."""

    axis: Axis
    demand: Demand

    def draw(self, op: Philox, at: tuple[Axis, ...]) -> Draw | None:
        """The draw, if the element of the counter rises by one from one member to the next, modulo 2^64, and all
        members have one seed.
        """
        if self.axis.point is None:
            return Draw(op.result, at) if self._slope(op.counter, at) == 1 else None
        if self.demand.rests_on(op.seed, self.axis.point):
            return None
        return self._of_scalar(op.result, op.counter, self.axis.point)

    def _of_scalar(self, bits: Value, counter: Value, point: Value) -> Draw | None:
        """In a loop of the author's, where all that belongs to a member is made of its scalar."""
        expression, here = self._in_full(counter), point.as_symbol
        symbol = here.as_symbol
        if expression is None or symbol is None:
            return None
        following = substitute(expression, {symbol: here + IntExpr.of(1)})
        if (following - expression).constant != 1:
            return None
        return Draw(bits, (), substitute(expression, {symbol: self.axis.begin}))

    def _in_full(self, value: Value) -> IntExpr | None:
        """An integer scalar in terms of parameters, extents and variables of loops."""
        match self.demand.producers.get(value):
            case None:
                return value.as_symbol if value.tensor.dtype.kind is Kind.INDEX else None
            case Dim(expression=expression):
                known = {s: self._in_full(self.demand.by_serial[s.serial]) for s in symbols(expression) if s.serial}
                full = {s: part for s, part in known.items() if part is not None}
                return substitute(expression, full) if len(full) == len(known) else None
            case _:
                return None

    def _slope(self, value: Value, at: tuple[Axis | None, ...]) -> int | None:
        """By how much an element rises; None when that is not known."""
        op = self.demand.producers.get(value)
        match op:
            case Constant() | Dim():
                return 0
            case Indices():
                return op.domain.domain.step.constant if at[0] is self.axis else 0
            case Cast():
                return self._slope(op.source, at) if _wraps(op.source) and _wraps(op.result) else None
            case Broadcast() | Transpose():
                ((source, tokens),) = virtual_reads(op, tuple(range(len(at))))
                return self._slope(source, tuple(None if token is None else at[token] for token in tokens))
            case Reshape():
                row_by_row = op.source.tensor.rank == 1 and at and self.axis not in at[:-1]
                return self._slope(op.source, at[-1:]) if row_by_row else None
            case Pointwise():
                return self._slope_of_result(op, at)
            case None:
                return None if isinstance(value.type, TensorType) and value.tensor.shape else 0
            case _:
                return None

    def _slope_of_result(self, op: Pointwise, at: tuple[Axis | None, ...]) -> int | None:
        slopes = [self._slope(arg, at) for arg in op.args]
        known = [slope for slope in slopes if slope is not None]
        if len(known) < len(slopes) or not _wraps(op.result):
            return None
        if op.fn in ("add", "sub"):
            return known[0] + known[1] if op.fn == "add" else known[0] - known[1]
        return None if any(known) else 0


def _wraps(value: Value) -> bool:
    """Whether its elements are integers modulo 2^64: those of other widths wrap earlier, and floats round."""
    return value.tensor.dtype.is_integer and value.tensor.dtype.bits == 64
