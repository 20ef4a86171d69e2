"""Reads of which no proof says that what they read was written before."""

from __future__ import annotations

from collections.abc import Iterator

from intent2cuda.analysis.expressions import Unknown
from intent2cuda.analysis.relations import Relations
from intent2cuda.analysis.sites import Site, runs_to_its_end
from intent2cuda.analysis.structure import Frame, Structure
from intent2cuda.base.intexpr import IntExpr
from intent2cuda.ir.op import Op
from intent2cuda.ir.ops import Allocate, For, Parallel, Store
from intent2cuda.ir.terms import Along, Point, Slice, Term, Whole
from intent2cuda.ir.value import Value
from intent2cuda.types.value_type import Access, DomainType, ViewType


def open_reads(found: Structure, relations: Relations, all_sites: tuple[Site, ...]) -> Iterator[Site]:
    """Sites that read a view or buffer in which nothing stands at first, where it is not proved that they find what a
    store before them wrote: to all of it, or to the same elements.
    """
    stores: dict[Value, list[Site]] = {}
    for site in all_sites:
        if _begins_empty(found, site.resource):
            before = stores.setdefault(site.resource, [])
            if site.access.reads and not any(_covers(relations, store, site) for store in before):
                yield site
            if isinstance(site.op, Store) and site.access.valid is None:
                before.append(site)


def _begins_empty(found: Structure, resource: Value) -> bool:
    if isinstance(resource.type, ViewType):
        return resource.type.access is Access.OUT
    made = found.defining.get(resource)
    return isinstance(made, Allocate) and made.init is None


def _covers(relations: Relations, store: Site, read: Site) -> bool:
    """Whether the store has written all that the read finds, whenever the read happens."""
    shared = len(store.frames)
    while store.frames[:shared] != read.frames[:shared]:
        shared -= 1
    own = store.frames[shared:]
    if not own and store.positions == read.positions and store.access.shape == read.access.shape:
        return not any(isinstance(position, Unknown) for position in store.positions)
    return _fills(relations, store, own)


def _fills(relations: Relations, store: Site, own: tuple[Frame, ...]) -> bool:
    """Whether the store writes every element of its resource in the loops that are its own."""
    domains = {value: domain for frame in own for value, domain in _turns(frame.owner)}
    if not all(isinstance(frame.owner, Parallel | For) and runs_to_its_end(frame.owner) for frame in own):
        return False
    moving: set[Value] = set()
    for term, extent in zip(store.access.terms, store.resource.resource.shape, strict=True):
        if isinstance(term, Point):
            if term.index in moving or not _is_whole(relations, domains.get(term.index), extent):
                return False
            moving.add(term.index)
        elif not _spans(relations, term, extent):
            return False
    return moving == set(domains)


def _turns(loop: Op) -> Iterator[tuple[Value, DomainType]]:
    if isinstance(loop, Parallel):
        yield from ((value, domain.domain) for value, domain in zip(loop.body.args, loop.domains, strict=True))
    elif isinstance(loop, For):
        yield loop.body.args[0], loop.domain.domain


def _spans(relations: Relations, term: Term, extent: IntExpr) -> bool:
    match term:
        case Whole():
            return True
        case Slice():
            begin, length = relations.scalar(term.begin), relations.written(term.extent)
            return begin.constant == 0 and length == relations.written(extent)
        case Along():
            return _is_whole(relations, term.domain.domain, extent)
        case _:
            return False


def _is_whole(relations: Relations, domain: DomainType | None, extent: IntExpr) -> bool:
    if domain is None or relations.written(domain.step).constant != 1:
        return False
    return relations.written(domain.begin).constant == 0 and relations.written(domain.extent) == relations.written(
        extent
    )
