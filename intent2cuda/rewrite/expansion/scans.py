"""Scans as ordered loops: each place of the other axes has a loop of its own, which leaves every prefix in a buffer."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from intent2cuda.base.intexpr import IntExpr
from intent2cuda.ir.builder import Builder
from intent2cuda.ir.constants import neutral
from intent2cuda.ir.ops import Combiner, Scan, ScanBy
from intent2cuda.ir.value import Value
from intent2cuda.rewrite.copying import Copy
from intent2cuda.rewrite.expansion.elements import Places, Put, element, for_each, in_buffers, is_elementwise
from intent2cuda.rewrite.expansion.instance import written

Combine = Callable[[Sequence[Value], Sequence[Value]], Sequence[Value]]

FUNCTIONS = {Combiner.ADD: "add", Combiner.MAXIMUM: "maximum", Combiner.MINIMUM: "minimum"}


def scan(builder: Builder, op: Scan) -> tuple[Value, ...]:
    """A builtin scan."""
    function = FUNCTIONS[op.combiner]
    first = builder.constant(neutral(op.combiner, op.source.tensor.dtype), op.source.tensor.dtype)
    return _scanned(
        builder, op, (op.source,), (first,), (op.result,), lambda a, b: [builder.pointwise(function, a[0], b[0])]
    )


def scan_by(builder: Builder, copy: Copy, op: ScanBy) -> tuple[Value, ...]:
    """A scan by a region; where it combines slices one loop serves all places."""

    def combine(a: Sequence[Value], b: Sequence[Value]) -> Sequence[Value]:
        return written(builder, copy, op.combine, (*a, *b))

    return _scanned(builder, op, op.sources, op.identity, op.results, combine)


def _scanned(
    builder: Builder,
    op: Scan | ScanBy,
    sources: Sequence[Value],
    identity: Sequence[Value],
    results: Sequence[Value],
    combine: Combine,
) -> tuple[Value, ...]:
    rank = sources[0].tensor.rank
    whole_slices = isinstance(op, ScanBy) and not is_elementwise(op)
    others = () if whole_slices else tuple(axis for axis in range(rank) if axis != op.axis)
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

        builder.loop(domain, identity, step)

    def fill(put: Put) -> None:
        for_each(builder, sources[0], others, lambda places: along(places, put))

    return in_buffers(builder, results, fill)


def _backwards(builder: Builder, extent: IntExpr, ordinal: Value) -> Value:
    return builder.dim(extent - 1 - ordinal.as_symbol)
