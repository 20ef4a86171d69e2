"""Walks a kernel and puts inspections before what is not proved to keep the rules.

Before:                                   After:
    %i: i64 = load %index[%k]                 %i: i64 = load %index[%k]
    %x: f32 = load %table[%i]                 %2: bool = ge %i, %zero
                                              ...
                                              %5: bool = inspect %4, bounds ...
                                              %x: f32 = load %table[%i] valid=%5 fill=%0

An access that breaks a rule is left out. What cannot be left out without the rest, such as a part of a domain, takes
the rest of its region with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from intent2cuda.analysis.unproved import unproved
from intent2cuda.ir.builder import Builder
from intent2cuda.ir.kernel import Kernel
from intent2cuda.ir.op import Op, Region, results
from intent2cuda.ir.ops import (
    AssumeInBounds,
    AtomicLoad,
    AtomicStore,
    AtomicUpdate,
    CompareExchange,
    Gather,
    Histogram,
    Load,
    ScatterReduce,
    Store,
    Subregion,
    Yield,
)
from intent2cuda.ir.value import Value
from intent2cuda.rewrite.checking import conditions, updates
from intent2cuda.rewrite.checking.positions import Place, inspected, like
from intent2cuda.rewrite.checking.refusal import refuse
from intent2cuda.rewrite.copying import Copy, next_serial


def checked(kernel: Kernel) -> Kernel:
    """The kernel with inspections of all that is open.

    Raises: IntentError with what the kernel does that cannot be inspected.
    """
    return replace(kernel, body=_Checking(kernel).body(kernel.body))


class _Checking:
    def __init__(self, kernel: Kernel) -> None:
        self._builder = Builder(kernel.name, next_serial(kernel))
        self._copy = Copy()
        self._open = unproved(kernel)

    def body(self, region: Region) -> Region:
        arguments = self._copy.arguments(region)
        return Region(arguments, self._builder.collect(lambda: self._ops(region.ops, region)))

    def _ops(self, ops: Sequence[Op], region: Region) -> None:
        for number, op in enumerate(ops):
            self._builder.place = op
            condition = self._condition(op)
            if condition is None:
                self._op(op)
                continue
            if isinstance(op, Subregion):
                self._builder.emit(self._copy.op(op))
            self._rest_if(condition, op, ops[number + 1 :], region)
            return

    def _condition(self, op: Op) -> Value | None:
        """What must hold for the rest of the region to make sense; None where nothing has to be asked."""
        match op:
            case Subregion() if op in self._open.parts:
                return conditions.of_part(self._builder, self._copy.op(op))
            case AssumeInBounds():
                return conditions.of_promise(self._builder, self._copy.op(op))
            case _:
                return None

    def _rest_if(self, condition: Value, cause: Op, rest: Sequence[Op], region: Region) -> None:
        """The rest of the region where the condition holds; elsewhere a loop carries on what it carries."""
        last = rest[-1] if rest and isinstance(rest[-1], Yield) else None
        carried = () if last is None else last.values
        if last is not None and (last.stop is not None or len(carried) > len(region.args)):
            refuse(cause, "a part of a domain or a promise in a region that gives values")
        unchanged = region.args[len(region.args) - len(carried) :]
        if any(value.type != argument.type for value, argument in zip(carried, unchanged, strict=True)):
            refuse(cause, "a part of a domain or a promise in a region that gives values")

        def then() -> Sequence[Value]:
            self._ops(rest if last is None else rest[:-1], region)
            return [self._copy.value(value) for value in carried]

        merged = self._builder.branch(condition, then, lambda: [self._copy.value(value) for value in unchanged])
        if last is not None:
            self._builder.emit(replace(last, values=merged))

    def _op(self, op: Op) -> None:
        builder = self._builder
        copied = self._copy.op(op, self.body)
        builder.place = op
        axes = self._open.axes.get(op, ())
        match copied:
            case Load() | Gather() | Store() if axes:
                self._masked(copied, axes)
            case AtomicLoad() | AtomicStore() | AtomicUpdate() | CompareExchange() | ScatterReduce() if axes:
                place = Place(copied.resource.name, copied.resource.resource.shape, copied.terms)
                made = updates.where(builder, copied, inspected(builder, place, axes), place)
                for old, new in zip(results(op), made, strict=True):
                    self._copy.stand_in(old, new)
            case Histogram():
                builder.emit(replace(copied, valid=conditions.of_bins(builder, copied)))
            case _:
                builder.emit(copied)

    def _masked(self, op: Load | Gather | Store, axes: Sequence[int]) -> None:
        builder = self._builder
        if isinstance(op, Gather):
            place = Place(op.source.name or "the tensor", op.source.tensor.shape, op.terms, op.valid)
        else:
            place = Place(op.resource.name, op.resource.resource.shape, op.terms, op.valid)
        mask = inspected(builder, place, axes)
        if isinstance(op, Store):
            builder.emit(replace(op, valid=mask))
            return
        fill = (
            op.fill if op.fill is not None else like(builder, updates.zero(builder, op.result.tensor.dtype), op.result)
        )
        builder.emit(replace(op, valid=mask, fill=fill))
