"""How an element of a buffer is written."""

from __future__ import annotations

from intent2cuda.base.intexpr import IntExpr
from intent2cuda.ir.value import Value
from intent2cuda.lower.access import Access
from intent2cuda.lower.coordinates import Coordinates, linear_index
from intent2cuda.lower.writer import Writer
from intent2cuda.machine.expressions import Expression
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
    return access.linear(name, linear_index(buffer.extents, at))
