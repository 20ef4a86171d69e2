"""Walks a kernel and puts inspections before what is not proved to keep the rules.

Before:                                   After:
    %i: i64 = load %index[%k]                 %i: i64 = load %index[%k]
    %x: f32 = load %table[%i]                 %0: bool = inspect (0 <= %i < N) bounds numbers=(%i, %N)
                                              %x: f32 = load %table[%i] valid=%0 fill=%zero

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
    Allocate,
    AssumeInBounds,
    AtomicLoad,
    AtomicStore,
    AtomicUpdate,
    CompareExchange,
    Gather,
    Histogram,
    Load,
    Parallel,
    ScatterReduce,
    Store,
    Subregion,
    Yield,
)
from intent2cuda.ir.value import Value
from intent2cuda.rewrite.checking import conditions, meetings, presence
from intent2cuda.rewrite.checking.accesses import Accesses
from intent2cuda.rewrite.checking.refusal import refuse
from intent2cuda.rewrite.copying import Copy, next_serial
from intent2cuda.types.dtype import I64


def checked(kernel: Kernel) -> Kernel:
    """The kernel with inspections of all that is open.

    Raises: IntentError with what the kernel does that cannot be inspected.
    """
    return _Checking(kernel).kernel()


class _Checking:
    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._builder = Builder(kernel.name, next_serial(kernel))
        self._copy = Copy()
        self._open = unproved(kernel)
        self._accesses = Accesses(self._builder, self._open)
        self._loops: dict[Region, Parallel] = {}

    def kernel(self) -> Kernel:
        for found in self._open.meetings:
            if found.why:
                refuse(found.write.op, found.why)
            if found.loop is not None:
                self._loops[found.loop.body] = found.loop
        return replace(self._kernel, body=self._body(self._kernel.body))

    def _body(self, region: Region) -> Region:
        arguments = self._copy.arguments(region)
        return Region(arguments, self._builder.collect(lambda: self._ops_of(region, arguments)))

    def _ops_of(self, region: Region, arguments: Sequence[Value]) -> None:
        if region is self._kernel.body:
            for parameter in self._kernel.parameters:
                self._flag(parameter)
        loop = self._loops.get(region)
        if loop is not None:
            domains = [self._copy.value(domain) for domain in loop.domains]
            self._accesses.points[loop] = meetings.number_of_point(self._builder, domains, arguments)
        self._ops(region.ops, region)

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
        builder.place = op
        if isinstance(op, Parallel) and op.body in self._loops:
            self._mark(op)
        copied = self._copy.op(op, self._body)
        builder.place = op
        match copied:
            case Load() | Gather():
                self._accesses.read(op, copied)
            case Store():
                self._accesses.store(op, copied)
            case AtomicLoad() | AtomicStore() | AtomicUpdate() | CompareExchange() | ScatterReduce():
                for old, new in zip(results(op), self._accesses.update(op, copied), strict=True):
                    if new is not old:
                        self._copy.stand_in(old, new)
            case Histogram():
                builder.emit(replace(copied, valid=conditions.of_bins(builder, copied)))
            case Allocate():
                builder.emit(copied)
                self._flag(copied.result)
            case _:
                builder.emit(copied)

    def _mark(self, loop: Parallel) -> None:
        """Marks for what the points of a loop may write together."""
        resources = dict.fromkeys(found.write.resource for found in self._open.meetings if found.loop is loop)
        for resource in resources:
            shape = self._copy.value(resource).resource.shape
            made = meetings.marks_of(self._builder, shape, I64, f"{resource.name}_marks")
            self._accesses.marks[resource.serial, loop] = made

    def _flag(self, resource: Value) -> None:
        """Flags for what may be read before it is written."""
        if resource.serial in self._open.empty:
            self._accesses.flags[resource.serial] = presence.flags_of(self._builder, resource)
