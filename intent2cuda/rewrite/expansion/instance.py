"""Copies of regions with new values in place of their arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from intent2cuda.base.intexpr import IntExpr, Symbol
from intent2cuda.ir.builder import Builder
from intent2cuda.ir.op import Region
from intent2cuda.ir.ops import Yield
from intent2cuda.ir.value import Value
from intent2cuda.rewrite.copying import Copy, OpT


class Derived(Copy):
    """A copy whose ops remember the author's ops that they stand for."""

    def op(self, op: OpT, body: Callable[[Region], Region] | None = None) -> OpT:
        return replace(super().op(op, body), origin=op.author)


class Instance(Derived):
    """A copy whose values are all new, so that a region may be written out more than once."""

    def __init__(self, outer: Copy, builder: Builder) -> None:
        super().__init__()
        self.adopt(outer)
        self._builder = builder

    def define(self, value: Value) -> Value:
        fresh = self._builder.fresh(self.type_of(value), value.name)
        self.stand_in(value, fresh)
        return fresh

    def extent(self, argument: Value, extent: IntExpr) -> None:
        """Puts an expression in the place of the extent that an argument stands for."""
        self.replace_symbol(Symbol(argument.name, argument.serial), extent)

    def body(self, region: Region) -> Region:
        arguments = self.arguments(region)
        return Region(arguments, tuple(self.op(op, self.body) for op in region.ops))


def written(
    builder: Builder, outer: Copy, region: Region, given: Sequence[Value], extent: IntExpr | None = None
) -> tuple[Value, ...]:
    """Emits the ops of a region for the given arguments, and returns what it yields.

    extent: that of the slices, for a region whose first argument stands for it.
    """
    instance = Instance(outer, builder)
    arguments = region.args
    if extent is not None:
        instance.extent(arguments[0], extent)
        arguments = arguments[1:]
    for argument, value in zip(arguments, given, strict=True):
        instance.stand_in(argument, value)
    *ops, last = region.ops
    assert isinstance(last, Yield)
    for op in ops:
        builder.emit(instance.op(op, instance.body))
    return tuple(instance.value(value) for value in last.values)
