"""Which accesses of a memory may touch what another access touches, as far as the numbers in their positions tell.

Accesses that touch the same elements under the same conditions are one group: what is asked of one holds for all.
Groups whose positions differ by a number on some axis are never looked at together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from math import gcd

from intent2cuda.analysis.expressions import Expression, Unknown
from intent2cuda.analysis.sites import Site
from intent2cuda.base.intexpr import IntExpr
from intent2cuda.ir.value import Value


@dataclass(frozen=True, eq=False)
class Group:
    """Accesses in program order."""

    sites: list[Site] = field(default_factory=list[Site])

    @property
    def first(self) -> Site:
        return self.sites[0]


class Neighbours:
    """The groups of the accesses of one kernel."""

    def __init__(self, all_sites: tuple[Site, ...]) -> None:
        """`all_sites` are in program order."""
        groups: dict[Hashable, Group] = {}
        for site in all_sites:
            groups.setdefault(_question(site), Group()).sites.append(site)
        of_resource: dict[Value, list[Group]] = {}
        for group in groups.values():
            of_resource.setdefault(group.first.resource, []).append(group)
        self._of = {resource: _Buckets(found) for resource, found in of_resource.items()}

    def near(self, resource: Value, site: Site) -> Iterator[Group]:
        """The groups of a memory that numbers do not keep apart from an access, in program order of their first."""
        found = self._of.get(resource)
        if found is not None:
            yield from (group for group in found.near(site) if not _are_apart(group.first, site))


class _Buckets:
    """Groups by the number that they have on the axis on which most of them have one."""

    def __init__(self, groups: list[Group]) -> None:
        self._groups = groups
        counts = Counter(axis for g in groups for axis, p in enumerate(g.first.positions) if _number(p) is not None)
        self._axis = max(counts, key=lambda axis: (counts[axis], -axis), default=None)
        self._at: dict[int | None, list[int]] = {}
        for place, group in enumerate(groups):
            self._at.setdefault(self._key(group.first), []).append(place)

    def near(self, site: Site) -> Iterator[Group]:
        key = self._key(site)
        if key is None:
            yield from self._groups
            return
        places = sorted([*self._at.get(key, ()), *self._at.get(None, ())])
        yield from (self._groups[place] for place in places)

    def _key(self, site: Site) -> int | None:
        return None if self._axis is None else _number(site.positions[self._axis])


def _question(site: Site) -> Hashable:
    access = site.access
    when = (site.loops, site.conditions, access.valid)
    return (access.resource, site.positions, access.shape, when, access.mode, access.order)


def _number(position: Expression | Unknown) -> int | None:
    return position.constant if isinstance(position, IntExpr) else None


def _are_apart(first: Site, second: Site) -> bool:
    """Whether the numbers alone show that positions on some axis are never equal, whatever symbols stand for."""
    pairs = zip(first.positions, second.positions, strict=True)
    return any(isinstance(a, IntExpr) and isinstance(b, IntExpr) and _never_equal(a, b) for a, b in pairs)


def _never_equal(first: IntExpr, second: IntExpr) -> bool:
    divisor, offset = 0, 0
    for expression, sign in ((first, 1), (second, -1)):
        for monomial, coefficient in expression.terms:
            if monomial:
                divisor = gcd(divisor, coefficient)
            else:
                offset += sign * coefficient
    return offset % divisor != 0 if divisor else offset != 0
