"""Buffers in the text: where and how they are declared."""

from __future__ import annotations

import re
from math import prod

from intent2cuda.base.diagnostics import InternalError
from intent2cuda.base.intexpr import IntExpr
from intent2cuda.ir.op import Op
from intent2cuda.ir.ops import Combiner, Contract, Load, Reduce
from intent2cuda.lower import ask
from intent2cuda.lower.buffer_access import element_type
from intent2cuda.lower.scalars import ctype
from intent2cuda.lower.writer import Writer
from intent2cuda.machine.expressions import Call, Expression, Integer, Name
from intent2cuda.machine.names import derived, identifier
from intent2cuda.machine.statements import Array, Declare, Evaluate
from intent2cuda.machine.types import Pointer
from intent2cuda.plan.stage import Buffer, Space
from intent2cuda.types.value_type import BufferType


def require(writer: Writer, buffer: Buffer, here: bool = False) -> None:
    """Declares the buffer unless it is declared. `here`: in the current block, which holds all that uses it."""
    if buffer.id in writer.buffer_names:
        return
    depth = _depth(writer, buffer, here)
    block = writer.blocks.open[depth]
    name = writer.blocks.name(names_of(writer, buffer), block, author=identifier(buffer.value.name or "_"))
    writer.buffer_names[buffer.id] = name
    writer.buffer_depths[buffer.id] = depth
    element = ctype(element_type(buffer.value))
    moves = buffer.id in writer.moving
    if buffer.space is Space.SCRATCH:
        start = _memory(writer, buffer, name)
        pointer = Declare(Pointer(element, False), name, start, const=not moves, note=buffer.reason)
        writer.blocks.declare_at(pointer, depth)
        return
    dims = tuple(Integer(_constant(e)) for e in buffer.extents) or (Integer(1),)
    shared = buffer.space is Space.SHARED
    if not moves:
        writer.blocks.declare_at(Array(element, name, dims, shared, buffer.reason), depth)
        return
    array = writer.blocks.name((derived(name, "first"), derived(name, "array")), block)
    count = Integer(prod(d.value for d in dims))
    writer.blocks.declare_at(Array(element, array, (count,), shared, buffer.reason), depth)
    writer.blocks.declare_at(Declare(Pointer(element, False), name, Name(array), const=False), depth)


def exchange(writer: Writer, one: Buffer, other: Buffer) -> None:
    """Two buffers change places: their pointers are swapped."""
    pointers = Name(writer.buffer_names[one.id]), Name(writer.buffer_names[other.id])
    writer.blocks.append(Evaluate(Call("intent::swap" if writer.cuda else "std::swap", pointers)))


def _depth(writer: Writer, buffer: Buffer, here: bool) -> int:
    match buffer.space:
        case Space.LOCAL:
            return writer.blocks.current.depth if here else _local_depth(writer, buffer)
        case Space.SHARED:
            return 0
        case Space.WORKSPACE:
            raise InternalError(f"the workspace of {buffer.name} is not laid out")
        case Space.SCRATCH:
            inside = writer.parallel_depth if writer.parallel_depth is not None and not buffer.shared_by_team else 0
            return max(ask.depth_of(writer, prod(buffer.extents, start=IntExpr.of(1))), inside)


def _local_depth(writer: Writer, buffer: Buffer) -> int:
    """Where the stage stands, outside the loops that fill the buffer member by member."""
    depth = writer.blocks.stage_depth()
    for block in writer.blocks.open[1 : depth + 1]:
        if block.nest and block.nest not in buffer.inside:
            return block.depth - 1
    return depth


def names_of(writer: Writer, buffer: Buffer) -> tuple[str, ...]:
    """The author's name for his own buffers; for kept values the name says how much of them is kept."""
    base = identifier(_base(writer, buffer))
    if isinstance(buffer.value.type, BufferType):
        return (base, derived(base, "buffer"))
    if base.endswith(("_sums", "_part", "_copy")):
        return (base, derived(base, "kept"))
    role = {0: "kept", 1: "row", 2: "matrix"}.get(len(buffer.extents), "block")
    return (base if base.endswith(f"_{role}") else derived(base, role), derived(base, "kept"))


def _base(writer: Writer, buffer: Buffer) -> str:
    """The author's name of the value; for one without a name, that of the value it goes into or is the next one of."""
    if buffer.value.name:
        return buffer.name
    if buffer.id in writer.spare_names:
        return writer.spare_names[buffer.id]
    user = writer.definitions.user_name(buffer.value)
    op = writer.definitions.op(buffer.value)
    if isinstance(op, Load):
        return derived(op.resource.name, "copy")
    return derived(user, _part(op)) if user else buffer.name


def _part(op: Op | None) -> str:
    """What a value without a name is of the one that it goes into."""
    match op:
        case Contract() | Reduce(combiner=Combiner.ADD):
            return "sums"
        case Reduce(combiner=Combiner.MAXIMUM):
            return "peak"
        case Reduce(combiner=Combiner.MINIMUM):
            return "least"
        case _:
            return "part"


def in_emitted_names(writer: Writer, sentence: str) -> str:
    """A sentence of the plan with the names that its buffers without an author's name have in the text."""
    for buffer in writer.plan.buffers:
        if buffer.id in writer.buffer_names and not buffer.value.name:
            sentence = re.sub(rf"\b{re.escape(buffer.name)}\b", writer.buffer_names[buffer.id], sentence)
    return sentence


def _constant(extent: IntExpr) -> int:
    if extent.constant is None:
        raise InternalError(f"an array of {extent} elements has no constant size")
    return max(1, extent.constant)


def _memory(writer: Writer, buffer: Buffer, name: str) -> Expression:
    count = ask.integer(writer, prod(buffer.extents, start=IntExpr.of(1)))
    return Call("intent::thread_scratch", (count,), (ctype(element_type(buffer.value)), writer.tag(name)))
