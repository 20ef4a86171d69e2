"""A stage tree run one element at a time: what the tree means, with the members of unordered loops in any order.

Levels, spaces and barriers are not looked at.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from intent2cuda.ir import ops
from intent2cuda.ir.op import results
from intent2cuda.ir.ops import Combiner, Update
from intent2cuda.ir.value import Value
from intent2cuda.plan.axes import free_axes, yielded
from intent2cuda.plan.concrete import ConcretePlan, HostCheck, OneOrEqual
from intent2cuda.plan.effects import Atomic
from intent2cuda.plan.stage import (
    Access,
    Allocation,
    Axis,
    Branch,
    Carry,
    Check,
    Effect,
    Fold,
    Keep,
    Let,
    Loop,
    Points,
    Product,
    Stage,
    Sync,
)
from intent2cuda.types.value_type import BufferType

from ..property.naive.memory import UPDATE
from ..property.naive.scalars import Number, converted, fit
from ..property.naive.scalars import evaluate as apply
from ..property.naive.structured import COMBINE, neutral
from .elements import Elements, Place


class RefusedError(Exception):
    """A check of the plan does not hold for these arguments."""


class Executed(Elements):
    def __init__(self, plan: ConcretePlan, arguments: Mapping[str, Any], shuffle: random.Random) -> None:
        super().__init__(plan, arguments)
        self.shuffle = shuffle

    def run(self) -> None:
        for check in self.plan.checks:
            match check:
                case HostCheck():
                    self.require(self.size(check.lhs) == self.size(check.rhs), check.sentence)
                case OneOrEqual():
                    self.require(self.size(check.extent) in (1, self.size(check.to)), check.sentence)
        self.stages(self.plan.stages)

    def require(self, holds: bool, sentence: str) -> None:
        if not holds:
            raise RefusedError(sentence)

    def members(self, axes: Sequence[Axis]) -> Iterator[None]:
        """Binds the axes to each of their members, in any order."""
        if not axes:
            yield
            return
        axis, rest = axes[0], axes[1:]
        ordinals = list(range(self.size(axis.extent)))
        self.shuffle.shuffle(ordinals)
        for ordinal in ordinals:
            self.coordinates[axis.id] = ordinal
            if axis.point is not None:
                self.scalars[axis.point.serial] = self.integer(axis.begin) + ordinal * self.integer(axis.step)
            yield from self.members(rest)

    def stages(self, stages: Sequence[Stage]) -> None:
        for stage in stages:
            self.stage(stage)

    def stage(self, stage: Stage) -> None:
        match stage:
            case Points():
                for _ in self.members([bound.axis for bound in stage.axes]):
                    before = dict(self.locals)
                    self.stages(stage.body)
                    self.locals = before
                    self.leave(stage.id)
            case Fold():
                for _ in self.members(stage.over):
                    self.fold(stage)
            case Product():
                self.product(stage)
            case Let():
                self.local(stage.value, self.at(stage.at), self.compute(stage.value, self.at(stage.at)))
            case Effect():
                self.effect(stage.op, self.at(stage.at))
            case Access():
                self.access(stage.op, self.at(stage.at))
            case Keep():
                self.keep(stage)
            case Loop():
                self.loop(stage)
            case Branch():
                self.branch(stage)
            case Allocation():
                self.memory[stage.buffer.id] = {}
                self.stored[stage.buffer.value] = stage.buffer
            case Check():
                self.require(self.size(stage.op.lhs) == self.size(stage.op.rhs), stage.op.text)
            case Sync():
                pass

    def leave(self, loop: str) -> None:
        """Forgets what buffers of one member hold."""
        for value, buffer in list(self.stored.items()):
            if loop in buffer.inside:
                del self.stored[value]
                self.memory[buffer.id].clear()

    def local(self, value: Value, at: Place, element: Number) -> None:
        self.locals[value] = (at, element)
        if not at and not value.tensor.dtype.is_float:
            self.scalars[value.serial] = element

    def keep(self, stage: Keep) -> None:
        at = self.at(stage.at)
        scalar = not stage.value.tensor.shape
        element = self.compute(stage.value, () if scalar else at)
        self.memory[stage.buffer.id][tuple(at[n] for n in stage.buffer.kept)] = element
        if stage.buffer.value is stage.value:
            self.stored[stage.value] = stage.buffer

    def fold(self, stage: Fold) -> None:
        members: dict[ops.Reduce | ops.ArgReduce, list[tuple[Place, Number]]] = {op: [] for op in stage.ops}
        for _ in self.members(stage.axes):
            for each in stage.keeps:
                self.keep(each)
            for op, found in members.items():
                found.append((self.at(stage.axes), self.element(op.source, self.member_of(op, stage))))
        for op, found in members.items():
            self.reduced(op, stage, self.combined(op, found))

    def member_of(self, op: ops.Reduce | ops.ArgReduce, stage: Fold) -> Place:
        """Where a sweep stands in the source of one of its reductions."""
        axes = op.axes if isinstance(op, ops.Reduce) else (op.axis,)
        kept, inner = list(self.at(stage.at)), list(self.at(stage.axes))
        return tuple(inner.pop(0) if n in axes else kept.pop(0) for n in range(op.source.tensor.rank))

    def reduced(self, op: ops.Reduce | ops.ArgReduce, stage: Fold, found: tuple[Number, ...]) -> None:
        for number, value in enumerate(results(op)):
            if stage.into:
                buffer = stage.into[number]
                self.memory[buffer.id][tuple(self.at(stage.at)[n] for n in buffer.kept)] = found[number]
                self.stored[value] = buffer
            else:
                self.local(value, self.at(stage.at), found[number])

    def combined(self, op: ops.Reduce | ops.ArgReduce, members: list[tuple[Place, Number]]) -> tuple[Number, ...]:
        dtype = op.source.tensor.dtype
        if isinstance(op, ops.Reduce):
            total = neutral(op.combiner, dtype)
            for _, member in sorted(members):
                total = apply(COMBINE[op.combiner], dtype, total, member)
            return (total,)
        best, place = neutral(Combiner.MAXIMUM, dtype), (1 << 63) - 1
        for (k,), member in sorted(members, key=lambda m: m[0], reverse=True):
            if member != member or (best == best and not best > member):
                best, place = member, k
        return best, place

    def product(self, stage: Product) -> None:
        op = stage.op
        left, right = free_axes(op)
        dtype = op.result.tensor.dtype
        ((left_depth, right_depth),) = op.reduce
        for _ in self.members([stage.rows, stage.columns]):
            at = self.at(stage.at)
            lhs, rhs = dict(zip(left, at, strict=False)), dict(zip(right, at[len(left) :], strict=True))
            rhs |= {b: lhs[a] for a, b in op.batch}
            total = fit(dtype, 0)
            for k in range(self.size(stage.depth.extent)):
                pair = (
                    (op.lhs, lhs | {left_depth: k}),
                    (op.rhs, rhs | {right_depth: k}),
                )
                read = [self.element(v, tuple(c for _, c in sorted(p.items()))) for v, p in pair]
                factors = [converted(e, v.tensor.dtype, dtype) for e, (v, _) in zip(read, pair, strict=True)]
                total = apply("add", dtype, total, apply("mul", dtype, *factors))
            if stage.into is not None:
                self.memory[stage.into.id][tuple(at[n] for n in stage.into.kept)] = total
            if stage.epilogue is not None:
                self.locals[op.result] = (at, total)
                self.effect(stage.epilogue.op, self.at(stage.epilogue.at))
                del self.locals[op.result]
        if stage.into is not None:
            self.stored[op.result] = stage.into

    def effect(self, op: ops.Store, at: Place) -> None:
        if op.valid is None or self.element(op.valid, at):
            self.write(op.resource, self.place(op.terms, at), self.element(op.value, at))

    def write(self, resource: Value, place: Place, element: Number) -> None:
        if isinstance(resource.type, BufferType):
            self.memory[self.stored[resource].id][place] = element
        else:
            assert all(0 <= c < n for c, n in zip(place, self.arrays[resource].shape, strict=True)), "out of bounds"
            self.arrays[resource][place] = element

    def access(self, op: Atomic, at: Place) -> None:
        """What the memory held goes to locals; the order asked for does not show, where one thing runs at a time."""
        place = self.place(op.terms, at)
        old = None if isinstance(op, ops.AtomicStore) else self.read(op.resource, place)
        match op:
            case ops.AtomicLoad():
                pass
            case ops.AtomicStore():
                self.write(op.resource, place, self.element(op.value, at))
            case ops.AtomicUpdate() | ops.ScatterReduce():
                value = self.element(op.value, at)
                update = op.update if isinstance(op, ops.AtomicUpdate) else Update.ADD
                made = value if update is Update.EXCHANGE else apply(UPDATE[update], op.value.tensor.dtype, old, value)
                self.write(op.resource, place, made)
            case ops.CompareExchange():
                found = old == self.element(op.expected, at)
                if found:
                    self.write(op.resource, place, self.element(op.desired, at))
                self.local(op.results[1], at, found)
        if old is not None and results(op):
            self.local(results(op)[0], at, old)

    def loop(self, stage: Loop) -> None:
        op = stage.op
        arguments = op.body.args[1:] if isinstance(op, ops.For) else op.body.args
        initial = {c.index: self.element(op.initial[c.index], self.at(c.at)) for c in stage.carries if c.buffer is None}
        self.stages(stage.start)
        self.hand(stage.carries, arguments, initial)
        current: Sequence[Value] = arguments
        if isinstance(op, ops.For):
            begin, step = (self.integer(e) for e in (op.domain.domain.begin, op.domain.domain.step))
            rounds: Iterator[int] = iter(range(self.size(op.domain.domain.extent)))
        else:
            begin, step, rounds = 0, 1, itertools.count()
        for number in rounds:
            if isinstance(op, ops.For):
                self.scalars[op.body.args[0].serial] = begin + number * step
            elif not self.tested(stage, op, current):
                break
            self.stages(stage.body)
            end = yielded(op.body)
            stop = end.stop is not None and bool(self.element(end.stop, ()))
            following = {
                c.index: self.element(end.values[c.index], self.at(c.at)) for c in stage.carries if c.buffer is None
            }
            for carry in stage.carries:
                if carry.buffer is not None and carry.spare is not None:
                    one, other = carry.buffer.id, carry.spare.id
                    self.memory[one], self.memory[other] = self.memory[other], self.memory[one]
            self.hand(stage.carries, arguments, following)
            if stop:
                break
        final = {c.index: self.locals[arguments[c.index]][1] for c in stage.carries if c.buffer is None}
        self.hand(stage.carries, op.results, final)

    def tested(self, stage: Loop, op: ops.While, arguments: Sequence[Value]) -> bool:
        for carry in stage.carries:
            argument, other = arguments[carry.index], op.test.args[carry.index]
            if carry.buffer is None:
                self.local(other, *self.locals[argument])
            else:
                self.stored[other] = carry.buffer
        self.stages(stage.test)
        return bool(self.element(yielded(op.test).values[0], ()))

    def hand(self, carries: Sequence[Carry], values: Sequence[Value], elements: Mapping[int, Number]) -> None:
        for carry in carries:
            if carry.buffer is not None:
                self.stored[values[carry.index]] = carry.buffer
            else:
                self.local(values[carry.index], self.at(carry.at), elements[carry.index])

    def branch(self, stage: Branch) -> None:
        taken = bool(self.element(stage.op.condition, ()))
        self.stages(stage.then_body if taken else stage.else_body)
        end = yielded(stage.op.then_body if taken else stage.op.else_body)
        chosen = {m.index: self.element(end.values[m.index], self.at(m.at)) for m in stage.merges if m.buffer is None}
        self.hand(stage.merges, stage.op.results, chosen)
