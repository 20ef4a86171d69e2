"""Copies of kernels with some values replaced: what all passes are made of.

A value that stands for another one must also stand for it in extents, so types and index terms are rewritten too; a
value whose type changes becomes a new value of the same serial and name.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar, cast

from intent2cuda.base.intexpr import IntExpr, Symbol, substitute
from intent2cuda.base.span import Span
from intent2cuda.ir.kernel import Kernel, walk
from intent2cuda.ir.op import Op, Region, own_fields, regions, results
from intent2cuda.ir.terms import Term
from intent2cuda.ir.value import Value
from intent2cuda.types.value_type import BufferType, DomainType, TensorType, ValueType, ViewType

OpT = TypeVar("OpT", bound=Op)


class Copy:
    """Rebuilds ops while `stand_in` has been told which values replace which."""

    def __init__(self) -> None:
        self._values: dict[Value, Value] = {}
        self._symbols: dict[Symbol, IntExpr] = {}

    def stand_in(self, old: Value, new: Value) -> None:
        """From here on `new` takes the place of `old`, in operands and in extents."""
        self._values[old] = new
        if isinstance(old.type, TensorType) and not old.type.shape and old.type.dtype.is_integer:
            self._symbols[Symbol(old.name, old.serial)] = new.as_symbol

    def replace_symbol(self, old: Symbol, new: IntExpr) -> None:
        """From here on the expression takes the place of the symbol in extents."""
        self._symbols[old] = new

    def adopt(self, other: Copy) -> None:
        """Begins with what another copy has been told."""
        self._values |= other._values
        self._symbols |= other._symbols

    def value(self, value: Value) -> Value:
        return self._values.get(value, value)

    def expression(self, expression: IntExpr) -> IntExpr:
        return substitute(expression, self._symbols) if self._symbols else expression

    def define(self, value: Value) -> Value:
        """The value as it is defined in the copy."""
        value_type = self.type_of(value)
        if value_type == value.type:
            return value
        self._values[value] = copied = replace(value, type=value_type)
        return copied

    def op(self, op: OpT, body: Callable[[Region], Region] | None = None) -> OpT:
        """The op with operands, extents and results of the copy; its regions through `body`, if there is one."""
        changed: dict[str, Any] = {}
        for name in own_fields(type(op)):
            found = getattr(op, name)
            if isinstance(found, Region):
                changed[name] = body(found) if body is not None else found
            else:
                changed[name] = self._part(found)
        single = getattr(op, "result", None)
        several = getattr(op, "results", None)
        if single is not None:
            changed["result"] = self.define(cast(Value, single))
        if several is not None:
            changed["results"] = tuple(self.define(value) for value in cast(tuple[Value, ...], several))
        return replace(op, **changed)

    def term(self, term: Term) -> Term:
        return cast(Term, self._part(term))

    def arguments(self, region: Region) -> tuple[Value, ...]:
        return tuple(self.define(argument) for argument in region.args)

    def _part(self, item: Any) -> Any:
        if isinstance(item, Value):
            return self.value(item)
        if isinstance(item, IntExpr):
            return self.expression(item)
        if isinstance(item, tuple):
            return tuple(self._part(part) for part in cast(tuple[object, ...], item))
        if is_dataclass(item) and not isinstance(item, Region | Span | type):
            return replace(item, **{f.name: self._part(getattr(item, f.name)) for f in fields(item)})
        return item

    def type_of(self, value: Value) -> ValueType:
        """The type of a value, with extents as they are in the copy."""
        value_type = value.type
        if not self._symbols:
            return value_type
        match value_type:
            case TensorType() | ViewType() | BufferType():
                return replace(value_type, shape=tuple(map(self.expression, value_type.shape)))
            case DomainType():
                bounds = map(self.expression, (value_type.begin, value_type.extent, value_type.step))
                return DomainType(*bounds)


def with_regions(op: OpT, change: Callable[[Region], Region]) -> OpT:
    """The op with its regions changed."""
    inner = {f.name: region for f in fields(op) if isinstance(region := getattr(op, f.name), Region)}
    return replace(op, **{name: change(region) for name, region in inner.items()}) if inner else op


def named_as(kept: Value, dropped: Value) -> Value:
    """The value that is kept, under the name of the one that is dropped if it has none."""
    if not kept.name and dropped.name:
        object.__setattr__(kept, "name", dropped.name)
    return kept


def next_serial(kernel: Kernel) -> int:
    """A serial that no value of the kernel has."""
    values = [*kernel.parameters]
    for op in walk(kernel.body):
        values += [*results(op), *(argument for region in regions(op) for argument in region.args)]
    return max((value.serial for value in values), default=0) + 1
