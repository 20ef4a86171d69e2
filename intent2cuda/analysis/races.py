"""Conflicts between points of a parallel loop and between the elements of one store.

A proved conflict is an error with an example; a proved absence says nothing; what is neither is a note, an obligation
of the author's. Each write is reported at most once. Accesses that are not plain do not conflict with each other, and
where atomics may order two plain ones, no conflict of these counts as proved.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from intent2cuda.analysis.conflicts import Conflicts
from intent2cuda.analysis.expressions import Unknown
from intent2cuda.analysis.neighbours import Group, Neighbours
from intent2cuda.analysis.publication import Publication
from intent2cuda.analysis.separation import Meeting
from intent2cuda.analysis.sites import Site
from intent2cuda.analysis.surroundings import Surroundings
from intent2cuda.analysis.witness import Collision, Witness
from intent2cuda.base.diagnostics import Diagnostic, Severity
from intent2cuda.ir.op import Op
from intent2cuda.ir.ops import Parallel, Store
from intent2cuda.ir.value import Value
from intent2cuda.types.value_type import ViewType

OWN_ELEMENT = "give each point its own element, or combine the values with I.reduce, I.scatter_reduce or I.atomic.add"
READ_BEFORE = (
    "read into a tensor before the loop, or write to another view; sums of points need I.atomic.add or I.reduce"
)
ALL_ATOMIC = "read shared elements with I.atomic.load and write them with I.atomic.store, or read them behind the loop"
COLLIDING = "let each index name one destination, or combine the collisions with I.scatter_reduce"


@dataclass(frozen=True)
class Open:
    """A write and another access of the same memory, or the same one, of which it is not known how they meet.

    `loop`: the parallel loop whose points may meet; None for the elements of one store. `why` is empty for two plain
    writes of one resource.
    """

    write: Site
    other: Site
    loop: Parallel | None
    why: str = ""


class Races:
    """Findings about the writes of one kernel."""

    def __init__(self, surroundings: Surroundings, all_sites: tuple[Site, ...]) -> None:
        self._structure = surroundings.structure
        self._sites = all_sites
        self._of: dict[Value, list[Site]] = {}
        for site in all_sites:
            self._of.setdefault(site.resource, []).append(site)
        self._conflicts = Conflicts(surroundings, all_sites)
        self._neighbours = Neighbours(all_sites)
        self._publication = Publication(surroundings.structure, all_sites)
        self._witness = Witness(surroundings)

    def findings(self) -> Iterator[Diagnostic]:
        """At most one finding for each write: an error if one is proved, else a note if something stays open."""
        blamed: set[Op] = set()
        for write in self._sites:
            if not write.access.writes:
                continue
            found = [*self._elements(write), *self._points(write, blamed)]
            errors = [d for d in found if d.severity is Severity.ERROR]
            if errors:
                blamed.add(write.op)
            yield from (errors or found)[:1]

    def open(self) -> Iterator[Open]:
        """All that is neither proved nor refuted, also where the author vouches for it."""
        for write in (site for site in self._sites if site.access.writes):
            if isinstance(write.op, Store) and self._conflicts.of_elements(write) is Meeting.UNKNOWN:
                yield Open(write, write, None)
            for loop in write.loops:
                if isinstance(loop, Parallel) and not self._structure.is_inside(write.resource, loop):
                    yield from self._open_points(write, loop)

    def _open_points(self, write: Site, loop: Parallel) -> Iterator[Open]:
        for other in self._of[write.resource]:
            both_atomic = not (write.access.is_plain or other.access.is_plain)
            later = other.access.writes and self._structure.order[other.op] > self._structure.order[write.op]
            if loop not in other.loops or both_atomic or later:
                continue
            if self._conflicts.of_points(loop, other, write) is Meeting.UNKNOWN:
                yield Open(write, other, loop, _beyond_plain_writes(write, other))
        for other in self._in_one_allocation(write, loop):
            yield Open(write, other, loop, f"points that meet in {other.resource.name}, of the same allocation")

    def _elements(self, write: Site) -> Iterator[Diagnostic]:
        """Whether a store writes one element twice."""
        if not isinstance(write.op, Store) or self._conflicts.of_elements(write) is not Meeting.UNKNOWN:
            return
        name = write.resource.name
        collision = self._witness.of_elements(write)
        if collision is not None:
            message = (
                f"{_at(name, collision.position)} is written twice by one store, "
                f"for the elements {list(collision.first)} and {list(collision.second)} of the index"
            )
            yield _finding("kir.store.not_injective", message, write, COLLIDING)
        elif not write.op.promised_unique:
            message = f"it is not proved that each element of {name} is written once: {_why(write)}"
            help = "I.scatter_unique states that the destinations differ; I.scatter_reduce combines those that do not"
            yield _finding("kir.store.unproved", message, write, help, Severity.NOTE)

    def _points(self, write: Site, blamed: set[Op]) -> Iterator[Diagnostic]:
        """Whether two points touch one element that `write` writes."""
        for loop in write.loops:
            if not isinstance(loop, Parallel) or self._structure.is_inside(write.resource, loop):
                continue
            for other in self._rivals(write, loop, blamed):
                if self._conflicts.of_points(loop, other, write) is not Meeting.UNKNOWN:
                    continue
                may_be_ordered = self._publication.may_order(loop, other, write)
                collision = None if may_be_ordered else self._witness.of_points(loop, other, write)
                if collision is not None:
                    yield _race(loop, write, other, collision)
                elif not (isinstance(write.op, Store) and write.op.promised_unique and other is write):
                    yield _open(loop, write, other, "only atomics order its points" if may_be_ordered else "")
            for other in self._in_one_allocation(write, loop):
                yield _open(loop, write, other, f"{other.resource.name} lies in the same allocation")

    def _rivals(self, write: Site, loop: Parallel, blamed: set[Op]) -> list[Site]:
        """The write itself, earlier writes, then reads: accesses of the same memory inside the loop.

        Of two accesses that are not plain neither is a rival of the other.
        """
        earlier: list[Site] = []
        reads: list[Site] = []
        for group in self._neighbours.near(write.resource, write):
            if loop not in group.first.loops or not (group.first.access.is_plain or write.access.is_plain):
                continue
            for other in self._representatives(group, blamed):
                if not other.access.writes:
                    reads.append(other)
                elif self._structure.order[other.op] < self._structure.order[write.op]:
                    earlier.append(other)
        return [*([write] if write.access.is_plain else []), *earlier, *reads]

    def _representatives(self, group: Group, blamed: set[Op]) -> Iterable[Site]:
        """One access that nothing was said of; all of these where it matters what atomics they stand between."""
        left = (site for site in group.sites if site.op not in blamed)
        return left if self._publication.exists else islice(left, 1)

    def _in_one_allocation(self, write: Site, loop: Parallel) -> Iterator[Site]:
        """Accesses inside the loop of other views that the author puts into the allocation of this one."""
        group = _allocation(write.resource)
        for view, of_view in self._of.items():
            if group is not None and view is not write.resource and _allocation(view) == group:
                yield from (s for s in of_view if loop in s.loops and (s.access.is_plain or write.access.is_plain))


def _beyond_plain_writes(write: Site, other: Site) -> str:
    if not (write.access.is_plain and other.access.is_plain):
        return f"points that touch {write.resource.name} by atomic and by plain accesses"
    return "" if other.access.writes else f"points that read what others write of {write.resource.name}"


def _allocation(resource: Value) -> str | None:
    return resource.type.alias if isinstance(resource.type, ViewType) else None


def _race(loop: Parallel, write: Site, other: Site, collision: Collision) -> Diagnostic:
    name = write.resource.name
    points = _points_of(loop)
    pair = f"{_assigned(points, collision.first)} and {_assigned(points, collision.second)}"
    what = _at(name, collision.position)
    if not (write.access.is_plain and other.access.is_plain):
        plain = write if write.access.is_plain else other
        verb = "writes" if plain.access.writes else "reads"
        message = f"one point updates {what} indivisibly and another {verb} it plainly, in no order: {pair}"
        return _finding("kir.race", message, write, ALL_ATOMIC)
    if other.access.writes:
        return _finding("kir.parallel.race", f"two points write {what}: {pair}", write, OWN_ELEMENT)
    message = f"one point writes {what} and another reads it, in no order: {pair}"
    return _finding("kir.parallel.race", message, write, READ_BEFORE)


def _open(loop: Parallel, write: Site, other: Site, why: str) -> Diagnostic:
    points = ", ".join(point.name or "_" for point in _points_of(loop))
    name = write.resource.name
    what = "write" if other.access.writes else "read and write"
    message = (
        f"it is not proved that no two points of {points} {what} one element of {name}: {why or _why(write, other)}"
    )
    help = "the author answers for it; I.scatter_unique states it, I.scatter_reduce and I.atomic.add do without"
    return _finding("kir.parallel.unproved", message, write, help, Severity.NOTE)


def _points_of(loop: Parallel) -> tuple[Value, ...]:
    return loop.body.args


def _assigned(points: tuple[Value, ...], values: tuple[int, ...]) -> str:
    return ", ".join(f"{point.name or '_'} = {value}" for point, value in zip(points, values, strict=True))


def _at(name: str, position: tuple[int, ...]) -> str:
    return f"{name}[{', '.join(map(str, position)) or '()'}]"


def _why(*of_sites: Site) -> str:
    unknown = [p.reason for site in of_sites for p in site.positions if isinstance(p, Unknown)]
    if unknown:
        return f"an index has no exact expression ({unknown[0]})"
    return "its indices or conditions depend on data, or on sizes that only the call knows"


def _finding(code: str, message: str, site: Site, help: str, severity: Severity = Severity.ERROR) -> Diagnostic:
    return Diagnostic(code, message, site.op.span or site.op.statement, help, severity, site.resource.name)
