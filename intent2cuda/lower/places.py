"""Values that lie in memory as they are: a matrix operand is passed where it is, not copied."""

from __future__ import annotations

from dataclasses import dataclass

from intent2cuda.base.intexpr import IntExpr, Operation, Symbol, substitute, symbols
from intent2cuda.ir.ops import Broadcast, Cast, Gather, Load, Reshape, Transpose
from intent2cuda.ir.value import Value
from intent2cuda.lower import coordinates
from intent2cuda.lower.coordinates import Coordinates
from intent2cuda.lower.elements import Elements
from intent2cuda.lower.writer import Writer
from intent2cuda.plan.stage import Buffer
from intent2cuda.types.dtype import DType
from intent2cuda.types.value_type import BufferType


@dataclass(frozen=True)
class Place:
    """Element coordinates `at` of a view, or of a buffer's own axes."""

    home: Value | Buffer
    at: Coordinates


@dataclass(frozen=True)
class Slope:
    """How a coordinate moves with two variables: `base + row * rows + column * columns`."""

    base: IntExpr
    row: IntExpr
    column: IntExpr


def place_of(writer: Writer, elements: Elements, value: Value, at: Coordinates, wide: DType) -> Place | None:
    """Where an element lies, or None when it has to be computed. Lossless conversions to `wide` do not count."""
    if writer.blocks.local((value, at)) is not None:
        return None
    if (buffer := writer.buffer_of(value)) is not None:
        return Place(buffer, tuple(at[i] for i in buffer.kept))
    op = writer.definitions.op(value)
    match op:
        case Load(valid=None):
            where = coordinates.of_terms(op.terms, at, elements.scalar, elements.lane)
            if isinstance(op.resource.type, BufferType):
                home = writer.buffer_of(op.resource)
                return Place(home, where) if home is not None else None
            return Place(op.resource, where)
        case Cast():
            lossless = widens(op.source.tensor.dtype, wide) and value.tensor.dtype == wide
            return place_of(writer, elements, op.source, at, wide) if lossless else None
        case Gather(valid=None):
            where = coordinates.of_terms(op.terms, at, elements.scalar, elements.lane)
            return place_of(writer, elements, op.source, where, wide)
        case Transpose():
            return place_of(writer, elements, op.source, coordinates.of_transpose(op, at), wide)
        case Broadcast(guarded=()):
            where = coordinates.of_broadcast(op, at, lambda _source, _result: IntExpr.of(1))
            return place_of(writer, elements, op.source, where, wide)
        case Reshape():
            shapes = op.result.tensor.shape, op.source.tensor.shape
            return place_of(writer, elements, op.source, coordinates.of_reshape(*shapes, at), wide)
        case _:
            return None


def widens(source: DType, target: DType) -> bool:
    """Whether every value of one type is a value of the other, and a product routine converts it by itself."""
    if source == target:
        return True
    if source.is_float:
        return target.is_float and target.bits > source.bits
    digits = (
        {32: 24, 64: 53}.get(target.bits, 0) if target.is_float else target.bits - (source.is_signed < target.is_signed)
    )
    return source.is_integer and (source.is_signed <= target.is_signed or target.is_float) and digits >= source.bits


def slope(expression: IntExpr, row: Symbol, column: Symbol) -> Slope | None:
    """The expression as a linear one of two variables, or None when it is none."""
    parts = {row: IntExpr.of(0), column: IntExpr.of(0)}
    for monomial, coefficient in expression.terms:
        moving = [atom for atom in monomial if atom in parts]
        if any(isinstance(a, Operation) and _mentions(a, (row, column)) for a in monomial) or len(moving) > 1:
            return None
        if moving:
            rest = list(monomial)
            rest.remove(moving[0])
            symbol = moving[0]
            assert isinstance(symbol, Symbol)
            parts[symbol] = parts[symbol] + IntExpr(((tuple(rest), coefficient),))
    nothing = {row: IntExpr.of(0), column: IntExpr.of(0)}
    return Slope(substitute(expression, nothing), parts[row], parts[column])


def _mentions(operation: Operation, variables: tuple[Symbol, ...]) -> bool:
    return any(s in variables for side in (operation.lhs, operation.rhs) for s in symbols(side))
