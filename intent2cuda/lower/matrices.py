"""Memory as matrices of the runtime: `intent::matrix<0, 1>(a)`, or a pointer and two strides."""

from __future__ import annotations

from intent2cuda.base.intexpr import IntExpr, Symbol, symbols
from intent2cuda.ir.value import Value
from intent2cuda.lower import ask
from intent2cuda.lower.coordinates import linear_index
from intent2cuda.lower.places import Place, Slope, slope
from intent2cuda.lower.writer import Writer
from intent2cuda.machine.expressions import (
    Apply,
    Binary,
    Call,
    Construct,
    Expression,
    Integer,
    Method,
    Name,
    Subscript,
    Unary,
)
from intent2cuda.plan.stage import Axis, Space

_ZERO, _ONE = IntExpr.of(0), IntExpr.of(1)


def matrix(writer: Writer, place: Place, rows: Axis, columns: Axis) -> Expression | None:
    """The matrix along two axes, or None when the elements do not lie along two strides.

    Written for the block around the current one, which knows neither of the two variables.
    """
    row, column = writer.axis_symbol(rows), writer.axis_symbol(columns)
    if any(_is_inner(writer, symbol) for c in place.at for symbol in symbols(c) if symbol not in (row, column)):
        return None
    if isinstance(place.home, Value):
        return _of_view(writer, place.home, [slope(c, row, column) for c in place.at])
    return _of_buffer(writer, place, row, column)


def _is_inner(writer: Writer, symbol: Symbol) -> bool:
    """Whether a symbol changes inside the current block: one of its variables, or an index read at one of them."""
    if symbol in writer.opaque:
        _, at = writer.opaque[symbol]
        return any(_is_inner(writer, inner) for c in at for inner in symbols(c))
    bound = writer.blocks.symbols.get(symbol)
    return bound is not None and bound.depth >= writer.blocks.current.depth


def _of_view(writer: Writer, view: Value, slopes: list[Slope | None]) -> Expression | None:
    known = [s for s in slopes if s is not None]
    if len(known) != len(slopes) or any(c.constant is None for s in known for c in (s.row, s.column)):
        return None
    name = Name(writer.parameters[view])
    along_rows = [axis for axis, s in enumerate(known) if s.row.constant]
    along_columns = [axis for axis, s in enumerate(known) if s.column.constant]
    moving = [known[axis] for axis in {*along_rows, *along_columns}]
    plain = all(s.base == _ZERO and {s.row, s.column} == {_ZERO, _ONE} for s in moving)
    if plain and len(along_rows) == len(along_columns) == 1:
        others = [
            ask.integer(writer, s.base) for axis, s in enumerate(known) if axis not in (*along_rows, *along_columns)
        ]
        return Call("intent::matrix", (name, *others), (str(along_rows[0]), str(along_columns[0])))
    first = Unary("&", Apply(name, tuple(ask.integer(writer, s.base) for s in known)))
    strides = [_stride(name, [(axis, s.row) for axis, s in enumerate(known)])]
    strides.append(_stride(name, [(axis, s.column) for axis, s in enumerate(known)]))
    return Construct("intent::Matrix", (first, *strides))


def _stride(view: Name, factors: list[tuple[int, IntExpr]]) -> Expression:
    """The sum of the strides of the axes that a variable moves along."""
    total: Expression = Integer(0)
    for axis, factor in factors:
        times = factor.constant or 0
        if not times:
            continue
        stride: Expression = Method(view, "stride", (Integer(axis),))
        stride = stride if times == 1 else Binary("*", Integer(times), stride)
        total = stride if total == Integer(0) else Binary("+", total, stride)
    return total


def _of_buffer(writer: Writer, place: Place, row: Symbol, column: Symbol) -> Expression | None:
    assert not isinstance(place.home, Value)
    buffer = place.home
    found = slope(linear_index(buffer.extents, place.at), row, column)
    if found is None:
        return None
    base: Expression = Name(writer.buffer_names[buffer.id])
    if buffer.space in (Space.LOCAL, Space.SHARED) and buffer.id not in writer.moving:
        for _ in buffer.extents:
            base = Subscript(base, Integer(0))
        base = Unary("&", base)
    if found.base != _ZERO:
        base = Binary("+", base, ask.integer(writer, found.base))
    return Construct("intent::Matrix", (base, ask.integer(writer, found.row), ask.integer(writer, found.column)))
