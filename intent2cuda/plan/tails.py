"""What is kept of a value that only one other value is made of: that other one, where the group can compute it.

peak = maximum(reduce.max(score, axis=1), LOWEST)    `peak` is kept, so that no reader takes the maximum again
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from intent2cuda.ir.constants import constant_of
from intent2cuda.ir.op import operands, results
from intent2cuda.ir.ops import Bitcast, Cast, Pointwise
from intent2cuda.ir.value import Value
from intent2cuda.plan.demand import Demand
from intent2cuda.plan.items import Item, define_item
from intent2cuda.plan.keeping import Pure
from intent2cuda.plan.peeling import Group, Peeling, values_of


class Tails:
    def __init__(self, demand: Demand, peeling: Peeling) -> None:
        self._demand = demand
        self._peeling = peeling

    def with_tails(self, groups: Sequence[Group], pure: Pure) -> list[Group]:
        """The groups; one whose value is read later, through a single value made of it, defines that value too."""
        found = list(groups)
        for number, group in enumerate(found):
            if not group.peeled:
                continue
            for value in sorted(values_of(group), key=lambda v: v.serial):
                while (tail := self._tail(value, found[number], found[number + 1 :], pure)) is not None:
                    assert tail.value is not None
                    self._demand.define(tail.value)
                    items = sorted([*found[number].items, tail], key=lambda item: item.position)
                    found[number] = replace(found[number], items=tuple(items))
                    value = tail.value
        return found

    def _tail(self, value: Value, group: Group, later: Sequence[Group], pure: Pure) -> Item | None:
        """The definition of the only value made of this one, when later groups read it and this one can compute it."""
        users = self._demand.users.get(value, ())
        if len(users) != 1 or not isinstance(users[0], Pointwise | Cast | Bitcast):
            return None
        (made,) = results(users[0])
        if made not in pure or made in self._demand.defined or not self._read(made, later):
            return None
        if made.tensor.dtype.bytes > value.tensor.dtype.bytes or (value.name and not made.name):
            return None  # the value itself takes less memory, or is what the author has a name for
        if not all(other is value or constant_of(other, self._demand.producers.get) for other in operands(users[0])):
            return None
        item = define_item(*pure[made], made, self._demand.classes)
        joined = (*group.items, item)
        return item if all(self._peeling.legal(joined, c) for c in group.peeled) else None

    def _read(self, value: Value, groups: Sequence[Group]) -> bool:
        return any(self._demand.reads(item.roots, value) for group in groups for item in group.items)
