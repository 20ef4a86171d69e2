"""What a region reads from around it."""

from __future__ import annotations

from collections.abc import Iterable

from intent2cuda.base.intexpr import IntExpr, symbols
from intent2cuda.ir.op import Region, operands, regions, results
from intent2cuda.ir.value import Value
from intent2cuda.ir.verify import attributes, extents
from intent2cuda.types.value_type import DomainType


def captured(region: Region) -> frozenset[int]:
    """The serials of the values from outside on which a region depends, those in extents and domains included."""
    inside: set[int] = set()
    used: set[int] = set()

    def use(expressions: Iterable[IntExpr]) -> None:
        used.update(symbol.serial for expression in expressions for symbol in symbols(expression) if symbol.serial)

    def define(values: Iterable[Value]) -> None:
        for value in values:
            inside.add(value.serial)
            use(extents(value.type))

    def visit(part: Region) -> None:
        define(part.args)
        for op in part.ops:
            for operand in operands(op):
                use(extents(operand.type))
                if not isinstance(operand.type, DomainType):
                    used.add(operand.serial)
            use(attributes(op))
            define(results(op))
            for inner in regions(op):
                visit(inner)

    visit(region)
    return frozenset(used - inside)
