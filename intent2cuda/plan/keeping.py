"""Which virtual values get a local or a buffer of their own, although they could be computed where they are used."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from intent2cuda.ir.op import Op
from intent2cuda.ir.ops import (
    Bitcast,
    Broadcast,
    Cast,
    Constant,
    Contract,
    Dim,
    Indices,
    Load,
    Pointwise,
    Reduce,
    Reshape,
    Store,
    Transpose,
)
from intent2cuda.ir.terms import Lanes
from intent2cuda.ir.value import Value
from intent2cuda.plan.demand import Demand
from intent2cuda.plan.items import Item, Kind, define_item, with_epilogue
from intent2cuda.plan.peeling import Group, Peeling, conflict, own_position
from intent2cuda.plan.roots import Tokens
from intent2cuda.types.dtype import INDEX
from intent2cuda.types.scalar_fn import SCALAR_FNS, Work

Pure: TypeAlias = dict[Value, tuple[int, Op]]
"""The virtual values of a region: position and op of each."""


MANY = 32
"""A value that takes more virtual elements than this is stored when several selections read it at other coordinates."""

PICKED = 4
"""What a load weighs whose elements are fetched one by one, where a sweep over them is made again and again."""


class Keeping:
    def __init__(self, demand: Demand, peeling: Peeling, keep: bool) -> None:
        self.demand = demand
        self.peeling = peeling
        self.keep = keep
        self.by_cost: set[Value] = set()

    def with_locals(self, items: Sequence[Item], bound: frozenset[int], pure: Pure) -> list[Item]:
        """The items and a definition for each value that becomes a local: all its axes are bound and it pays to name
        it.
        """
        found = list(items)
        for value, (position, op) in reversed(pure.items()):
            classes = self.demand.classes.every(value)
            if value in self.demand.defined or not set(classes) <= bound or len(set(classes)) < len(classes):
                continue
            if self._wants_local(value, op, found, bound):
                self.demand.define(value)
                found.append(define_item(position, op, value, self.demand.classes))
        return sorted(found, key=lambda item: item.position)

    def _wants_local(self, value: Value, op: Op, items: Sequence[Item], bound: frozenset[int]) -> bool:
        if any(value in self.demand.seen(root).named for item in items for root in item.roots):
            return not isinstance(op, Dim | Constant)
        readers = [item for item in items if self.demand.reads(item.roots, value)]
        if not readers or not self._read_at_own_coordinates(value, readers):
            return False
        handed_on = len(readers) == 1 and readers[0].kind is Kind.END
        named = value.tensor.is_scalar and value.name and not isinstance(op, Dim | Constant | Broadcast)
        if named and not handed_on:
            return True
        return not self._trivial(op) and (len(readers) > 1 or self._repeated(value, readers[0], bound))

    def _trivial(self, op: Op) -> bool:
        if isinstance(op, Cast | Bitcast):
            return isinstance(self.demand.producers.get(op.source), Dim | Constant)
        return isinstance(op, Constant | Dim | Indices | Broadcast | Reshape | Transpose)

    def _read_at_own_coordinates(self, value: Value, readers: Sequence[Item]) -> bool:
        classes = self.demand.classes.every(value)
        for reader in readers:
            for root in reader.roots:
                own: Tokens = tuple(own_position(root, c) for c in classes)
                if any(tokens != own for tokens in self.demand.seen(root).at(value)):
                    return False
        return True

    def _repeated(self, value: Value, reader: Item, bound: frozenset[int]) -> bool:
        """Whether the reader would compute the value again and again."""
        return any(
            value in self.demand.seen(root).values
            and (not set(root.classes) <= bound or (reader.repeats and root is not reader.roots[0]))
            for root in reader.roots
        )

    def with_kept(self, groups: Sequence[Group], bound: frozenset[int], depth: int, pure: Pure) -> list[Group]:
        """The groups and a definition for each expensive value that more than one of them sweeps over."""
        wanted = self._wanted(groups, bound, depth, pure)
        found = list(groups)
        for value in wanted:
            self.demand.define(value)
            self.by_cost.add(value)
            item = define_item(*pure[value], value, self.demand.classes)
            found = self._placed(item, self._first_reader(found, value), found, bound)
        return found

    def _wanted(self, groups: Sequence[Group], bound: frozenset[int], depth: int, pure: Pure) -> list[Value]:
        """The values to keep, last first: none that is cheap once the others are kept."""
        before = frozenset(self.demand.defined)
        many = self._many(groups, bound, pure)
        found: list[Value] = []
        trial = list(groups)
        for value, (position, op) in reversed(pure.items()):
            if value in self.demand.defined or set(self.demand.classes.every(value)) <= bound or self._trivial(op):
                continue
            if self._pays(value, trial, bound, depth):
                self.demand.define(value)
                found.append(value)
                item = define_item(position, op, value, self.demand.classes)
                trial.insert(self._first_reader(trial, value), Group((item,), ()))
        for value in found:
            self.demand.forget(value)
            if self._pays(value, [g for g in trial if g.items[0].value is not value], bound, depth):
                self.demand.define(value)
        kept = [value for value in reversed(pure) if value in self.demand.defined and value in (*many, *found)]
        self.demand.leave(before)
        return kept

    def _many(self, groups: Sequence[Group], bound: frozenset[int], pure: Pure) -> list[Value]:
        """Values that several selections read at other coordinates: without storage their work would multiply."""
        found: list[Value] = []
        for value in pure:
            crossed = self.demand.crossed[value] > 1 and value not in self.demand.defined
            if crossed and self.demand.evaluations(value) > MANY:
                self.demand.define(value)
                found.append(value)
        return found

    def _first_reader(self, groups: Sequence[Group], value: Value) -> int:
        return next(n for n, g in enumerate(groups) if any(self.demand.reads(i.roots, value) for i in g.items))

    def _pays(self, value: Value, groups: Sequence[Group], bound: frozenset[int], depth: int) -> bool:
        readers = [g for g in groups if any(self.demand.reads(item.roots, value) for item in g.items)]
        fed = self.keep and any(self._feeds_product(group, value) for group in readers)
        spread = bool(depth or self.keep) and any(self._spread(group, value, bound) for group in readers)
        items = [item for group in readers for item in group.items]
        again = self.keep and any(item.repeats and self.demand.reads(item.roots, value) for item in items)
        several = self.keep and len(readers) > 1
        if not (fed or spread or again or several):
            return False
        around = any(self._around(group, value, bound) for group in readers)
        cost = self._cost(value, PICKED if around else 1)
        if fed:
            return cost >= 8
        if spread and cost >= (4 if depth else 16):
            return True
        return cost >= 4 if again else several and cost >= (2 if depth else 40)

    def _spread(self, group: Group, value: Value, bound: frozenset[int]) -> bool:
        """Whether the loop of a group, or the item without one, runs over an axis that the value does not have.

        Every member would compute the value again. What happens inside a group's loop is decided there.
        """
        for root in (root for item in group.items for root in item.roots):
            reads = self.demand.seen(root).at(value)
            free = [n for n, c in enumerate(root.classes) if (c in group.peeled if group.peeled else c not in bound)]
            many = [n for n in free if (root.extents[n].constant or 5) > 4]
            if any(set(many) - set(tokens) for tokens in reads):
                return True
        return False

    def _around(self, group: Group, value: Value, bound: frozenset[int]) -> bool:
        """Whether a group's loop over an axis that the value does not have is outside of one over an axis that it has:
        each member would sweep over the value again.
        """
        own = set(self.demand.classes.every(value)) - bound
        others = [n for n, c in enumerate(group.peeled) if c not in own]
        return bool(others) and not own <= set(group.peeled[: others[0]]) and self._spread(group, value, bound)

    def _feeds_product(self, group: Group, value: Value) -> bool:
        contractions = (root for item in group.items for root in item.roots if isinstance(root.op, Contract))
        return any(value in self.demand.seen(root).values for root in contractions)

    def _cost(self, value: Value, picked: int) -> int:
        """Operations for one element, down to what is in memory or defined: transcendental functions and divisions
        weigh more.

        A single load and cheap arithmetic stay below 2; a choice by a comparison of indices, whose lanes are twice as
        wide as those of most floats, does not. `picked`: what a load weighs whose elements an index picks along the
        contiguous axis.
        """
        op = self.demand.producers[value]
        root = define_item(0, op, value, self.demand.classes).roots[0]
        loads, weight = 0, 0
        seen = self.demand.seen(root)
        for read, tokens in seen.reads:
            producer = self.demand.producers.get(read)
            if not tokens or (read, tokens) in seen.leaves:
                continue
            if isinstance(producer, Load):
                loads += picked if producer.terms and isinstance(producer.terms[-1], Lanes) else 1
            if isinstance(producer, Pointwise):
                work = SCALAR_FNS[producer.fn].work
                weight += 16 if work is Work.TRANSCENDENTAL else 4 if work is Work.DIVIDE else 0
                weight += 2 if value.tensor.dtype.is_float and _compares_indices(producer) else 0
        return loads + weight

    def _placed(self, item: Item, reader: int, groups: list[Group], bound: frozenset[int]) -> list[Group]:
        """The definition joins the first group that reads it, or the one before, where it can be peeled alike.

        Otherwise it stands alone before its first reader.
        """
        for number in (reader, reader - 1):
            if number >= 0 and groups[number].peeled:
                joined = tuple(sorted([*groups[number].items, item], key=lambda member: member.position))
                if all(self.peeling.legal(joined, c) for c in groups[number].peeled):
                    return [*groups[:number], Group(joined, groups[number].peeled), *groups[number + 1 :]]
        alone = Group((item,), self.peeling.axes([item], bound))
        return [*groups[:reader], alone, *groups[reader:]]

    def absorbed(self, groups: Sequence[Group], bound: frozenset[int]) -> dict[Item, Item]:
        """Definitions that a reduction makes on its way: it visits each element exactly once, before any other
        reader.
        """
        found: dict[Item, Item] = {}
        for number, group in enumerate(groups):
            item = group.items[0]
            if item.kind is not Kind.DEFINE or len(group.items) > 1 or item.value is None:
                continue
            if set(item.roots[0].classes) <= bound:
                continue
            following = [
                g for g in groups[number + 1 :] if any(self.demand.reads(i.roots, item.value) for i in g.items)
            ]
            if following and self._visits_all(following[0], item.value, bound):
                reduction = following[0].items[0]
                between = groups[number + 1 : groups.index(following[0])]
                if not self.peeling.disturbs([i for g in between for i in g.items], item):
                    found[item] = reduction
        return found

    def _visits_all(self, group: Group, value: Value, bound: frozenset[int]) -> bool:
        reduction = group.items[0]
        if group.peeled or reduction.kind is not Kind.OP or not isinstance(reduction.op, Reduce):
            return False
        root = reduction.roots[0]
        if not set(root.classes[: root.rank]) <= bound:
            return False
        reads = self.demand.seen(root).at(value)
        if len(reads) != 1 or None in reads[0]:
            return False
        open_axes = [token for token in reads[0] if token is not None and token >= root.rank]
        return sorted(open_axes) == list(range(root.rank, len(root.classes)))

    def with_epilogues(self, items: Sequence[Item]) -> list[Item]:
        """A contraction and the only store that reads it, element by element, become one item."""
        found = list(items)
        for item in items:
            if isinstance(item.op, Contract) and item.kind is Kind.OP:
                readers = [
                    other for other in found if other is not item and self.demand.reads(other.roots, item.op.result)
                ]
                if len(readers) == 1 and self._ends(item, readers[0], found):
                    position = found.index(readers[0])
                    found[position] = with_epilogue(item, readers[0])
                    found.remove(item)
        return found

    def _ends(self, product: Item, store: Item, items: Sequence[Item]) -> bool:
        between = items[items.index(product) + 1 : items.index(store)]
        if not isinstance(store.op, Store) or store.op.valid is not None:
            return False  # a routine writes all of its results
        if any(other.kind is not Kind.DEFINE for other in between):
            return False
        root = store.roots[0]
        reads = [tokens for value, tokens in self.demand.seen(root).reads if value in product.defines]
        if len(reads) != 1 or sorted(-1 if t is None else t for t in reads[0]) != list(range(root.rank)):
            return False
        operands = self.demand.seen(product.roots[0]).accesses
        return not any(
            conflict(one, other) for one in self.demand.seen(root).accesses if one.store for other in operands
        )


def _compares_indices(op: Pointwise) -> bool:
    return op.result.tensor.dtype.is_bool and op.args[0].tensor.dtype == INDEX
