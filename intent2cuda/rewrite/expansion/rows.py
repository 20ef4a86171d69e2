"""A region of elements, written for rows: each op does for all places of a row what it does for one element."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

from intent2cuda.base.intexpr import IntExpr
from intent2cuda.ir.builder import Builder
from intent2cuda.ir.op import Region, operands
from intent2cuda.ir.ops import Bitcast, Cast, Constant, Pointwise, Yield
from intent2cuda.ir.value import Value
from intent2cuda.rewrite.copying import Copy, OpT
from intent2cuda.rewrite.expansion.instance import Instance
from intent2cuda.types.value_type import TensorType, ValueType


def is_for_rows(region: Region) -> bool:
    """Whether a region of elements has a form for rows."""
    return all(isinstance(op, Pointwise | Cast | Bitcast | Constant | Yield) for op in region.ops)


def row_of(builder: Builder, value: Value, shape: Sequence[IntExpr]) -> Value:
    """A row as it is, or one with the same element everywhere."""
    return value if value.tensor.shape else builder.broadcast(value, (None,), shape)


def written_for_rows(builder: Builder, outer: Copy, region: Region, given: Sequence[Value]) -> tuple[Value, ...]:
    """Emits the ops of a region of elements for the given rows, and returns the rows that it yields."""
    shape = given[0].tensor.shape
    instance = _ForRows(outer, builder, shape)
    for argument, row in zip(region.args, given, strict=True):
        instance.stand_in(argument, row)
    *ops, last = region.ops
    assert isinstance(last, Yield)
    for op in ops:
        builder.emit(instance.op(op))
    return tuple(row_of(builder, instance.value(value), shape) for value in last.values)


class _ForRows(Instance):
    """A copy in which what is made of rows is a row; what is the same at all places stays a scalar."""

    def __init__(self, outer: Copy, builder: Builder, shape: tuple[IntExpr, ...]) -> None:
        super().__init__(outer, builder)
        self._shape = shape
        self._makes_row = False

    def op(self, op: OpT, body: Callable[[Region], Region] | None = None) -> OpT:
        self._makes_row = any(super(_ForRows, self).value(operand).tensor.shape for operand in operands(op))
        made = super().op(op, body)
        self._makes_row = False
        return made

    def value(self, value: Value) -> Value:
        found = super().value(value)
        return row_of(self._builder, found, self._shape) if self._makes_row else found

    def type_of(self, value: Value) -> ValueType:
        found = super().type_of(value)
        return TensorType(cast(TensorType, found).dtype, self._shape) if self._makes_row else found
