"""Scans as ordered loops, which leave every prefix in a buffer.

Each place of the other axes has a loop of its own. A scan by the author's combine across the rows of a matrix goes row
by row, so that a plan can do a round for all columns at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from intent2cuda.base.intexpr import IntExpr
from intent2cuda.ir.builder import Builder
from intent2cuda.ir.constants import neutral
from intent2cuda.ir.ops import Combiner, Scan, ScanBy
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
from intent2cuda.rewrite.expansion.rows import is_for_rows, row_of, written_for_rows

Combine = Callable[[Sequence[Value], Sequence[Value]], Sequence[Value]]

FUNCTIONS = {Combiner.ADD: "add", Combiner.MAXIMUM: "maximum", Combiner.MINIMUM: "minimum"}


def scan(builder: Builder, op: Scan) -> tuple[Value, ...]:
    """A builtin scan."""
    function = FUNCTIONS[op.combiner]
    first = builder.constant(neutral(op.combiner, op.source.tensor.dtype), op.source.tensor.dtype)

    def combine(a: Sequence[Value], b: Sequence[Value]) -> Sequence[Value]:
        return [builder.pointwise(function, a[0], b[0])]

    others = _without(op.source, op.axis)
    return _scanned(builder, op, (op.source,), (first,), (op.result,), combine, others)


def scan_by(builder: Builder, copy: Copy, op: ScanBy) -> tuple[Value, ...]:
    """A scan by a region; where it combines slices, or can combine rows, one loop serves all their places."""
    if not is_elementwise(op):
        others, identity, region = (), op.identity, written
    elif op.axis < op.sources[0].tensor.rank - 1 and is_for_rows(op.combine):
        row = op.sources[0].tensor.shape[-1:]
        others = _without(op.sources[0], op.axis)[:-1]
        identity, region = tuple(row_of(builder, first, row) for first in op.identity), written_for_rows
    else:
        others, identity, region = _without(op.sources[0], op.axis), op.identity, written

    def combine(a: Sequence[Value], b: Sequence[Value]) -> Sequence[Value]:
        return region(builder, copy, op.combine, (*a, *b))

    return _scanned(builder, op, op.sources, identity, op.results, combine, others)


def _without(source: Value, axis: int) -> tuple[int, ...]:
    return tuple(other for other in range(source.tensor.rank) if other != axis)


def _scanned(
    builder: Builder,
    op: Scan | ScanBy,
    sources: Sequence[Value],
    identity: Sequence[Value],
    results: Sequence[Value],
    combine: Combine,
    others: Sequence[int],
) -> tuple[Value, ...]:
    """`others`: the axes that each place of which has a loop of its own."""
    rank = sources[0].tensor.rank
    extent = sources[0].tensor.shape[op.axis]
    domain = builder.domain(builder.constant(0), builder.dim(extent))

    def along(places: Places, put: Put) -> None:
        def step(ordinal: Value, prefix: tuple[Value, ...]) -> Sequence[Value]:
            position = _backwards(builder, extent, ordinal) if op.reverse else ordinal
            here = {**places, op.axis: position}
            members = [element(builder, source, here) for source in sources]
            following = combine(members, prefix) if op.reverse else combine(prefix, members)
            put([here.get(axis) for axis in range(rank)], following if op.inclusive else prefix)
            return following

        builder.loop(domain, identity, step, carried=names_of_carries(results, identity))

    def fill(put: Put) -> None:
        for_each(builder, sources[0], others, lambda places: along(places, put))

    return in_buffers(builder, results, fill)


def _backwards(builder: Builder, extent: IntExpr, ordinal: Value) -> Value:
    return builder.dim(extent - 1 - ordinal.as_symbol)
