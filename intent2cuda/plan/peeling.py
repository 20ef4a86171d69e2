"""Which items may run together, one member of some axes after another in any order, and along which axes that is
wise.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from intent2cuda.ir.ops import Allocate, ArgReduce, For, If, Inspect, Parallel, Pointwise, Reduce, RequireEqual, While
from intent2cuda.ir.value import Value
from intent2cuda.plan.access import Access, apart, same_element_only
from intent2cuda.plan.demand import Demand
from intent2cuda.plan.items import Item, Kind
from intent2cuda.plan.roots import Root


@dataclass(frozen=True)
class Group:
    """Consecutive items; `peeled` are the classes of the loop around all of them, none for an item on its own."""

    items: tuple[Item, ...]
    peeled: tuple[int, ...]


class Peeling:
    """`side_by_side`: a reduction keeps its contiguous axis inside, so that it can run for all columns at once; so do
    an ordered loop, each round of which then is for all of them, and a branch.

    Without `fuse` every item is on its own.
    """

    def __init__(self, demand: Demand, side_by_side: bool, fuse: bool) -> None:
        self.demand = demand
        self.side_by_side = side_by_side
        self.fuse = fuse

    def groups(self, items: Sequence[Item], bound: frozenset[int]) -> list[Group]:
        """The items in an order that keeps all dependences, consecutive ones with common free axes together."""
        left, found = list(items), list[Group]()
        while left:
            first = left.pop(0)
            group, peeled = [first], self.axes([first], bound)
            ahead: list[Item] = []
            while peeled and left and self.fuse:
                following = left[0]
                common = self.axes([*group, following], bound)
                if common:
                    group.append(left.pop(0))
                    peeled = common
                elif self._independent(following, group):
                    ahead.append(left.pop(0))
                else:
                    break
            found += self.groups(ahead, bound) if ahead else []
            found.append(Group(tuple(group), peeled))
        return found

    def axes(self, items: Sequence[Item], bound: frozenset[int]) -> tuple[int, ...]:
        """The classes, in the order of the first root that has them all, along which the items can and should be
        peeled.
        """
        if any(self._fixed(item) for item in items):
            return ()
        candidates = [c for c in self._candidates(items[0]) if c not in bound]
        legal = [c for c in candidates if self.legal(items, c)]
        wise = self._wise(items, legal, bound)
        return tuple(sorted(wise, key=lambda c: _order(items, c)))

    def legal(self, items: Sequence[Item], axis_class: int) -> bool:
        """Whether members of the class are independent of each other in everything that the items do."""
        return (
            all(self._peels(item, axis_class) for item in items)
            and self._reads_own_member(items, axis_class)
            and self._writes_own_member(items, axis_class)
        )

    def _fixed(self, item: Item) -> bool:
        if isinstance(item.op, If) and self._is_inspected(item.op.condition):
            return True  # it is asked once, and also where the axes inside have no members
        return item.kind is Kind.END or any(isinstance(r.op, Parallel | Allocate | RequireEqual) for r in item.roots)

    def _is_inspected(self, condition: Value) -> bool:
        """Whether a condition is made of inspections alone."""
        match self.demand.producers.get(condition):
            case Inspect():
                return True
            case Reduce(source=source):
                return self._is_inspected(source)
            case Pointwise(args=args):
                return all(map(self._is_inspected, args))
            case _:
                return False

    def _candidates(self, item: Item) -> list[int]:
        found: dict[int, None] = {}
        for root in item.roots:
            found |= dict.fromkeys(c for n, c in enumerate(root.classes[: root.rank]) if n not in root.inner)
        return list(found)

    def _peels(self, item: Item, axis_class: int) -> bool:
        """Whether everything in the item happens once for each member, and nothing else reads what is the same for
        all.
        """
        if isinstance(item.op, For | While | If) and any(self._common(value) for value in item.op.results):
            return False
        running = [root for root in item.roots if not _neutral(root)]
        return bool(running) and all(own_position(root, axis_class) is not None for root in running)

    def _common(self, value: Value) -> bool:
        """Whether a merged value is a scalar that something reads."""
        return not self.demand.classes.every(value) and value in self.demand.read_values

    def _reads_own_member(self, items: Sequence[Item], axis_class: int) -> bool:
        """Whether what the items define is read at the member's own coordinate only."""
        inside = {value for item in items for value in item.defines}
        inside |= {item.overwrites for item in items if item.overwrites}
        for root in _roots(items):
            own = own_position(root, axis_class)
            for value, tokens in self.demand.seen(root).leaves:
                if value in inside:
                    for axis, token in enumerate(tokens):
                        if self.demand.classes.of(value, axis) == axis_class and (own is None or token != own):
                            return False
        return True

    def _writes_own_member(self, items: Sequence[Item], axis_class: int) -> bool:
        """Whether no member writes memory that another member touches."""
        touched = [
            (access, own_position(root, axis_class))
            for root in _roots(items)
            for access in self.demand.seen(root).accesses
        ]
        for number, (one, own) in enumerate(touched):
            for other, others in touched[:number]:
                if conflict(one, other) and (
                    own is None or others is None or not same_element_only(one, other, own, others)
                ):
                    return False
        return True

    def _wise(self, items: Sequence[Item], legal: Sequence[int], bound: frozenset[int]) -> list[int]:
        """Without the classes whose loop should stay inside: the contiguous axis of a root that keeps other axes."""
        kept = list(legal)
        while True:
            unwise = {
                contiguous
                for root in _roots(items)
                if not self._columns_alone(root)
                and (contiguous := self.contiguous(root)) in kept
                and (len(root.classes) > root.rank or not set(root.classes) <= {*kept, *bound})
            }
            unwise |= self._within(items, kept)
            if not unwise:
                return kept
            kept = [c for c in kept if c not in unwise]

    def _within(self, items: Sequence[Item], kept: Sequence[int]) -> set[int]:
        """The classes along which what ordered loops and branches do runs along memory: a round, or a condition, is for
        all their members.
        """
        if not self.side_by_side:
            return set()
        found = (self.contiguous(root) for item in items if _is_around(item) for root in item.roots)
        return {axis_class for axis_class in found if axis_class is not None and axis_class in kept}

    def _columns_alone(self, root: Root) -> bool:
        return isinstance(root.op, Reduce | ArgReduce) and not self.side_by_side

    def contiguous(self, root: Root) -> int | None:
        """The class that runs along the last axis of most of the memory that the root touches."""
        votes: Counter[int] = Counter()
        seen = self.demand.seen(root)
        for access in seen.accesses:
            if access.last_token is not None:
                votes[root.classes[access.last_token]] += len(access.ties)
        for _, tokens in seen.leaves:
            if len(tokens) > 1 and tokens[-1] is not None:
                votes[root.classes[tokens[-1]]] += len(tokens)
        return max(votes, key=lambda c: votes[c]) if votes else None

    def _independent(self, item: Item, group: Sequence[Item]) -> bool:
        """Whether a definition may run before the group although it stands behind it."""
        if item.kind is not Kind.DEFINE:
            return False
        inside = {value for other in group for value in other.defines}
        return not any(self.demand.reads(item.roots, value) for value in inside) and not self.disturbs(group, item)

    def disturbs(self, writers: Sequence[Item], reader: Item) -> bool:
        """Whether the writers store to memory that the reader touches."""
        return any(
            conflict(one, other)
            for root in _roots(writers)
            for one in self.demand.seen(root).accesses
            if one.store
            for reading in reader.roots
            for other in self.demand.seen(reading).accesses
        )


