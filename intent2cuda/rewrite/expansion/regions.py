"""Region operations in one piece, or slice after slice in an ordered loop.

By the laws that the author declares any division of the axis gives the same. In one piece the summary is what the
author wrote, over the whole axis; that is chosen when nothing in it is larger than the sources themselves.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TypeAlias

from intent2cuda.base.intexpr import IntExpr, minimum
from intent2cuda.ir import infer
from intent2cuda.ir.builder import Builder
from intent2cuda.ir.kernel import walk
from intent2cuda.ir.op import Region, results
from intent2cuda.ir.ops import Allocate, Gather, RegionFold, RegionScan, Store, Yield
from intent2cuda.ir.terms import Slice, Term, Whole
from intent2cuda.ir.value import Value
from intent2cuda.rewrite.copying import Copy
from intent2cuda.rewrite.expansion.elements import names_of_carries, whole
from intent2cuda.rewrite.expansion.instance import written
from intent2cuda.types.value_type import BufferType, Shape, TensorType

Step: TypeAlias = Callable[[Sequence[Value], Slice, tuple[Value, ...]], Sequence[Value]]
"""Emits what a slice does: its parts of the sources, its place, and what is carried; returns what is carried on."""

FOLD_SEGMENT = "members of a segment"
SCAN_SEGMENT = "members of a segment that has outputs of its own"


def fold(builder: Builder, copy: Copy, op: RegionFold, segment: int | Value) -> tuple[Value, ...]:
    extent = axis_extent(op)
    if in_one_piece(op):
        summary = written(builder, copy, op.summarize, op.sources, extent)
        return _unless_empty(builder, extent, summary, op.identity)

    def step(slices: Sequence[Value], place: Slice, carried: tuple[Value, ...]) -> Sequence[Value]:
        summary = written(builder, copy, op.summarize, slices, place.extent)
        return written(builder, copy, op.combine, (*carried, *summary))

    return _segments(builder, op, segment, op.identity, op.results, step)


def scan(builder: Builder, copy: Copy, op: RegionScan, segment: int | Value) -> tuple[Value, ...]:
    extent = axis_extent(op)
    if in_one_piece(op):
        outputs = written(builder, copy, op.emit, (*op.sources, *op.initial), extent)
        summary = written(builder, copy, op.summarize, op.sources, extent)
        final = written(builder, copy, op.apply, (*summary, *op.initial))
        return (*outputs, *_unless_empty(builder, extent, final, op.initial))
    buffers = [builder.fresh(BufferType(o.tensor.dtype, o.tensor.shape), o.name) for o in op.outputs]
    axes = [_assembled_axis(op, number) for number in range(len(buffers))]
    for buffer in buffers:
        builder.emit(Allocate(buffer))

    def step(slices: Sequence[Value], place: Slice, state: tuple[Value, ...]) -> Sequence[Value]:
        outputs = written(builder, copy, op.emit, (*slices, *state), place.extent)
        for buffer, output, axis in zip(buffers, outputs, axes, strict=True):
            builder.emit(Store(buffer, _terms(output.tensor.rank, axis, place), output, promised_unique=True))
        summary = written(builder, copy, op.summarize, slices, place.extent)
        return written(builder, copy, op.apply, (*summary, *state))

    final = _segments(builder, op, segment, op.initial, op.final, step)
    return (*(whole(builder, buffer) for buffer in buffers), *final)


def _assembled_axis(op: RegionScan, number: int) -> int:
    """The axis on which the parts of an output stand one after the other."""
    last = op.emit.ops[-1]
    assert isinstance(last, Yield)
    return last.values[number].tensor.shape.index(op.emit.args[0].as_symbol)


def in_one_piece(op: RegionFold | RegionScan) -> bool:
    """Whether the operation runs over its whole axis at once: nothing in it is larger than the sources themselves."""
    parts = (op.summarize,) if isinstance(op, RegionFold) else (op.summarize, op.emit)
    return not any(_grows(op, part) for part in parts)


def _grows(op: RegionFold | RegionScan, region: Region) -> bool:
    """Whether a value of the region has more elements than the slices it is made of, by an axis of its own."""
    extent = region.args[0].as_symbol
    sources = [_others(source.tensor.shape, op.axis) for source in op.sources]
    for inner in walk(region):
        for value in results(inner):
            shape = value.type.shape if isinstance(value.type, TensorType) else ()
            along = [axis for axis, e in enumerate(shape) if e == extent]
            if along and not any(_others(shape, along[0]) <= source for source in sources):
                return True
    return False


def _others(shape: Shape, axis: int) -> Counter[IntExpr]:
    """The extents beside one axis, those of 1 left out."""
    return Counter(e for number, e in enumerate(shape) if number != axis and e.constant != 1)


def axis_extent(op: RegionFold | RegionScan) -> IntExpr:
    """The extent of the axis that is cut."""
    return op.sources[0].tensor.shape[op.axis]


def _unless_empty(
    builder: Builder, extent: IntExpr, summary: Sequence[Value], identity: Sequence[Value]
) -> tuple[Value, ...]:
    """The summary, or the identity when the axis has no members."""
    if extent.constant is not None and extent.constant > 0:
        return tuple(summary)
    some = builder.pointwise("gt", builder.dim(extent), builder.constant(0))
    return tuple(_selected(builder, some, s, i) for s, i in zip(summary, identity, strict=True))


def _selected(builder: Builder, condition: Value, then: Value, otherwise: Value) -> Value:
    shape = then.tensor.shape
    if shape:
        condition = builder.broadcast(condition, (None,) * len(shape), shape)
    return builder.pointwise("select", condition, then, otherwise)


def _segments(
    builder: Builder,
    op: RegionFold | RegionScan,
    segment: int | Value,
    initial: Sequence[Value],
    results: Sequence[Value],
    step: Step,
) -> tuple[Value, ...]:
    """An ordered loop over slices of `segment` members; the last one may be shorter. It ends with the results."""
    extent = axis_extent(op)
    members = IntExpr.of(segment) if isinstance(segment, int) else segment.as_symbol

    def body(begin: Value, carried: tuple[Value, ...]) -> Sequence[Value]:
        length = members
        if (extent % members).constant != 0:
            length = minimum(members, extent - begin.as_symbol)
        place = Slice(begin, length)
        slices = [part_of(builder, source, op.axis, place) for source in op.sources]
        return step(slices, place, carried)

    meaning = FOLD_SEGMENT if isinstance(op, RegionFold) else SCAN_SEGMENT
    step_size = builder.constant(segment, meaning=meaning) if isinstance(segment, int) else segment
    domain = builder.domain(builder.constant(0), builder.dim(extent), step_size)
    return builder.loop(domain, initial, body, "first", names_of_carries(results, initial))


def part_of(builder: Builder, source: Value, axis: int, place: Slice) -> Value:
    """Emits the part of a source at a place of the axis that is cut."""
    kind = infer.slice_type(source.tensor, axis, place.extent)
    terms = _terms(source.tensor.rank, axis, place)
    return builder.emit(Gather(source, terms, builder.fresh(kind, source.name))).result


def _terms(rank: int, axis: int, place: Slice) -> tuple[Term, ...]:
    return tuple(place if number == axis else Whole() for number in range(rank))
