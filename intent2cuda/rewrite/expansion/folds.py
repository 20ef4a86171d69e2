"""Generic reductions as ordered loops: one member after the other, each axis a loop of its own."""

from __future__ import annotations

from collections.abc import Sequence

from intent2cuda.ir.builder import Builder
from intent2cuda.ir.ops import ReduceBy
from intent2cuda.ir.value import Value
from intent2cuda.rewrite.copying import Copy
from intent2cuda.rewrite.expansion.elements import (
    Places,
    Put,
    element,
    for_each,
    in_buffers,
    is_elementwise,
    names_of_carries,
)
from intent2cuda.rewrite.expansion.instance import written


def reduce_by(builder: Builder, copy: Copy, op: ReduceBy) -> tuple[Value, ...]:
    """Elements: for each place that is left a loop with the accumulators in scalars. Slices: one loop for all."""
    rank = op.sources[0].tensor.rank
    kept = tuple(axis for axis in range(rank) if axis not in op.axes)
    if not is_elementwise(op) or not kept:
        return _folded(builder, copy, op, op.axes, {})

    def fill(put: Put) -> None:
        def one(places: Places) -> None:
            put([places[axis] for axis in kept], _folded(builder, copy, op, op.axes, places))

        for_each(builder, op.sources[0], kept, one)

    return in_buffers(builder, op.results, fill)


def _folded(
    builder: Builder, copy: Copy, op: ReduceBy, axes: tuple[int, ...], places: Places, carried: Sequence[Value] = ()
) -> tuple[Value, ...]:
    """The members along the axes combined into what is carried; `places` are the positions of the axes around."""
    initial = tuple(carried) or op.identity
    if not axes:
        members = [element(builder, source, places) for source in op.sources]
        return written(builder, copy, op.combine, (*initial, *members))
    axis, *inner = axes
    domain = builder.domain(builder.constant(0), builder.dim(op.sources[0].tensor.shape[axis]))

    def body(position: Value, accumulators: tuple[Value, ...]) -> Sequence[Value]:
        return _folded(builder, copy, op, tuple(inner), {**places, axis: position}, accumulators)

    return builder.loop(domain, initial, body, carried=names_of_carries(op.results, initial))
