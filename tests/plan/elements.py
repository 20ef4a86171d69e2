"""Elements of values where a stage tree stands: from locals, from buffers, else computed from what they are made of.

Reading what no stage has written, and a value that must have a stage but has none at these coordinates, are failures.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from intent2cuda.base.intexpr import IntExpr, evaluate, symbols
from intent2cuda.ir import ops
from intent2cuda.ir.terms import Along, Lanes, Point, Slice, Term, Whole
from intent2cuda.ir.value import Value
from intent2cuda.plan.axes import AxisClasses, selection_axes
from intent2cuda.plan.concrete import ConcretePlan
from intent2cuda.plan.demand import Demand
from intent2cuda.plan.stage import (
    Axis,
    Buffer,
)
from intent2cuda.types.value_type import BufferType, ViewType

from ..property.naive.elements import random_bits
from ..property.naive.scalars import Number, converted, fit, reinterpreted
from ..property.naive.scalars import evaluate as apply

Place = tuple[int, ...]


class Elements:
    """What is in sight at a place of a run, and every value that follows from it."""

    def __init__(self, plan: ConcretePlan, arguments: Mapping[str, Any]) -> None:
        self.plan = plan
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

    def integer(self, expression: IntExpr) -> int:
        known = {s: self.dims[s.name] if not s.serial else int(self.scalars[s.serial]) for s in symbols(expression)}
        return evaluate(expression, known)

    def size(self, extent: IntExpr) -> int:
        return max(0, self.integer(extent))

    def at(self, axes: Sequence[Axis]) -> Place:
        return tuple(self.coordinates[axis.id] for axis in axes)

    def read(self, resource: Value, place: Place) -> Number:
        if isinstance(resource.type, BufferType):
            return self.memory[self.stored[resource].id][place]
        array = self.arrays[resource]
        assert all(0 <= c < n for c, n in zip(place, array.shape, strict=True)), "out of bounds"
        value = array[place]
        return float(value) if array.dtype.kind not in "biu" else value.item()

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

    def bitcast(self, op: ops.Bitcast, at: Place) -> Number:
        return reinterpreted(self.element(op.source, at), op.source.tensor.dtype, op.result.tensor.dtype)

    def philox(self, op: ops.Philox, at: Place) -> Number:
        return random_bits(int(self.element(op.seed, ())), int(self.element(op.counter, at)))

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
    ops.Constant: Elements.constant,
    ops.Pointwise: Elements.pointwise,
    ops.Cast: Elements.cast,
    ops.Bitcast: Elements.bitcast,
    ops.Philox: Elements.philox,
    ops.Broadcast: Elements.broadcast,
    ops.Reshape: Elements.reshape,
    ops.Transpose: Elements.transpose,
    ops.Join: Elements.join,
    ops.Dim: Elements.dim,
    ops.Indices: Elements.indices,
    ops.Load: Elements.load,
    ops.Gather: Elements.gather,
}
