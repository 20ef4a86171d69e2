"""Reductions of the same members that run in one sweep: what they share is read and computed once."""

from __future__ import annotations

from collections.abc import Sequence

from intent2cuda.ir.ops import ArgReduce, Contract, Pointwise, Reduce, ScatterReduce, Store
from intent2cuda.plan.demand import Demand
from intent2cuda.plan.items import Item, Kind, with_siblings
from intent2cuda.plan.peeling import Peeling
from intent2cuda.plan.roots import Read, Root
from intent2cuda.types.scalar_fn import SCALAR_FNS, Work

MOST = 4
"""Reductions in one sweep: the partial results of each stay in registers."""

PASSED = (Store, ScatterReduce, Reduce, ArgReduce, Contract)
"""What a reduction may run before although it stands behind it; nothing that waits, checks or decides is among them."""


class Siblings:
    def __init__(self, demand: Demand, peeling: Peeling) -> None:
        self.demand = demand
        self.peeling = peeling

    def joined(self, items: Sequence[Item], bound: frozenset[int]) -> list[Item]:
        """The items with each reduction in the sweep of the first one that shares members with it."""
        found = list(items)
        for item in items:
            if self.peeling.fuse and item in found and self._reduces(item, bound):
                found = self._gathered(item, found, bound)
        return found

    def _gathered(self, first: Item, items: Sequence[Item], bound: frozenset[int]) -> list[Item]:
        """The items with the siblings of one of them in its sweep, and what they need in front of it."""
        place = items.index(first)
        taken, ahead, left = [first], list[Item](), list[Item]()
        for item in items[place + 1 :]:
            needed = self._needed(item, taken, left) if self._beside(first, item, bound) else None
            if needed is None or len(taken) == MOST:
                left.append(item)
                continue
            taken.append(item)
            ahead += needed
            left = [other for other in left if other not in needed]
        if len(taken) == 1:
            return list(items)
        return [*items[:place], *ahead, with_siblings(taken, self.demand.classes), *left]

    def _reduces(self, item: Item, bound: frozenset[int]) -> bool:
        """Whether an item is a reduction to one element for each member of the loops around."""
        if item.kind is not Kind.OP or not isinstance(item.op, Reduce):
            return False
        (root,) = item.roots
        return set(root.classes[: root.rank]) <= bound

    def _beside(self, first: Item, item: Item, bound: frozenset[int]) -> bool:
        if not self._reduces(item, bound):
            return False
        (one,), (other,) = first.roots, item.roots
        same = one.classes[: one.rank] == other.classes[: other.rank] and one.extents == other.extents
        return same and self._shares(one, other)

    def _shares(self, one: Root, other: Root) -> bool:
        """Whether two reductions read the same elements of memory, or compute the same expensive ones."""
        mine, others = self.demand.seen(one), self.demand.seen(other)
        read = (access for access in mine.accesses if access in others.accesses)
        if any(tie[0] >= one.rank for access in read for tie in access.ties):
            return True
        ends = {*mine.leaves, *others.leaves}
        common = set(mine.reads) & set(others.reads)
        moving = (read for read in common if any(token is not None and token >= one.rank for token in read[1]))
        return any(read in ends or self._is_expensive(read) for read in moving)

    def _is_expensive(self, read: Read) -> bool:
        op = self.demand.producers.get(read[0])
        return isinstance(op, Pointwise) and SCALAR_FNS[op.fn].work in (Work.DIVIDE, Work.TRANSCENDENTAL)

    def _needed(self, item: Item, sweep: Sequence[Item], between: Sequence[Item]) -> list[Item] | None:
        """The definitions that must move with an item to the sweep, in order; None where it cannot move."""
        moving = [item]
        for other in reversed(between):
            if any(self.demand.reads(each.roots, value) for each in moving for value in other.defines):
                moving.insert(0, other)
        stays = [other for other in between if other not in moving]
        found = {value for each in sweep for value in each.defines}
        if any(other.kind is not Kind.DEFINE for other in moving[:-1]):
            return None
        if any(other.kind is not Kind.DEFINE and not isinstance(other.op, PASSED) for other in stays):
            return None
        if any(self.demand.reads(each.roots, value) for each in moving for value in found):
            return None
        return None if any(self.peeling.disturbs(stays, each) for each in moving) else moving[:-1]
