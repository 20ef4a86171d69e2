"""What a root reads on its way down to memory and to values that stages define."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from intent2cuda.base.intexpr import IntExpr
from intent2cuda.ir.kernel import Kernel, walk
from intent2cuda.ir.op import Op, regions, results
from intent2cuda.ir.ops import Load, Store
from intent2cuda.ir.value import Value
from intent2cuda.plan.access import Access, access_of
from intent2cuda.plan.roots import Read, Root, bounds_of, identity, is_pure_definition, named_scalars, virtual_reads
from intent2cuda.plan.worksets import AxisClasses


@dataclass(frozen=True)
class Seen:
    """`reads`: every value on the way; `leaves`: those where it ends; `named`: scalars that extents and bounds mention."""

    reads: tuple[Read, ...]
    leaves: tuple[Read, ...]
    named: tuple[Value, ...]
    accesses: tuple[Access, ...]
    values: frozenset[Value]


class Demand:
    """Answers what roots read, given which virtual values have a stage of their own (`define`)."""

    def __init__(self, kernel: Kernel, classes: AxisClasses) -> None:
        self.classes = classes
        self.producers: dict[Value, Op] = {}
        self.by_serial: dict[int, Value] = {value.serial: value for value in kernel.parameters}
        for op in walk(kernel.body):
            for value in results(op):
                self.by_serial[value.serial] = value
                if is_pure_definition(op):
                    self.producers[value] = op
            for region in regions(op):
                self.by_serial |= {value.serial: value for value in region.args}
        self.defined: set[Value] = set()
        self._seen: dict[Root, Seen] = {}

    def define(self, value: Value) -> None:
        """From now on a stage computes the value; reading it ends there."""
        self.defined.add(value)
        self._seen.clear()

    def seen(self, root: Root) -> Seen:
        if root not in self._seen:
            self._seen[root] = self._walk(root)
        return self._seen[root]

    def reads(self, roots: Iterable[Root], value: Value) -> bool:
        return any(value in self.seen(root).values for root in roots)

    def _walk(self, root: Root) -> Seen:
        reads: dict[Read, None] = {}
        leaves: dict[Read, None] = {}
        named: dict[Value, None] = {}
        accesses: list[Access] = []
        if isinstance(root.op, Store):
            accesses.append(access_of(root.op, identity(root.op.value), self.producers))
        pending: list[Read] = [*root.reads, *self._named(root.scalars, named)]
        first = set(root.reads) if root.defines else set[Read]()
        while pending:
            read = pending.pop()
            if read in reads:
                continue
            reads[read] = None
            value, tokens = read
            op = self.producers.get(value)
            if op is None or (value in self.defined and read not in first):
                leaves[read] = None
                continue
            if isinstance(op, Load):
                accesses.append(access_of(op, tokens, self.producers))
            pending += [*virtual_reads(op, tokens), *self._named(bounds_of(op), named)]
        return Seen(tuple(reads), tuple(leaves), tuple(named), tuple(accesses), frozenset(value for value, _ in reads))

    def _named(self, bounds: Iterable[IntExpr], named: dict[Value, None]) -> list[Read]:
        found = [self.by_serial[serial] for serial in named_scalars(tuple(bounds))]
        named |= dict.fromkeys(found)
        return [(value, ()) for value in found]
