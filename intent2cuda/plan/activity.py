"""Which elements of values matter, as far as masks on coordinates say so.

An element does not matter where a select on coordinates takes its other side, where a masked store leaves it out, or
where a fill makes it a member that changes no sum, maximum or product. What crosses into a loop or a branch matters
everywhere, so does what positions an access, what a gather reads from, and what an operation with regions of its own
takes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce

from intent2cuda.analysis import expressions as ex
from intent2cuda.analysis.composition import reshape_map, under
from intent2cuda.analysis.expressions import Comparison, Condition, Connective, condition_parts, coordinate
from intent2cuda.analysis.limits import axis_symbol
from intent2cuda.analysis.relations import Relations
from intent2cuda.analysis.structure import is_segment_begin
from intent2cuda.base.intexpr import IntExpr, symbols
from intent2cuda.ir.constants import neutral
from intent2cuda.ir.kernel import Kernel
from intent2cuda.ir.op import Op, Region, operands, regions, results
from intent2cuda.ir.ops import (
    Bitcast,
    Broadcast,
    Cast,
    Contract,
    Gather,
    Histogram,
    Inspect,
    Join,
    Load,
    Philox,
    Pointwise,
    Reduce,
    RegionFold,
    RegionScan,
    Reshape,
    Scan,
    Store,
    Transpose,
)
from intent2cuda.ir.value import Value
from intent2cuda.plan.axes import keeps_extent
from intent2cuda.plan.fills import Fills

MOST = 16
"""A condition with more comparisons is not followed: everything matters."""


class Activity:
    """Conditions on the coordinates of values; None stands for everywhere."""

    def __init__(self, kernel: Kernel, relations: Relations) -> None:
        self._relations = relations
        self._fills = Fills(relations)
        self._scopes: dict[Value, Region] = {}
        self._needs: dict[Value, Condition | None] = {}
        self._define(kernel.body, kernel.body)
        self._region(kernel.body, kernel.body)

    def needed(self, value: Value) -> Condition | None:
        """Where the elements of a value matter."""
        return self._needs.get(value)

    def accessed(self, op: Load | Gather | Store) -> Condition | None:
        """Where an access touches an element that matters."""
        valid = None if op.valid is None else self._relations.condition(op.valid)
        return valid if isinstance(op, Store) else conjunction(self.needed(op.result), valid)

    def members(self, op: Reduce | Scan) -> Condition | None:
        """Where the members of the source matter."""
        others = self._fills.without(op.source, neutral(op.combiner, op.source.tensor.dtype))
        if isinstance(op, Scan):
            return others
        kept = [axis for axis in range(op.source.tensor.rank) if axis not in op.axes]
        return conjunction(self._moved(op.result, {n: coordinate(axis) for n, axis in enumerate(kept)}), others)

    def factors(self, op: Contract) -> tuple[Condition | None, Condition | None]:
        """Where the elements of both operands are not filled with 0."""
        return self._fills.without(op.lhs, 0), self._fills.without(op.rhs, 0)

    def _define(self, region: Region, scope: Region) -> None:
        for argument in region.args:
            self._scopes[argument] = scope
        for op in region.ops:
            for value in results(op):
                self._scopes[value] = scope
            for inner in regions(op):
                self._define(inner, scope if _runs_once(op, inner) else inner)

    def _region(self, region: Region, scope: Region) -> None:
        for op in reversed(region.ops):
            for inner in regions(op):
                self._region(inner, scope if _runs_once(op, inner) else inner)
            for value, where in self._demands(op):
                self._demand(value, where, scope)

    def _demand(self, value: Value, where: Condition | None, scope: Region) -> None:
        if self._scopes.get(value) is not scope:
            where = None
        self._needs[value] = disjunction(self._needs[value], where) if value in self._needs else where

    def _demands(self, op: Op) -> Sequence[tuple[Value, Condition | None]]:
        """The operands of an op, with where it reads them."""
        match op:
            case Pointwise(fn="select", args=(condition, one, other)):
                mine, chosen = self.needed(op.result), self._relations.condition(condition)
                taken = (conjunction(mine, self._coordinates(chosen, holds)) for holds in (True, False))
                return [(condition, mine), *zip((one, other), taken, strict=True)]
            case Pointwise() | Cast() | Bitcast():
                return [(operand, self.needed(op.result)) for operand in operands(op)]
            case Inspect():
                return [(v, self.needed(op.result) if v.tensor.shape else None) for v in operands(op)]
            case Philox():
                return [(op.seed, None), (op.counter, self.needed(op.result))]
            case Broadcast():
                kept = {n: coordinate(a) for n, a in enumerate(op.axes) if a is not None and keeps_extent(op, n)}
                return [(op.source, self._moved(op.result, kept))]
            case Transpose():
                return [(op.source, self._moved(op.result, dict(enumerate(map(coordinate, op.permutation)))))]
            case Reshape():
                found = reshape_map(op.result.tensor.shape, op.source.tensor.shape)
                return [
                    (
                        op.source,
                        self._moved(op.result, {n: found[axis_symbol(n)] for n in range(op.result.tensor.rank)}),
                    )
                ]
            case Join():
                own = {n: coordinate(n) for n in range(op.lhs.tensor.rank)}
                last = op.lhs.tensor.rank
                return [
                    (side, self._moved(op.result, {**own, last: IntExpr.of(number)}))
                    for number, side in enumerate((op.lhs, op.rhs))
                ]
            case Store(valid=Value()):
                return [(v, self.accessed(op) if v is op.value else None) for v in operands(op)]
            case Reduce() | Scan():
                return [(op.source, self.members(op))]
            case Contract():
                return list(zip((op.lhs, op.rhs), self.factors(op), strict=True))
            case Histogram(valid=Value() as valid):
                return [(op.values, self._relations.condition(valid)), (valid, None)]
            case RegionFold() | RegionScan():
                return self._cut(op)
            case _:
                return [(operand, None) for operand in operands(op)]

    def _cut(self, op: RegionFold | RegionScan) -> Sequence[tuple[Value, Condition | None]]:
        """The sources matter where their slices do: one segment is the whole axis."""
        cut = (op.summarize,) if isinstance(op, RegionFold) else (op.summarize, op.emit)
        found: list[tuple[Value, Condition | None]] = []
        for region in cut:
            slices = region.args[1 : 1 + len(op.sources)]
            found += ((s, self.needed(a)) for s, a in zip(op.sources, slices, strict=True) if a in self._needs)
        asked = {value for value, _ in found}
        return [*found, *((operand, None) for operand in operands(op) if operand not in asked)]

    def _coordinates(self, condition: Condition, holds: bool) -> Condition | None:
        """What a condition says of coordinates when it is as said; None for nothing. Data decides the rest."""
        match condition:
            case Connective(fn="not", args=(inner,)):
                return self._coordinates(inner, not holds)
            case Connective(fn=fn, args=args):
                join = conjunction if (fn == "and") == holds else disjunction
                return reduce(join, (self._coordinates(part, holds) for part in args))
            case Comparison() if all(map(self._is_coordinate, condition_parts(condition))):
                return condition if holds else Connective("not", (condition,))
            case _:
                return None

    def _is_coordinate(self, expression: IntExpr) -> bool:
        """Whether an expression is of coordinates, extents, loop variables and scalars of the call alone."""
        scalars = (s for s in symbols(expression) if s.serial > 0 and not is_segment_begin(s))
        return all(self._is_given(self._relations.structure.by_serial[s.serial]) for s in scalars)

    def _is_given(self, value: Value) -> bool:
        """Whether a scalar is a parameter, a loop variable, or the extent of a slice."""
        found = self._relations.structure
        outside = value not in found.defining and value not in found.arguments
        return outside or found.loop_domain(value) is not None or found.segment_whole(value) is not None

    def _moved(self, result: Value, to: Mapping[int, IntExpr]) -> Condition | None:
        """Where a source matters whose coordinates make those of a result; everywhere if the others play a part."""
        where = self.needed(result)
        if where is None:
            return None
        mentioned = {
            axis
            for part in condition_parts(where)
            for s in symbols(part)
            if (axis := ex.coordinate_axis(s)) is not None
        }
        if not mentioned <= set(to):
            return None
        return under(where, {axis_symbol(axis): expression for axis, expression in to.items()})


def _runs_once(op: Op, region: Region) -> bool:
    """Whether a region of an op runs as often as the op, where region operations have one segment."""
    return isinstance(op, RegionFold | RegionScan) and region is not op.combine


def conjunction(one: Condition | None, other: Condition | None) -> Condition | None:
    if one is None or other is None or one == other:
        return other if one is None else one
    return _limited(Connective("and", (one, other)))


def disjunction(one: Condition | None, other: Condition | None) -> Condition | None:
    if one is None or other is None:
        return None
    return one if one == other else _limited(Connective("or", (one, other)))


def _limited(condition: Condition) -> Condition | None:
    return condition if ex.size(condition) <= MOST else None
