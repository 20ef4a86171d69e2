"""Positions and subregions that lie outside whatever the call is, and proofs that positions lie inside."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import TypeAlias

from intent2cuda.analysis.expressions import Unknown, leaves
from intent2cuda.analysis.limits import coordinate_bounds
from intent2cuda.analysis.ranges import Facts
from intent2cuda.analysis.relations import Relations
from intent2cuda.analysis.separation import mentioned
from intent2cuda.analysis.sites import Site, runs_to_its_end
from intent2cuda.analysis.structure import Structure
from intent2cuda.analysis.surroundings import Surroundings
from intent2cuda.base.diagnostics import Diagnostic
from intent2cuda.base.intexpr import IntExpr, Operation
from intent2cuda.ir.kernel import walk
from intent2cuda.ir.ops import If, Subregion
from intent2cuda.ir.terms import Along, Slice, Term, Whole

Outside: TypeAlias = tuple[int, IntExpr, IntExpr]
"""An axis, its extent, and a position on it that is reached and lies outside."""

NO_CLAMPING = "bounds are not clamped: keep them within the source"


def inside(surroundings: Surroundings, site: Site) -> tuple[bool, ...]:
    """For each axis of the resource, whether every position of the access is proved to lie in it."""
    facts = surroundings.facts(site)
    extents = map(surroundings.relations.written, site.access.extents)
    return tuple(
        not isinstance(position, Unknown) and all(facts.within(leaf, extent) for leaf in leaves(position))
        for position, extent in zip(site.positions, extents, strict=True)
    )


def findings(surroundings: Surroundings, all_sites: tuple[Site, ...]) -> Iterator[Diagnostic]:
    """Errors for accesses and subregions that are outside in every call in which they happen."""
    known: dict[Hashable, tuple[Outside, ...]] = {}
    for site in all_sites:
        if not _may_be_skipped(site) and not all(isinstance(term, Whole) for term in site.access.terms):
            question = (site.resource, site.positions, site.access.shape, site.loops)
            if question not in known:
                known[question] = tuple(_positions(surroundings, site))
            yield from (_outside(surroundings, site, outside) for outside in known[question])
    for op in walk(surroundings.structure.kernel.body):
        if isinstance(op, Subregion):
            yield from _subregion(surroundings.structure, surroundings.relations, op)


def _may_be_skipped(site: Site) -> bool:
    """Whether something else than the sizes decides if all elements are touched."""
    return site.access.valid is not None or any(
        isinstance(frame.owner, If) or not runs_to_its_end(frame.owner) for frame in site.frames
    )


def _positions(around: Surroundings, site: Site) -> Iterator[Outside]:
    """Positions are linear in coordinates and loop variables here, so that their extremes are reached."""
    sizes = sorted(symbol for symbol in mentioned(around.positive(site)) if symbol.serial == 0)
    known = Facts(around.structure, {}, [IntExpr.symbol(symbol.name) for symbol in sizes])
    if any(not known.nonneg(extent - 1) for extent in around.positive(site)):
        return
    facts = around.facts(site)
    reached = {*sizes, *around.loop_bounds(site.loops), *coordinate_bounds(site.access.shape)}
    for axis, (position, whole) in enumerate(zip(site.positions, site.resource.resource.shape, strict=True)):
        extent = around.relations.written(whole)
        if not isinstance(position, IntExpr) or not _is_linear(position) or not mentioned([position]) <= reached:
            continue
        extremes = facts.extremes(position)
        low = next((e for e in extremes.lower if known.nonneg(-e - 1)), None)
        high = next((e for e in extremes.upper if known.nonneg(e - extent)), None)
        if (found := low if low is not None else high) is not None:
            yield axis, extent, found


def _is_linear(position: IntExpr) -> bool:
    return all(
        len(monomial) <= 1 or sum(symbol.serial != 0 for symbol in mentioned([IntExpr(((monomial, 1),))])) <= 1
        for monomial, _ in position.terms
    ) and not any(isinstance(atom, Operation) for monomial, _ in position.terms for atom in monomial)


def _outside(around: Surroundings, site: Site, outside: Outside) -> Diagnostic:
    axis, extent, reached = outside
    name = site.resource.name
    term: Term = site.access.terms[axis]
    verb = "written" if site.access.writes else "read"
    where = f"axis {axis} of {name} has the extent {extent}"
    if isinstance(term, Slice | Along):
        begin = around.relations.scalar(term.begin) if isinstance(term, Slice) else term.domain.domain.begin
        length = term.extent if isinstance(term, Slice) else term.domain.domain.extent
        message = f"{where}, but is {verb} from {begin} to {begin + around.relations.written(length)}"
    else:
        message = f"{where}, but is {verb} at {reached}"
    return Diagnostic("kir.index.bounds", message, site.op.span or site.op.statement, NO_CLAMPING, subject=name)


def _subregion(found: Structure, relations: Relations, op: Subregion) -> Iterator[Diagnostic]:
    source, result = relations.domain(op.source), relations.domain(op.result)
    facts = Facts(found)
    first, last = source.begin, source.begin + source.extent
    begin, end = result.begin, result.begin + result.extent
    message = ""
    if op.begin is not None and facts.less(begin, first):
        message = f"the subregion begins at {begin}, before its source, which begins at {first}"
    elif op.end is not None and facts.less(last, end):
        message = f"the subregion ends at {end}, behind its source, which ends at {last}"
    elif facts.less(end, begin):
        message = f"the subregion begins at {begin} and ends at {end}, before its begin"
    elif op.begin is not None and facts.less(last, begin):
        message = f"the subregion begins at {begin}, behind its source, which ends at {last}"
    if message:
        yield Diagnostic("kir.subregion.bounds", message, op.span or op.statement, NO_CLAMPING, subject=op.result.name)
