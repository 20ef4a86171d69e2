"""Inspections of parts of domains, of promises, and of what falls into bins."""

from __future__ import annotations

from intent2cuda.ir.builder import Builder
from intent2cuda.ir.ops import AssumeInBounds, Combiner, Histogram, Rule, Subregion
from intent2cuda.ir.value import Value
from intent2cuda.rewrite.checking.positions import BLANK, as_index, inspect, within


def of_part(builder: Builder, op: Subregion) -> Value:
    """Whether a part of a domain lies inside it, with its bounds in order."""
    source, part = op.source.domain, op.result.domain
    ends = (part.begin, part.begin + part.extent, source.begin, source.begin + source.extent)
    first, last, begin, end = map(builder.dim, ends)
    ordered = [builder.pointwise("le", a, b) for a, b in ((begin, first), (first, last), (last, end))]
    holds = builder.pointwise("and", builder.pointwise("and", ordered[0], ordered[1]), ordered[2])
    text = f"part {BLANK}:{BLANK} does not lie inside the domain {BLANK}:{BLANK}"
    return inspect(builder, Rule.REGION, holds, (first, last, begin, end), text)


def of_promise(builder: Builder, op: AssumeInBounds) -> Value:
    """Whether all positions are where the author promises them to be."""
    positions, extent = as_index(builder, op.index), builder.dim(op.resource.resource.shape[op.axis])
    text = f"position {BLANK} is outside axis {op.axis} of {op.resource.name}, which has {BLANK}"
    kept = inspect(builder, Rule.PROMISE, within(builder, positions, extent), (positions, extent), text)
    return builder.reduce(Combiner.ALL, kept, range(kept.tensor.rank)) if kept.tensor.rank else kept


def of_bins(builder: Builder, op: Histogram) -> Value:
    """The values that are to be counted and have a bin."""
    values, bins = as_index(builder, op.values), builder.dim(op.result.tensor.shape[0])
    inside = within(builder, values, bins)
    if op.valid is not None:
        inside = builder.pointwise("or", builder.pointwise("not", op.valid), inside)
    text = f"value {BLANK} has none of the {BLANK} bins"
    kept = inspect(builder, Rule.BOUNDS, inside, (values, bins), text)
    return kept if op.valid is None else builder.pointwise("and", op.valid, kept)
