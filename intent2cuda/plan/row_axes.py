"""Rows that are independent of each other beside an axis that is cut into slices, as the queries of attention are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from intent2cuda.base.intexpr import IntExpr
from intent2cuda.ir.kernel import Kernel, walk
from intent2cuda.ir.op import Op, Region, operands, regions, results
from intent2cuda.ir.ops import (
    Allocate,
    ArgReduce,
    AssumeInBounds,
    Bitcast,
    Broadcast,
    Cast,
    Constant,
    Contract,
    Dim,
    Gather,
    Indices,
    Load,
    Parallel,
    Pointwise,
    Reduce,
    RegionFold,
    RegionScan,
    Store,
    Transpose,
    Yield,
)
from intent2cuda.ir.terms import Lanes, Term
from intent2cuda.ir.value import Value
from intent2cuda.plan.axes import AxisClasses, reads_whole, selection_axes
from intent2cuda.plan.effects import EFFECTS
from intent2cuda.rewrite.expansion import in_one_piece


@dataclass(frozen=True)
class Rows:
    """Rows along one class of axes, as the operation over slices has them: an axis of a value of its identity.

    `ops`: what is done block by block, in the order of the text; some of it may stand outside of the body that is cut.
    """

    axis_class: int
    op: RegionFold | RegionScan
    value: Value
    axis: int
    ops: tuple[Op, ...] = ()

    @property
    def extent(self) -> IntExpr:
        return self.value.tensor.shape[self.axis]


class RowAxes:
    """`rows`: what is cut in each body of a kernel, at most one class of axes."""

    def __init__(self, kernel: Kernel) -> None:
        self.rows: dict[Region, Rows] = {}
        if any(isinstance(op, RegionFold | RegionScan) for op in walk(kernel.body)):
            self.classes = AxisClasses(kernel)
            self._written = {getattr(op, "resource", None) for op in walk(kernel.body) if isinstance(op, EFFECTS)}
            self._producers = {value: op for op in walk(kernel.body) for value in results(op)}
            self._body(kernel.body)

    def _body(self, region: Region) -> None:
        rows = next(self._candidates(region), None)
        if rows is not None:
            self.rows[region] = rows
            return
        for op in region.ops:
            if isinstance(op, Parallel):
                self._body(op.body)

    def _candidates(self, region: Region) -> Iterator[Rows]:
        """The axes along which the body may be cut, best first: rows that slices do not have, but what is made of
        slices has.
        """
        for op in region.ops:
            if not isinstance(op, RegionFold | RegionScan) or in_one_piece(op):
                continue
            sliced = {c for source in op.sources for c in self.classes.every(source)}
            for value in op.identity:
                for axis, axis_class in enumerate(self.classes.every(value)):
                    if axis_class not in sliced:
                        rows = self._legal(region, Rows(axis_class, op, value, axis))
                        if rows is not None:
                            yield rows

    def _legal(self, region: Region, rows: Rows) -> Rows | None:
        """The rows with what is done block by block, if everything that has rows works row by row and everything else
        may be done before it.
        """
        inside = self._with_rows(region.ops, rows)
        others = [op for op in region.ops if op not in inside]
        outside = self._from_outside(inside, rows)
        written = {op.resource for op in inside if isinstance(op, Store)}
        read = {op.resource for op in walk(region) if isinstance(op, Load)}
        if written & read or not all(map(_unseen, others)) or any(self._changes(op) for op in outside):
            return None
        every = (*outside, *inside)
        return replace(rows, ops=every) if all(_RowByRow(self.classes, rows).op(op) for op in every) else None

    def _changes(self, op: Op) -> bool:
        """Whether it may make a difference to an op how late it is done."""
        return isinstance(op, Load) and op.resource in self._written

    def _with_rows(self, ops: Sequence[Op], rows: Rows) -> list[Op]:
        """The ops that have rows, and those that read what they give."""
        found: list[Op] = []
        given: set[Value] = set()
        for op in ops:
            values = set(_values(op))
            if given & values or any(rows.axis_class in self.classes.every(value) for value in values):
                found.append(op)
                given.update(results(op))
        return found

    def _from_outside(self, ops: Sequence[Op], rows: Rows) -> list[Op]:
        """What makes the values with rows that the ops read and none of them makes, in the order of the text."""
        found: dict[Op, None] = {}
        made = {value for op in ops for inner in _every(op) for value in (*results(inner), *_arguments(inner))}

        def ask(op: Op) -> None:
            for value in _values(op):
                if value not in made and rows.axis_class in self.classes.every(value):
                    made.add(value)
                    ask(self._producers[value])
                    found[self._producers[value]] = None

        for op in ops:
            ask(op)
        return list(found)


def _every(op: Op) -> Iterator[Op]:
    yield op
    for region in regions(op):
        yield from walk(region)


def _arguments(op: Op) -> Iterator[Value]:
    for region in regions(op):
        yield from region.args


def _values(op: Op) -> Iterator[Value]:
    """What an op and the ops inside it read and define."""
    for inner in _every(op):
        yield from (*operands(inner), *results(inner), *_arguments(inner))


def _unseen(op: Op) -> bool:
    """Whether it makes no difference to others how early an op is done."""
    return not any(isinstance(inner, (*EFFECTS, Parallel, Allocate, AssumeInBounds)) for inner in _every(op))


@dataclass(frozen=True)
class _RowByRow:
    """Whether an op computes each row from that row alone, and reads and writes memory at that row only."""

    classes: AxisClasses
    rows: Rows

    def op(self, op: Op) -> bool:
        return all(self.rule(inner) and all(map(self.once, _values(inner))) for inner in _every(op))

    def rule(self, op: Op) -> bool:
        match op:
            case Constant() | Dim() | Pointwise() | Cast() | Bitcast() | Transpose() | Yield():
                return True
            case Indices():
                return op.domain.domain.begin.constant == 0 and op.domain.domain.step.constant == 1
            case Broadcast():
                return all(
                    source is None
                    or op.source.tensor.shape[source].constant == 1
                    or self.of(op.source, source) == self.of(op.result, axis)
                    for axis, source in enumerate(op.axes)
                )
            case Reduce():
                return not any(self.of(op.source, axis) for axis in op.axes)
            case ArgReduce():
                return not self.of(op.source, op.axis)
            case Contract():
                return not any(self.of(op.lhs, left) for left, _ in op.reduce)
            case RegionFold() | RegionScan():
                return not any(self.of(source, op.axis) for source in op.sources)
            case Load():
                return self.selects(op.terms, op.result, op.resource.resource.shape)
            case Store():
                return self.has(op.value) and self.selects(op.terms, op.value, op.resource.resource.shape)
            case Gather():
                return self.gathers(op)
            case _:
                return False

    def selects(self, terms: tuple[Term, ...], over: Value, shape: tuple[IntExpr, ...]) -> bool:
        """Whether rows are whole axes of the memory."""
        return all(
            reads_whole(term, extent)
            for term, axes, extent in zip(terms, selection_axes(terms), shape, strict=True)
            if any(self.of(over, axis) for axis in axes)
        )

    def gathers(self, op: Gather) -> bool:
        """Whether rows stay rows, and rows of the source are not chosen from."""
        for axis, (term, axes) in enumerate(zip(op.terms, selection_axes(op.terms), strict=True)):
            whole = reads_whole(term, op.source.tensor.shape[axis])
            if self.of(op.source, axis) and not whole:
                return False
            if not whole and not isinstance(term, Lanes) and any(self.of(op.result, a) for a in axes):
                return False
        return True

    def of(self, value: Value, axis: int) -> bool:
        return self.classes.of(value, axis) == self.rows.axis_class

    def has(self, value: Value) -> bool:
        return self.rows.axis_class in self.classes.every(value)

    def once(self, value: Value) -> bool:
        """Whether the value has no rows, or one axis of all of them."""
        classes = self.classes.every(value)
        shape = value.tensor.shape if classes else ()
        extents = [e for c, e in zip(classes, shape, strict=True) if c == self.rows.axis_class]
        return extents in ([], [self.rows.extent])
