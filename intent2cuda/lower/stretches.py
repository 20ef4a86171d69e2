"""Axes of one element that are stretched when only a call can tell."""

from __future__ import annotations

from collections.abc import Callable

from intent2cuda.base.intexpr import IntExpr, Symbol
from intent2cuda.lower.writer import Writer
from intent2cuda.machine.expressions import Binary, Conditional, Expression, Integer, Name
from intent2cuda.machine.names import derived, identifier
from intent2cuda.machine.statements import Declare
from intent2cuda.machine.types import IndexT


def step(writer: Writer, source: IntExpr, result: IntExpr, extent: Callable[[], Expression]) -> IntExpr:
    """0 where an axis of one element is stretched, 1 where the extents agree: a constant of the call.

    `extent` writes that of the source.
    """
    for symbol in writer.blocks.symbols:
        if symbol.name == f"{source}?{result}":
            return IntExpr((((symbol,), 1),))
    symbol = Symbol(f"{source}?{result}", writer.fresh_symbol("").serial)
    value = Conditional(Binary("==", extent(), Integer(1)), Integer(0), Integer(1))
    name = writer.blocks.name((derived(identifier(str(source)), "step"),), writer.blocks.open[0])
    note = "an axis of one element is read at position 0 all along"
    writer.blocks.declare_at(Declare(IndexT(), name, value, note=note), 0)
    writer.blocks.bind(symbol, Name(name), True, writer.blocks.open[0])
    return IntExpr((((symbol,), 1),))