def conflict(one: Access, other: Access) -> bool:
    """Whether two accesses may touch the same element and one of them writes it."""
    return (one.store or other.store) and one.resource is other.resource and not apart(one, other)


def own_position(root: Root, axis_class: int) -> int | None:
    """The one iterated axis of the class; None when there is none, more than one, or a product routine runs over it."""
    found = [n for n, c in enumerate(root.classes[: root.rank]) if c == axis_class]
    return found[0] if len(found) == 1 and found[0] not in root.inner else None


def _neutral(root: Root) -> bool:
    return root.is_scalar and not root.effect


def _is_around(item: Item) -> bool:
    """Whether sweeps can stand inside the item without memory for what it merges."""
    return item.repeats or (item.kind is Kind.OP and isinstance(item.op, If) and not item.op.results)


def _roots(items: Sequence[Item]) -> Iterator[Root]:
    for item in items:
        yield from item.roots


def _order(items: Sequence[Item], axis_class: int) -> tuple[int, int]:
    """Stores decide the order of loops, then the other roots in program order."""
    roots = sorted(_roots(items), key=lambda root: not root.effect)
    for number, root in enumerate(roots):
        if axis_class in root.classes[: root.rank]:
            return number, root.classes.index(axis_class)
    return len(roots), axis_class


def values_of(group: Group) -> set[Value]:
    return {value for item in group.items for value in item.defines}
