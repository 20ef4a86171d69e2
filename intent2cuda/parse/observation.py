"""Where the text of a helper depends on how an axis is cut: the extent of its slices, or a position in one, as a value.

Extents of slices may stand in shapes, and both may pick an element of a tensor; neither may become anything else.
"""

from __future__ import annotations

from collections.abc import Iterator

from intent2cuda.base.intexpr import IntExpr, symbols
from intent2cuda.base.span import Span
from intent2cuda.ir.kernel import walk
from intent2cuda.ir.op import Op, Region, operands
from intent2cuda.ir.ops import ArgReduce, Dim, Gather
from intent2cuda.ir.value import Value

EXTENT = "the extent of a slice"
POSITION = "a position in a slice"


def observations(region: Region) -> Iterator[tuple[Op, str]]:
    """The first op of each statement that uses an extent or a position as a value, with what it uses.

    The extent of the slices is the first argument of the region.
    """
    extent = region.args[0]
    relative: dict[Value, str] = {extent: EXTENT}
    seen: set[Span | None] = set()
    for op in walk(region):
        used = next((relative[value] for value in _as_values(op) if value in relative), "")
        if used and op.statement not in seen:
            seen.add(op.statement)
            yield op, used
        match op:
            case Dim(expression=expression, result=result):
                relative.update((result, what) for known, what in [*relative.items()] if mentions(expression, known))
            case ArgReduce(source=source, axis=axis, results=(_, position)):
                if mentions(source.tensor.shape[axis], extent):
                    relative[position] = POSITION
            case _:
                pass


def mentions(expression: IntExpr, scalar: Value) -> bool:
    """Whether an expression depends on a scalar."""
    return any(symbol.serial == scalar.serial for symbol in symbols(expression))


def _as_values(op: Op) -> tuple[Value, ...]:
    """The operands of an op but for those that only say which element of a tensor is read."""
    if isinstance(op, Gather):
        return tuple(value for value in (op.source, op.valid, op.fill) if value is not None)
    return operands(op)
