"""How an element of a buffer is written."""

from __future__ import annotations

from intent2cuda.base.intexpr import IntExpr
from intent2cuda.ir.value import Value
from intent2cuda.lower.access import Access
from intent2cuda.lower.coordinates import Coordinates, linear_index
from intent2cuda.lower.scalars import ctype
from intent2cuda.lower.writer import Writer
from intent2cuda.machine.expressions import Binary, Expression, Name
from intent2cuda.machine.names import derived
from intent2cuda.machine.statements import Declare
from intent2cuda.machine.types import Pointer
from intent2cuda.plan.stage import Buffer, Space
from intent2cuda.types.dtype import DType
from intent2cuda.types.value_type import BufferType, TensorType


def element_type(value: Value) -> DType:
    assert isinstance(value.type, TensorType | BufferType)
    return value.type.dtype


def element_of(writer: Writer, access: Access, buffer: Buffer, at: Coordinates) -> Expression:
    """The element at coordinates of the buffer's own axes."""
    name = writer.buffer_names[buffer.id]
    if buffer.space in (Space.LOCAL, Space.SHARED) and buffer.id not in writer.moving:
        return access.nested(name, at or (IntExpr.of(0),))
    if len(at) > 1 and access.walked_axis(at) == len(at) - 1:
        row = _row(writer, access, buffer, at[:-1])
        return access.linear(row, at[-1])
    return access.linear(name, linear_index(buffer.extents, at))


def _row(writer: Writer, access: Access, buffer: Buffer, others: Coordinates) -> str:
    """The pointer to a row of a buffer, declared where its coordinates are known and the buffer lies where it lies."""
    blocks, key = writer.blocks, (buffer.id, len(others), others)
    for block in reversed(blocks.open):
        if (found := block.lines.get(key)) is not None:
            return found
    base = writer.buffer_names[buffer.id]
    depth = max((access.depth(c) for c in others), default=0)
    if buffer.id in writer.moving:
        depth = max(depth, blocks.stage_depth())
    depth = max(depth, writer.buffer_depths[buffer.id])
    home = blocks.open[depth]
    role = base.removesuffix("_matrix").removesuffix("_block")
    name = blocks.name((derived(role, "row"), derived(role, "row_here")), home)
    start = Binary("+", Name(base), access.text(linear_index(buffer.extents, (*others, IntExpr.of(0)))))
    blocks.declare_at(Declare(Pointer(ctype(element_type(buffer.value)), False), name, start), depth)
    home.lines[key] = name
    return name
