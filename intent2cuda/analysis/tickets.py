"""Tickets: what atomic additions of positive numbers to one element give back is another number each time.

That holds as long as the counter does not wrap, which takes more points than any launch has.
"""

from __future__ import annotations

from intent2cuda.analysis.separation import mentioned
from intent2cuda.analysis.sites import Site
from intent2cuda.analysis.surroundings import Surroundings, symbol_of
from intent2cuda.base.intexpr import IntExpr, Symbol
from intent2cuda.ir.ops import AtomicUpdate, Parallel, Update
from intent2cuda.ir.value import Value
from intent2cuda.types.value_type import ViewType

LEAST_BITS = 32


def tickets(around: Surroundings, all_sites: tuple[Site, ...], loop: Parallel) -> tuple[Symbol, ...]:
    """The scalars that are equal at two executions inside the loop only if these are one."""
    inside = [site for site in all_sites if loop in site.loops and site.access.writes]
    counters = {site.resource for site in inside} - {s.resource for s in inside if not _counts_up(around, s)}
    return tuple(
        symbol_of(site.op.result)
        for site in inside
        if site.resource in counters and isinstance(site.op, AtomicUpdate) and _is_one_place(around, site, loop)
    )


def _counts_up(around: Surroundings, site: Site) -> bool:
    """Whether a write adds at least 1 to a counter that is no part of a larger allocation."""
    op = site.op
    if not isinstance(op, AtomicUpdate) or op.update is not Update.ADD or op.value.tensor.shape:
        return False
    dtype = op.value.tensor.dtype
    if not dtype.is_integer or dtype.bits < LEAST_BITS or _is_shared(op.resource):
        return False
    return around.facts(site).nonneg(around.relations.scalar(op.value) - 1)


def _is_shared(resource: Value) -> bool:
    return isinstance(resource.type, ViewType) and resource.type.alias is not None


def _is_one_place(around: Surroundings, site: Site, loop: Parallel) -> bool:
    """Whether all points of the loop touch the same element."""
    found = around.structure
    exact = [position for position in site.positions if isinstance(position, IntExpr)]
    scalars = [found.by_serial[symbol.serial] for symbol in mentioned(exact) if symbol.serial > 0]
    return (
        len(exact) == len(site.positions)
        and not found.is_inside(site.resource, loop)
        and not any(found.is_inside(scalar, loop) for scalar in scalars)
    )
