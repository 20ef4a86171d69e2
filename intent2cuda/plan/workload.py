"""The facts of a kernel's operations: what they compute and what they move."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from intent2cuda.ir.kernel import Kernel
from intent2cuda.ir.op import Op
from intent2cuda.plan.activity import Activity
from intent2cuda.plan.counting import Counting, DataSymbol
from intent2cuda.plan.places import Places
from intent2cuda.plan.quantity import Quantity
from intent2cuda.plan.traffic import Traffic
from intent2cuda.plan.work import Counts


class Workload:
    """Answers for the ops of a kernel as its author wrote it."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        places = Places(kernel)
        self._counting = Counting(places)
        activity = Activity(kernel, places.relations)
        self._counts = Counts(self._counting, activity)
        self._traffic = Traffic(self._counting, activity)

    def work(self, op: Op) -> Iterator[tuple[str, str, Quantity]]:
        return self._counts.of(op)

    def distinct(self, ops: Sequence[Op], writes: bool) -> Quantity:
        return self._traffic.distinct_bytes(ops, writes)

    def requested(self, ops: Sequence[Op], writes: bool) -> Quantity:
        return self._traffic.requested_bytes(ops, writes)

    @property
    def data(self) -> tuple[DataSymbol, ...]:
        return tuple(self._counting.data.values())
