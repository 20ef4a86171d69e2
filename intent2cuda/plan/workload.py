"""The facts of a kernel's operations: what they compute and what they move, as the author wrote them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import reduce

from intent2cuda.analysis.effects import access
from intent2cuda.base.intexpr import IntExpr, ceiling, maximum, symbols
from intent2cuda.ir.kernel import Kernel, walk
from intent2cuda.ir.notation import Names
from intent2cuda.ir.op import Op, Region
from intent2cuda.ir.ops import RegionFold, RegionScan
from intent2cuda.ir.value import Value
from intent2cuda.plan.activity import Activity
from intent2cuda.plan.counting import Counting
from intent2cuda.plan.places import Places
from intent2cuda.plan.portable import Work, WorkloadFacts
from intent2cuda.plan.quantity import NOTHING, DataSymbol, Quantity, Unknown, add, greatest, times
from intent2cuda.plan.spelling import spelled, spelled_quantity
from intent2cuda.plan.traffic import Traffic
from intent2cuda.plan.work import Counts


class Workload:
    """Answers for the ops of a kernel as its author wrote it. `names` are those by which plans call its scalars."""

    def __init__(self, kernel: Kernel, names: Names) -> None:
        places = Places(kernel)
        self.kernel = kernel
        self._names = names
        self._counting = Counting(places)
        activity = Activity(kernel, places.relations)
        self._counts = Counts(self._counting, activity)
        self._traffic = Traffic(self._counting, activity)
        self._work: dict[Op, tuple[tuple[str, str, Quantity], ...]] = {}
        self._facts: dict[object, WorkloadFacts] = {}

    def work(self, op: Op) -> tuple[tuple[str, str, Quantity], ...]:
        """(class, dtype, how often) of what an op does itself, without its regions."""
        if op not in self._work:
            self._work[op] = tuple((k, d, spelled_quantity(q, self._names)) for k, d, q in self._counts.of(op))
        return self._work[op]

    def done(self, ops: Mapping[Op, int]) -> tuple[Work, ...]:
        """The work of ops, each so many times."""
        return merged((k, d, times(q, n)) for op, n in ops.items() for k, d, q in self.work(op))

    def distinct(self, ops: Iterable[Op], writes: bool) -> Quantity:
        """The bytes of the elements of views that ops read or write, each element counted once."""
        return spelled_quantity(self._traffic.distinct_bytes(ops, writes), self._names)

    def requested(self, ops: Iterable[Op], writes: bool) -> Quantity:
        """The bytes that ops read or write, as often as they do."""
        return spelled_quantity(self._traffic.requested_bytes(ops, writes), self._names)

    def facts(self, ops: Mapping[Op, int], fetched: Quantity = NOTHING, stored: Quantity = NOTHING) -> WorkloadFacts:
        """The facts of ops, each done so many times, which also move bytes of buffers that the plan adds."""
        key = tuple((op, n) for op, n in ops.items() if n != 1 or self.work(op) or access(op)), fetched, stored
        if key not in self._facts:
            self._facts[key] = self._found(ops, fetched, stored)
        return self._facts[key]

    def _found(self, ops: Mapping[Op, int], fetched: Quantity, stored: Quantity) -> WorkloadFacts:
        read, written = (self.distinct(ops, writes) for writes in (False, True))
        requested = add(self.requested(ops, writes=False), self.requested(ops, writes=True))
        return WorkloadFacts(
            ops_by_class=self.done(ops),
            read_bytes=add(read, fetched),
            write_bytes=add(written, stored),
            requested_bytes=reduce(add, (fetched, stored), requested),
            message_bytes=NOTHING,
        )

    def merges(self, op: RegionFold | RegionScan, segment: IntExpr) -> tuple[Work, ...]:
        """What it takes more to run an op in segments of so many members: the merges, and what each segment does
        whatever its length.
        """
        whole = self._counting.places.resolved(op.sources[0].tensor.shape[op.axis])
        segments = ceiling(whole, segment) if self._counting.places.is_known(whole) else None
        further = None if segments is None else maximum(segments - 1, 0)
        merging, cut = (
            (op.combine, [op.summarize]) if isinstance(op, RegionFold) else (op.apply, [op.summarize, op.emit])
        )
        found = [_scaled(part, segments if isinstance(op, RegionFold) else further) for part in self._within(merging)]
        for region in cut:
            found += (_scaled(part, further) for part in self._within(region, region.args[0]))
        return merged((kind, dtype, spelled_quantity(count, self._names)) for kind, dtype, count in found)

    def elements(self, op: Op, value: Value) -> IntExpr | None:
        """How many elements of a value all members of the loops around its op have at most, over the call."""
        found = greatest(self._counting.count(self._counting.places.of[op], value.tensor.shape))
        return None if found is None else spelled(found, self._names)

    def not_negative(self, extent: IntExpr) -> IntExpr:
        """The extent, 0 where it is less; by the names of plans."""
        return spelled(self._counting.places.given.everywhere.larger(extent, IntExpr.of(0)), self._names)

    @property
    def data(self) -> tuple[DataSymbol, ...]:
        """The numbers in facts so far that data gives."""
        return tuple(
            replace(d, first=spelled(d.first, self._names), last=spelled(d.last, self._names))
            for d in self._counting.data.values()
        )

    def _within(self, region: Region, extent: Value | None = None) -> Iterator[tuple[str, str, Quantity]]:
        """The work of the ops of a region when it runs; with `extent` only what does not depend on that."""
        for op in walk(region):
            place = replace(self._counting.places.of[op], never=False)
            for each in self._counts.works(op):
                mentioned = (s.serial for e in each.shape for s in symbols(e))
                if extent is None or extent.serial not in mentioned:
                    yield each.kind, each.dtype.name, self._counting.count(place, each.shape, each.active)


def _scaled(part: tuple[str, str, Quantity], factor: IntExpr | None) -> tuple[str, str, Quantity]:
    kind, dtype, count = part
    return kind, dtype, Unknown("segments differ from member to member") if factor is None else times(count, factor)


def merged(parts: Iterable[tuple[str, str, Quantity]]) -> tuple[Work, ...]:
    """The work by class and element type; what is never done is left out."""
    totals: dict[tuple[str, str], Quantity] = {}
    for kind, dtype, count in parts:
        totals[kind, dtype] = add(totals.get((kind, dtype), NOTHING), count)
    return tuple(Work(*key, totals[key]) for key in sorted(totals) if totals[key] != NOTHING)
