"""How an element of a buffer is written."""

from __future__ import annotations

from intent2cuda.base.intexpr import IntExpr
from intent2cuda.ir.value import Value
from intent2cuda.lower.access import Access, line_names
from intent2cuda.lower.coordinates import Coordinates
from intent2cuda.lower.scalars import ctype
from intent2cuda.lower.shortest import shortest
from intent2cuda.lower.writer import Writer
from intent2cuda.machine.expressions import Binary, Expression, Integer, Name, Subscript
from intent2cuda.machine.statements import Declare
from intent2cuda.machine.types import Pointer
from intent2cuda.plan.stage import Buffer, Space
from intent2cuda.types.dtype import DType
from intent2cuda.types.value_type import BufferType, Shape, TensorType


def element_type(value: Value) -> DType:
    assert isinstance(value.type, TensorType | BufferType)
    return value.type.dtype


def element_of(writer: Writer, access: Access, buffer: Buffer, at: Coordinates) -> Expression:
    """The element at coordinates of the buffer's own axes."""
    name = writer.buffer_names[buffer.id]
    if buffer.space in (Space.LOCAL, Space.SHARED) and buffer.id not in writer.moving:
        return access.nested(name, at or (IntExpr.of(0),))
    if len(at) > 1 and access.walked_axis(at) == len(at) - 1:
        return Subscript(Name(_row(writer, access, buffer, at[:-1])), access.text(at[-1]))
    extents = tuple(shortest(writer.blocks, extent) for extent in buffer.extents)
    return Subscript(Name(name), row_major(access, extents, at))


def row_major(access: Access, extents: Shape, at: Coordinates) -> Expression:
    """`i * N + j`: the place of an element, written coordinate by coordinate."""
    total: Expression = Integer(0)
    for extent, coordinate in zip(extents, at, strict=True):
        if total != Integer(0):
            total = Binary("*", total, access.text(extent))
        here = access.text(coordinate)
        total = here if total == Integer(0) else total if here == Integer(0) else Binary("+", total, here)
    return total


def _row(writer: Writer, access: Access, buffer: Buffer, others: Coordinates) -> str:
    """The pointer to a row of a buffer, declared where its coordinates are known and the buffer lies where it lies."""
    blocks, key = writer.blocks, (buffer.id, len(others), others)
    for block in reversed(blocks.open):
        if (found := block.lines.get(key)) is not None:
            return found
    base = writer.buffer_names[buffer.id]
    extents = tuple(shortest(blocks, extent) for extent in buffer.extents)
    start = row_major(access, extents, (*others, IntExpr.of(0)))
    if start == Integer(0):
        return base
    depth = max((writer.buffer_depths[buffer.id], *(access.depth(c) for c in others)))
    if buffer.id in writer.moving:
        depth = max(depth, blocks.stage_depth())
    home = blocks.open[depth]
    name = blocks.name(line_names(base.removesuffix("_matrix").removesuffix("_block"), "row", others), home)
    declaration = Declare(Pointer(ctype(element_type(buffer.value)), False), name, Binary("+", Name(base), start))
    blocks.declare_at(declaration, depth)
    home.lines[key] = name
    return name
