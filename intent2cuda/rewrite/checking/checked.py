"""Walks a kernel and puts inspections before what is not proved to keep the rules.

Before:                                   After:
    %i: i64 = load %index[%k]                 %i: i64 = load %index[%k]
    %x: f32 = load %table[%i]                 %0: bool = inspect (0 <= %i < N) bounds numbers=(%i, %N)
                                              %x: f32 = load %table[%i] valid=%0 fill=%zero

An access that breaks a rule is left out. What cannot be left out without the rest, such as a part of a domain, takes
the rest of its region with it: so does an access that nothing need compute as long as it keeps the rules, and a range.
Loops that data may make very long end with the round that breaks a rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from typing import cast

from intent2cuda.analysis.unproved import unproved
from intent2cuda.base.intexpr import symbols
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
    For,
    Gather,
    Histogram,
    Load,
    Parallel,
    ScatterReduce,
    Store,
    Subregion,
    While,
    Yield,
)
from intent2cuda.ir.value import Value
from intent2cuda.rewrite.checking import conditions, meetings, presence
from intent2cuda.rewrite.checking.accesses import Accesses
from intent2cuda.rewrite.checking.demand import Demand
from intent2cuda.rewrite.checking.elements import both
from intent2cuda.rewrite.checking.refusal import refuse
from intent2cuda.rewrite.copying import Copy, next_serial
from intent2cuda.types.dtype import BOOL, I64


def checked(kernel: Kernel) -> Kernel:
    """The kernel with inspections of all that is open.

    Raises: IntentError with what the kernel does that cannot be inspected.
    """
    return _Checking(kernel).kernel()


@dataclass(frozen=True)
class _Conditional:
    """The rest of a region, which makes sense under a condition alone. `cause`: the op that asks for it."""

    condition: Value
    cause: Op
    rest: Sequence[Op]


class _Checking:
    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._builder = Builder(kernel.name, next_serial(kernel))
        self._copy = Copy()
        self._open = unproved(kernel)
        self._accesses = Accesses(kernel, self._builder, self._open)
        self._demand = Demand(kernel)
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
        with self._accesses.apart():
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
        found = self._up_to_condition(ops, region)
        if found is None:
            return
        merged = self._rest_if(found, region)
        last = ops[-1]
        if isinstance(last, Yield):
            values, ends = merged[: len(last.values)], merged[len(last.values) :]
            self._builder.emit(replace(last, values=tuple(values), stop=self._stop(ends, region)))

    def _up_to_condition(self, ops: Sequence[Op], region: Region) -> _Conditional | None:
        """Does the ops in front of the first one whose rest makes sense under a condition alone, and gives that rest;
        None where there is no such op.
        """
        for number, op in enumerate(ops):
            self._builder.place = op
            condition = self._condition(op, region)
            if condition is None:
                self._op(op, region)
                continue
            if isinstance(op, Subregion):
                self._builder.emit(self._copy.op(op))
            done = isinstance(op, Subregion | AssumeInBounds)
            return _Conditional(condition, op, ops[number + done :])
        return None

    def _condition(self, op: Op, region: Region) -> Value | None:
        """What must hold for the rest of the region to make sense; None where nothing has to be asked."""
        match op:
            case Load() | Gather() | Store() if self._asks_first(op, region):
                self._accesses.settled.add(op)
                return self._accesses.all_inside(op, self._copy.op(op))
            case Parallel() if op not in self._accesses.settled and self._demand.runs_on_its_own(region):
                return self._accesses.all_points_inside(op, self._copy.expression)
            case Subregion() if op in self._open.parts:
                return conditions.of_part(self._builder, self._copy.op(op))
            case AssumeInBounds():
                return conditions.of_promise(self._builder, self._copy.op(op))
            case _:
                return None

    def _asks_first(self, op: Load | Gather | Store, region: Region) -> bool:
        """Whether a broken rule of the access would be found too late, or not at all, by whoever needs its elements."""
        if op.valid is not None or op in self._accesses.settled or op not in self._open.axes:
            return False
        late = self._accesses.at_once(op)
        unasked = not isinstance(op, Store) and not self._demand.is_sure(op.result, op)
        return (late or unasked) and self._demand.runs_on_its_own(region)

    def _rest_if(self, found: _Conditional, region: Region) -> Sequence[Value]:
        """The rest of the region where its condition holds; elsewhere a loop carries on what it carries, or ends.

        Gives what is carried, and whether a loop ends where it may end before its last round.
        """
        cause, rest = found.cause, found.rest
        last = rest[-1] if rest and isinstance(rest[-1], Yield) else None
        carried = () if last is None else last.values
        unchanged = region.args[len(region.args) - len(carried) :]
        if len(carried) > len(region.args):
            refuse(cause, "a part of a domain or a promise in a region that gives values")
        if any(value.type != argument.type for value, argument in zip(carried, unchanged, strict=True)):
            refuse(cause, "a part of a domain or a promise in a region that gives values")
        ends = self._is_long(region) or (last is not None and last.stop is not None)

        def then() -> Sequence[Value]:
            with self._accesses.apart():
                inner = self._up_to_condition(rest if last is None else rest[:-1], region)
                if inner is not None:
                    whole = inner if last is None else replace(inner, rest=(*inner.rest, last))
                    merged = self._rest_if(whole, region)
                    values, reasons = merged[: len(carried)], merged[len(carried) :]
                else:
                    values, reasons = [self._copy.value(value) for value in carried], self._reasons(last)
                stop = self._stop(reasons, region) if ends else None
            return [*values, stop or self._builder.constant(False, BOOL)] if ends else values

        def otherwise() -> Sequence[Value]:
            values = [self._copy.value(value) for value in unchanged]
            return [*values, self._builder.constant(True, BOOL)] if ends else values

        return self._builder.branch(found.condition, then, otherwise)

    def _is_long(self, region: Region) -> bool:
        """Whether a region is the body of a loop as long as data say: its length is no extent of the arguments."""
        loop = self._demand.loop(region)
        if isinstance(loop, For):
            return any(symbol.serial for symbol in symbols(loop.domain.domain.extent))
        return loop is not None

    def _reasons(self, ending: Yield | None) -> Sequence[Value]:
        """The author's own reason to end a loop, if there is one."""
        return () if ending is None or ending.stop is None else (self._copy.value(ending.stop),)

    def _stop(self, reasons: Sequence[Value], region: Region) -> Value | None:
        """Whether a loop ends with this round: for such a reason, or a broken rule in one that may be long."""
        kept = self._accesses.kept if self._is_long(region) else []
        stops = [*(self._builder.pointwise("not", each) for each in kept), *reasons]
        return reduce(partial(self._builder.pointwise, "or"), stops) if stops else None

    def _op(self, op: Op, region: Region) -> None:
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
            case Yield():
                self._end(op, copied, region)
            case _:
                builder.emit(copied)

    def _end(self, op: Op, copied: Yield, region: Region) -> None:
        owner = self._demand.owners.get(region)
        if isinstance(owner, While) and region is owner.test:
            holds = reduce(partial(both, self._builder), [*self._accesses.kept, *copied.values])
            self._builder.emit(replace(copied, values=(holds,)))
        else:
            self._builder.emit(replace(copied, stop=self._stop(self._reasons(cast(Yield, op)), region)))

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
