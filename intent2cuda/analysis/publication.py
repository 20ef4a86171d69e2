"""Orders that atomics make between points: what one point releases, another one sees once it has acquired.

Whether the second point really reads what the first one wrote is a matter of data, so the answer is only ever "maybe".
"""

from __future__ import annotations

from intent2cuda.analysis.sites import Site
from intent2cuda.analysis.structure import Structure
from intent2cuda.ir.ops import For, Parallel, While


class Publication:
    """Answers for the points of the loops of one kernel."""

    def __init__(self, found: Structure, all_sites: tuple[Site, ...]) -> None:
        self._order = found.order
        self._releases = [site for site in all_sites if site.access.releases]
        self._acquires = [site for site in all_sites if site.access.acquires]

    @property
    def exists(self) -> bool:
        return bool(self._releases and self._acquires)

    def may_order(self, loop: Parallel, first: Site, second: Site) -> bool:
        """Whether two accesses at different points of the loop may be ordered, one way or the other."""
        return self._may_precede(loop, first, second) or self._may_precede(loop, second, first)

    def _may_precede(self, loop: Parallel, earlier: Site, later: Site) -> bool:
        """Whether a point may release behind `earlier` what a point acquires before `later`."""
        return any(self._stands_before(loop, earlier, release) for release in self._releases) and any(
            self._stands_before(loop, acquire, later) for acquire in self._acquires
        )

    def _stands_before(self, loop: Parallel, one: Site, other: Site) -> bool:
        """Whether a point can execute `one` and then `other`: in program order, or in turns of an ordered loop.

        An atomic counts as its own predecessor: it acquires and releases on its own behalf.
        """
        if loop not in one.loops or loop not in other.loops:
            return False
        if self._order[one.op] <= self._order[other.op]:
            return True
        inner = other.loops[other.loops.index(loop) :]
        return any(isinstance(again, For | While) and again in inner for again in one.loops)
