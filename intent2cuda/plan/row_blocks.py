"""Rows in blocks: where slices of an axis meet rows that are independent of each other (the queries of attention), a
parallel loop over blocks of rows goes around everything that is done for the rows.

Before:                                      After:
    %query: f32[Q, D] = load %q[:, :]            parallel domain[0, Q, r] body(%row) {
    %seen: f32[Q, E] = region_fold ...             %query: f32[min(r, Q - %row), D] = load %q[%row .., :]
    store %out[:, :], %seen                        %seen: f32[min(r, Q - %row), E] = region_fold ...
                                                   store %out[%row .., :], %seen
                                                 }

What an operation over slices keeps for its rows then stays small, and the blocks are work for threads and for blocks of
a grid.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from intent2cuda.base.intexpr import IntExpr, minimum
from intent2cuda.ir.builder import Builder
from intent2cuda.ir.kernel import Kernel
from intent2cuda.ir.op import Op, Region
from intent2cuda.ir.ops import (
    ArgReduce,
    Contract,
    For,
    Gather,
    If,
    Indices,
    Load,
    Parallel,
    Reduce,
    RegionFold,
    RegionScan,
    Store,
    While,
    Yield,
)
from intent2cuda.ir.terms import Slice, Term, Whole
from intent2cuda.ir.value import Value
from intent2cuda.plan.axes import AxisClasses, gives_axis, selection_axes
from intent2cuda.plan.row_axes import RowAxes, Rows
from intent2cuda.rewrite.copying import Copy, OpT, next_serial
from intent2cuda.rewrite.expansion.instance import Instance
from intent2cuda.types.dtype import INDEX
from intent2cuda.types.value_type import TensorType, ValueType, scalar

ROWS_OF_BLOCK = "rows of a block"
COSTLY = (Reduce, ArgReduce, Contract, RegionFold, RegionScan, For, While, If)
"""What is not done again for each block."""


def in_row_blocks(kernel: Kernel, members: int | Value) -> Kernel:
    """The kernel with blocks of so many rows around each operation over slices whose rows are independent; the same
    kernel where there is none.
    """
    found = RowAxes(kernel)
    return replace(kernel, body=_Cutting(kernel, found, members).body(kernel.body)) if found.rows else kernel


class _Cutting:
    def __init__(self, kernel: Kernel, found: RowAxes, members: int | Value) -> None:
        self._builder = Builder(kernel.name, next_serial(kernel))
        self._found = found
        self._members = members

    def body(self, region: Region) -> Region:
        rows = self._found.rows.get(region)
        if rows is None:
            ops = (new for op in region.ops for new in (self._parallel(op) if isinstance(op, Parallel) else (op,)))
            return replace(region, ops=tuple(ops))

        def loop() -> None:
            domain, first, part = self._loop(rows)
            body = self._builder.collect(lambda: self._block(rows, first, part))
            self._builder.emit(Parallel((domain,), Region((first,), body)))

        ends = (op for op in region.ops if isinstance(op, Yield))
        return replace(region, ops=(*_before(region, rows), *self._builder.collect(loop), *ends))

    def _parallel(self, op: Parallel) -> tuple[Op, ...]:
        """A loop whose body is cut runs over the blocks as well, unless it does more than once what is no row's."""
        rows = self._found.rows.get(op.body)
        if rows is None or any(isinstance(inner, COSTLY) for inner in _before(op.body, rows)):
            return (replace(op, body=self.body(op.body)),)

        def loop() -> None:
            domain, first, part = self._loop(rows)
            block = self._builder.collect(lambda: self._block(rows, first, part))
            body = Region((*op.body.args, first), (*_before(op.body, rows), *block))
            self._builder.emit(replace(op, domains=(*op.domains, domain), body=body))

        return self._builder.collect(loop)

    def _loop(self, rows: Rows) -> tuple[Value, Value, IntExpr]:
        """The domain of the blocks, the first row of one, and how many rows it has."""
        builder, members = self._builder, self._members
        builder.place = rows.op
        step = builder.constant(members, meaning=ROWS_OF_BLOCK) if isinstance(members, int) else members
        number = builder.expression(step)
        domain = builder.domain(builder.constant(0), builder.dim(rows.extent), step)
        builder.place = None
        first = builder.fresh(scalar(INDEX), "row")
        exact = (rows.extent % number).constant == 0
        return domain, first, number if exact else minimum(number, rows.extent - first.as_symbol)

    def _block(self, rows: Rows, first: Value, part: IntExpr) -> None:
        builder = self._builder
        members = builder.domain(first, builder.dim(first.as_symbol + part))
        block = _Block(builder, self._found.classes, rows, Slice(first, part), members)
        for op in rows.ops:
            builder.emit(block.op(op, block.body))
        builder.emit(Yield(()))


class _Block(Instance):
    """A copy whose row axes have the extent of a block, and whose accesses to memory begin at its first row."""

    def __init__(self, builder: Builder, classes: AxisClasses, rows: Rows, place: Slice, members: Value) -> None:
        super().__init__(Copy(), builder)
        self._classes, self._rows, self._place, self._members = classes, rows, place, members

    def type_of(self, value: Value) -> ValueType:
        kind = super().type_of(value)
        if not isinstance(kind, TensorType):
            return kind
        classes = self._classes.every(value)
        shape = (
            self._place.extent if c == self._rows.axis_class else e for c, e in zip(classes, kind.shape, strict=True)
        )
        return replace(kind, shape=tuple(shape))

    def op(self, op: OpT, body: Callable[[Region], Region] | None = None) -> OpT:
        copied = super().op(op, body)
        match op:
            case Indices() if self._rows.axis_class in self._classes.every(op.result):
                return replace(copied, domain=self._members)
            case Load():
                return replace(copied, terms=self._terms(op.terms, op.result, self._place))
            case Store():
                return replace(copied, terms=self._terms(op.terms, op.value, self._place))
            case Gather():
                return replace(copied, terms=self._terms(op.terms, op.result, Whole()))
            case _:
                return copied

    def _terms(self, terms: tuple[Term, ...], over: Value, rows: Term) -> tuple[Term, ...]:
        """The terms of the copy, with `rows` in the place of all rows."""
        classes = self._classes.every(over)
        return tuple(
            rows if gives_axis(term) and classes[axes[0]] == self._rows.axis_class else self.term(term)
            for term, axes in zip(terms, selection_axes(terms), strict=True)
        )


def _before(region: Region, rows: Rows) -> tuple[Op, ...]:
    """What a body does before it comes to its rows."""
    return tuple(op for op in region.ops if op not in rows.ops and not isinstance(op, Yield))
