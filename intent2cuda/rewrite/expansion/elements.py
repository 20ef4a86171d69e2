"""Elements and places of tensors: reading one, visiting each, and putting results together in buffers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from intent2cuda.ir import infer
from intent2cuda.ir.builder import Builder
from intent2cuda.ir.ops import Allocate, Gather, Load, ReduceBy, ScanBy
from intent2cuda.ir.terms import Point, Term, Whole
from intent2cuda.ir.value import Value
from intent2cuda.types.value_type import BufferType, TensorType

Places: TypeAlias = Mapping[int, Value]
"""A position on some axes of a tensor."""

At: TypeAlias = Sequence[Value | None]
"""A position, or the whole axis, for each axis of a result."""

Put: TypeAlias = Callable[[At, Sequence[Value]], None]
"""Stores one part of each result."""


def is_elementwise(op: ReduceBy | ScanBy) -> bool:
    """Whether the region combines elements, not slices."""
    return all(not value.tensor.shape for value in op.identity)


def element(builder: Builder, source: Value, places: Places) -> Value:
    """What stands at the places: an element, or a slice over the axes without one."""
    terms = _terms(source.tensor.rank, places)
    kind = infer.tensor_or_scalar(source.tensor.dtype, infer.selected_shape(source.tensor.shape, terms))
    return builder.emit(Gather(source, terms, builder.fresh(kind))).result


def for_each(builder: Builder, source: Value, axes: Sequence[int], body: Callable[[Places], None]) -> None:
    """Runs a body at every place of some axes, in no order."""
    if not axes:
        body({})
        return
    extents = [source.tensor.shape[axis] for axis in axes]
    domains = [builder.domain(builder.constant(0), builder.dim(extent)) for extent in extents]
    with builder.parallel(*domains) as points:
        body(dict(zip(axes, points, strict=True)))


def in_buffers(builder: Builder, results: Sequence[Value], fill: Callable[[Put], None]) -> tuple[Value, ...]:
    """Values that `fill` puts together part by part."""
    buffers = [builder.fresh(BufferType(r.tensor.dtype, r.tensor.shape), r.name) for r in results]
    for buffer in buffers:
        builder.emit(Allocate(buffer))

    def put(at: At, values: Sequence[Value]) -> None:
        for buffer, value in zip(buffers, values, strict=True):
            builder.store(buffer, at, value)

    fill(put)
    return tuple(whole(builder, buffer) for buffer in buffers)


def names_of_carries(results: Sequence[Value], initial: Sequence[Value]) -> list[str]:
    """What a loop carries is called what comes out of it, or else what it begins with."""
    return [result.name or first.name for result, first in zip(results, initial, strict=True)]


def whole(builder: Builder, buffer: Value) -> Value:
    """Everything that a buffer holds now."""
    kind = buffer.resource
    result = builder.fresh(TensorType(kind.dtype, kind.shape), buffer.name)
    return builder.emit(Load(buffer, (Whole(),) * len(kind.shape), result)).result


def _terms(rank: int, places: Places) -> tuple[Term, ...]:
    return tuple(Point(places[axis]) if axis in places else Whole() for axis in range(rank))
