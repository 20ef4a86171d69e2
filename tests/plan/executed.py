"""A stage tree run one element at a time: what the tree means, with the members of unordered loops in any order.

Levels, spaces and barriers are not looked at. Reading something that no stage has written, and reading a value that
must
have a stage but has none at these coordinates, are failures.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from intent2cuda.base.intexpr import IntExpr, evaluate, symbols
from intent2cuda.ir import ops
from intent2cuda.ir.op import results
from intent2cuda.ir.ops import Combiner
from intent2cuda.ir.terms import Along, Lanes, Point, Slice, Term, Whole
from intent2cuda.ir.value import Value
from intent2cuda.plan.axes import AxisClasses, free_axes, selection_axes, yielded
from intent2cuda.plan.concrete import ConcretePlan, HostCheck, OneOrEqual
from intent2cuda.plan.demand import Demand
from intent2cuda.plan.stage import (
    Allocation,
    Axis,
    Branch,
    Buffer,
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
from intent2cuda.types.value_type import BufferType, ViewType

from ..property.naive.scalars import Number, converted, fit
from ..property.naive.scalars import evaluate as apply
from ..property.naive.structured import COMBINE, neutral

Place = tuple[int, ...]


class RefusedError(Exception):
    """A check of the plan does not hold for these arguments."""


class Executed:
    def __init__(self, plan: ConcretePlan, arguments: Mapping[str, Any], shuffle: random.Random) -> None:
        self.plan = plan
        self.shuffle = shuffle
        self.producers = Demand(plan.kernel, AxisClasses(plan.kernel)).producers
        self.dims: dict[str, int] = {}
        self.arrays: dict[Value, Any] = {}
        self.scalars: dict[int, Number] = {}
        self.locals: dict[Value, tuple[Place, Number]] = {}
        self.coordinates: dict[str, int] = {}
        self.memory: dict[str, dict[Place, Number]] = {buffer.id: {} for buffer in plan.buffers}
        self.stored: dict[Value, Buffer] = {}
        for parameter in plan.kernel.parameters:
            given = arguments[parameter.name]
            if isinstance(parameter.type, ViewType):
                self.arrays[parameter] = given
                for extent, size in zip(parameter.type.shape, given.shape, strict=True):
                    if (symbol := extent.as_symbol) is not None:
                        self.dims[symbol.name] = size
            else:
                self.scalars[parameter.serial] = fit(parameter.tensor.dtype, given)

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

    def integer(self, expression: IntExpr) -> int:
        known = {s: self.dims[s.name] if not s.serial else int(self.scalars[s.serial]) for s in symbols(expression)}
        return evaluate(expression, known)

    def size(self, extent: IntExpr) -> int:
        return max(0, self.integer(extent))

    def at(self, axes: Sequence[Axis]) -> Place:
        return tuple(self.coordinates[axis.id] for axis in axes)

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
        op = stage.op
        axes = op.axes if isinstance(op, ops.Reduce) else (op.axis,)
        members: list[tuple[Place, Number]] = []
        for _ in self.members(stage.axes):
            kept, inner = list(self.at(stage.at)), list(self.at(stage.axes))
            place = tuple(inner.pop(0) if n in axes else kept.pop(0) for n in range(op.source.tensor.rank))
            for each in stage.keeps:
                self.keep(each)
            members.append((self.at(stage.axes), self.element(op.source, place)))
        for number, (value, found) in enumerate(zip(results(op), self.combined(op, members), strict=True)):
            if stage.into:
                buffer = stage.into[number]
                self.memory[buffer.id][tuple(self.at(stage.at)[n] for n in buffer.kept)] = found
                self.stored[value] = buffer
            else:
                self.local(value, self.at(stage.at), found)

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

    def read(self, resource: Value, place: Place) -> Number:
        if isinstance(resource.type, BufferType):
            return self.memory[self.stored[resource].id][place]
        array = self.arrays[resource]
        assert all(0 <= c < n for c, n in zip(place, array.shape, strict=True)), "out of bounds"
        value = array[place]
        return float(value) if array.dtype.kind not in "biu" else value.item()

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

    def element(self, value: Value, at: Place) -> Number:
        """The element, from a local of these coordinates, from a buffer, else computed."""
        found = self.locals.get(value)
        if found is not None and found[0] == at:
            return found[1]
        if value in self.stored:
            buffer = self.stored[value]
            return self.memory[buffer.id][tuple(at[n] for n in buffer.kept)]
        if value.serial in self.scalars:
            return self.scalars[value.serial]
        return self.compute(value, at)

    def compute(self, value: Value, at: Place) -> Number:
        op = self.producers.get(value)
        if op is None:
            return self.element_of_stage(value, at)
        return COMPUTE[type(op)](self, op, at)

    def element_of_stage(self, value: Value, at: Place) -> Number:
        found = self.locals.get(value)
        if found is not None and found[0] == at:
            return found[1]
        if value in self.stored:
            buffer = self.stored[value]
            return self.memory[buffer.id][tuple(at[n] for n in buffer.kept)]
        assert value.serial in self.scalars, f"{value} has no stage at {at}"
        return self.scalars[value.serial]

    def constant(self, op: ops.Constant, at: Place) -> Number:
        return fit(op.result.tensor.dtype, op.value)

    def pointwise(self, op: ops.Pointwise, at: Place) -> Number:
        args = [self.element(arg, at) for arg in op.args]
        return apply(op.fn, op.result.tensor.dtype, *args)

    def cast(self, op: ops.Cast, at: Place) -> Number:
        return converted(self.element(op.source, at), op.source.tensor.dtype, op.result.tensor.dtype)

    def broadcast(self, op: ops.Broadcast, at: Place) -> Number:
        mapped = [at[axis] for axis, read in enumerate(op.axes) if read is not None]
        extents = [self.size(extent) for extent in op.source.tensor.shape]
        return self.element(op.source, tuple(0 if e == 1 else c for c, e in zip(mapped, extents, strict=True)))

    def reshape(self, op: ops.Reshape, at: Place) -> Number:
        linear = 0
        for c, extent in zip(at, op.result.tensor.shape, strict=True):
            linear = linear * self.size(extent) + c
        place: list[int] = []
        for extent in reversed(op.source.tensor.shape):
            place.insert(0, linear % self.size(extent))
            linear //= self.size(extent)
        return self.element(op.source, tuple(place))

    def transpose(self, op: ops.Transpose, at: Place) -> Number:
        return self.element(op.source, tuple(at[op.permutation.index(n)] for n in range(len(at))))

    def join(self, op: ops.Join, at: Place) -> Number:
        return self.element((op.lhs, op.rhs)[at[-1]], at[:-1])

    def dim(self, op: ops.Dim, at: Place) -> Number:
        return fit(op.result.tensor.dtype, self.integer(op.expression))

    def indices(self, op: ops.Indices, at: Place) -> Number:
        return self.integer(op.domain.domain.begin) + at[0] * self.integer(op.domain.domain.step)

    def load(self, op: ops.Load, at: Place) -> Number:
        if op.valid is not None and op.fill is not None and not self.element(op.valid, at):
            return self.element(op.fill, at)
        return self.read(op.resource, self.place(op.terms, at))

    def gather(self, op: ops.Gather, at: Place) -> Number:
        if op.valid is not None and op.fill is not None and not self.element(op.valid, at):
            return self.element(op.fill, at)
        return self.element(op.source, self.place(op.terms, at))

    def place(self, terms: Sequence[Term], at: Place) -> Place:
        found: list[int] = []
        for term, axes in zip(terms, selection_axes(tuple(terms)), strict=True):
            match term:
                case Whole():
                    found.append(at[axes[0]])
                case Slice():
                    found.append(int(self.element(term.begin, ())) + at[axes[0]])
                case Along():
                    kind = term.domain.domain
                    found.append(self.integer(kind.begin) + at[axes[0]] * self.integer(kind.step))
                case Point():
                    found.append(int(self.element(term.index, ())))
                case Lanes():
                    found.append(int(self.element(term.index, tuple(at[axis] for axis in axes))))
        return tuple(found)


COMPUTE: Mapping[type[Any], Callable[..., Number]] = {
    ops.Constant: Executed.constant,
    ops.Pointwise: Executed.pointwise,
    ops.Cast: Executed.cast,
    ops.Broadcast: Executed.broadcast,
    ops.Reshape: Executed.reshape,
    ops.Transpose: Executed.transpose,
    ops.Join: Executed.join,
    ops.Dim: Executed.dim,
    ops.Indices: Executed.indices,
    ops.Load: Executed.load,
    ops.Gather: Executed.gather,
}
