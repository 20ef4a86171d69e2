"""Buffers that are set to one number: a call of the runtime, `intent::fill` or `intent::block_fill`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

from intent2cuda.base.intexpr import IntExpr
from intent2cuda.ir.constants import constant_of
from intent2cuda.lower import ask, storage
from intent2cuda.lower.writer import Writer
from intent2cuda.machine.expressions import Call, Name
from intent2cuda.machine.statements import Evaluate
from intent2cuda.plan.stage import Keep, Level, Points, Space
from intent2cuda.types.value_type import Shape


def fill(writer: Writer, stage: Points) -> bool:
    """Writes a call that fills the first rows of a buffer, often all; False when the stage is not of that form."""
    nest = tuple(_nest(stage))
    bound = [axis for points in nest for axis in points.axes]
    keep = nest[-1].body[0]
    if (
        len(nest[-1].body) > 1
        or not isinstance(keep, Keep)
        or keep.buffer.space not in (Space.SCRATCH, Space.WORKSPACE)
    ):
        return False
    number = constant_of(keep.value, writer.definitions.op)
    extents = tuple(b.axis.extent for b in bound)
    rows = extents[1:] == keep.buffer.extents[1:] and all(b.axis.begin.constant == 0 for b in bound)
    sizes = _sizes(writer, tuple(b.level for b in bound), extents)
    if number is None or not rows or not sizes or tuple(b.axis for b in bound) != keep.at:
        return False
    storage.require(writer, keep.buffer)
    first = Name(writer.buffer_names[keep.buffer.id])
    arguments = (first, *(ask.integer(writer, size) for size in sizes), ask.element(writer, number.result))
    called, template = ("intent::block_fill", (writer.threads(),)) if writer.cuda else ("intent::fill", ())
    with writer.tracing.during(nest[-1]):
        writer.blocks.append(Evaluate(Call(called, arguments, template)))
    if keep.fills:
        writer.stored[keep.value] = keep.buffer
    return True


def _sizes(writer: Writer, levels: Sequence[Level], extents: Shape) -> Shape:
    """What the call is told of the extents; nothing where there is no call for loops of these levels.

    On cuda each row is shared out among the threads, as by the loops: later stages rely on who wrote what.
    """
    if writer.cuda:
        return extents if levels in ((Level.THREADS,), (Level.SERIAL, Level.THREADS)) else ()
    alone = all(level in (Level.SERIAL, Level.SIMD) for level in levels)
    return (prod(extents, start=IntExpr.of(1)),) if alone else ()


def _nest(stage: Points) -> Iterator[Points]:
    """The stage, and the loops that it holds and nothing beside them."""
    yield stage
    if len(stage.body) == 1 and isinstance(stage.body[0], Points):
        yield from _nest(stage.body[0])
