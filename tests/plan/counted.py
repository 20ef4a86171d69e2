"""Kernel IR executed point by point, with everything counted that it does: what the facts of plans must say.

The reference executes the ops. Each turn of a loop and each branch is a scope; at its end it is known which elements
mattered, and they are counted. A region operation has one segment, its whole axis. Everything is counted twice: with
the masks that coordinates decide, and without any.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any

import numpy as np
from intent2cuda.interpret.frames import Slot
from intent2cuda.interpret.machine import Machine
from intent2cuda.interpret.memory import resolved_terms
from intent2cuda.interpret.run import dims_of
from intent2cuda.interpret.selection import select
from intent2cuda.interpret.state import State
from intent2cuda.ir import ops
from intent2cuda.ir.kernel import Kernel, walk
from intent2cuda.ir.op import Op, Region
from intent2cuda.ir.value import Value
from intent2cuda.language.bodies.storage import NUMPY
from intent2cuda.plan.effects import EFFECTS
from intent2cuda.types.value_type import TensorType, ViewType

from .masks import Scope
from .works import works

Array = Any
ACCESSES = (ops.Load, *EFFECTS)


@dataclass
class Tally:
    """Counts with the masks of coordinates (`active`), and without masks (`every`)."""

    active: int = 0
    every: int = 0

    def add(self, active: int, every: int) -> None:
        self.active += active
        self.every += every


@dataclass
class Touched:
    """The elements of a view that an op touched: how often, and which."""

    often: Tally = field(default_factory=Tally)
    active: set[int] = field(default_factory=set[int])
    every: set[int] = field(default_factory=set[int])


class Counted:
    """A run of a kernel. `work`: by op and (class, dtype); `touched`: by op."""

    def __init__(self, kernel: Kernel, arguments: Mapping[str, Any]) -> None:
        self.dims = dims_of(kernel, arguments)
        self.work: defaultdict[Op, defaultdict[tuple[str, str], Tally]] = defaultdict(lambda: defaultdict(Tally))
        self.touched: defaultdict[Op, Touched] = defaultdict(Touched)
        self._last: dict[Op, Array] = {}
        self._state = State(self.dims)
        self._machine = Machine(self._state, None)
        outside = Scope(self.array)
        for parameter in kernel.parameters:
            given, kind = np.asarray(arguments[parameter.name]), parameter.type
            if isinstance(kind, TensorType):
                given = given.astype(NUMPY[kind.dtype])
                outside.enter(parameter)
                if kind.dtype.is_integer:
                    outside.decide(parameter)
            self._state.define(parameter, given, None)
        with np.errstate(all="ignore"):
            self._turn(kernel.body, outside)

    def array(self, value: Value) -> Array:
        return self._state.read(value, None).array

    def _define(self, values: Sequence[Value], arrays: Sequence[Array]) -> None:
        for value, array in zip(values, arrays, strict=True):
            self._state.define(value, array, None)

    def _turn(self, region: Region, around: Scope, decided: Sequence[Value] = ()) -> list[Array]:
        """Runs a region as a scope of its own, and counts it; what it yields, then what stops a loop."""
        scope = Scope(self.array, around)
        for argument in region.args:
            scope.enter(argument)
        for variable in decided:
            scope.decide(variable)
        yielded = self._ops(region, scope)
        for op in scope.settle():
            self._count(op, scope)
        return yielded

    def _ops(self, region: Region, scope: Scope) -> list[Array]:
        for op in region.ops:
            if isinstance(op, ops.Yield):
                scope.note(op)
                return [self.array(value) for value in (*op.values, *([] if op.stop is None else [op.stop]))]
            self._op(op, scope)
        return []

    def _op(self, op: Op, scope: Scope) -> None:
        match op:
            case ops.Parallel():
                self._parallel(op, scope)
            case ops.For():
                self._for(op, scope)
            case ops.While():
                self._while(op, scope)
            case ops.If():
                chosen = op.then_body if self.array(op.condition) else op.else_body
                self._define(op.results, self._turn(chosen, scope))
            case ops.RegionFold() | ops.RegionScan():
                self._machine.run(Region((), (op,)), None)
                self._segment(op, scope)
            case ops.ReduceBy() | ops.ScanBy():
                self._machine.run(Region((), (op,)), None)
                self._combinations(op, scope)
            case _:
                self._machine.run(Region((), (op,)), None)
        scope.note(op)
        if isinstance(op, ACCESSES):
            self._address(op)

    def _members(self, domain: Value) -> range:
        kind = domain.domain
        begin, extent, step = (int(self._state.integer(e, None)) for e in (kind.begin, kind.extent, kind.step))
        return range(begin, begin + max(extent, 0) * step, step)

    def _decided(self, variables: Sequence[Value], domains: Sequence[Value], scope: Scope) -> list[Value]:
        pairs = zip(variables, domains, strict=True)
        return [v for v, d in pairs if scope.decides(d.domain.begin, d.domain.step)]

    def _parallel(self, op: ops.Parallel, scope: Scope) -> None:
        decided = self._decided(op.body.args, op.domains, scope)
        for point in itertools.product(*map(self._members, op.domains)):
            self._define(op.body.args, [np.asarray(c, np.int64) for c in point])
            self._turn(op.body, scope, decided)

    def _for(self, op: ops.For, scope: Scope) -> None:
        decided = self._decided(op.body.args[:1], (op.domain,), scope)
        carried = [self.array(value) for value in op.initial]
        for member in self._members(op.domain):
            self._define(op.body.args, [np.asarray(member, np.int64), *carried])
            carried, stops = _carried(self._turn(op.body, scope, decided), len(carried))
            if stops:
                break
        self._define(op.results, carried)

    def _while(self, op: ops.While, scope: Scope) -> None:
        carried, stops = [self.array(value) for value in op.initial], False
        while not stops:
            self._define(op.test.args, carried)
            if not self._turn(op.test, scope)[0]:
                break
            self._define(op.body.args, carried)
            carried, stops = _carried(self._turn(op.body, scope), len(carried))
        self._define(op.results, carried)

    def _segment(self, op: ops.RegionFold | ops.RegionScan, scope: Scope) -> None:
        """The regions for the whole axis as one segment, as a part of the scope around."""
        sources = [self.array(value) for value in op.sources]
        whole = [np.asarray(sources[0].shape[op.axis], np.int64), *sources]
        summary = self._region(op.summarize, whole, op.sources, scope)
        if isinstance(op, ops.RegionScan):
            state = [self.array(value) for value in op.initial]
            self._region(op.apply, [*summary, *state], (), scope)
            self._region(op.emit, [*whole, *state], op.sources, scope)

    def _region(self, region: Region, arguments: Sequence[Array], cut: Sequence[Value], scope: Scope) -> list[Array]:
        self._define(region.args, arguments)
        likes = [None, *cut] if cut else []
        for argument, like in itertools.zip_longest(region.args, likes):
            scope.enter(argument, like)
        if cut:
            scope.decide(region.args[0])
        return self._ops(region, scope)

    def _combinations(self, op: ops.ReduceBy | ops.ScanBy, scope: Scope) -> None:
        """The combination of two members, counted for all of them: elements, or slices."""
        axes = op.axes if isinstance(op, ops.ReduceBy) else (op.axis,)
        slices = any(identity.tensor.shape for identity in op.identity)
        sources = [self.array(source) for source in op.sources]
        members = prod(sources[0].shape[axis] for axis in axes) if slices else sources[0].size
        if not members:
            return
        place = axes if slices else range(sources[0].ndim)
        arguments = [np.moveaxis(s, place, range(len(place)))[(0,) * len(place)] for s in sources]
        before = {inner: {k: (t.active, t.every) for k, t in self.work[inner].items()} for inner in walk(op.combine)}
        self._define(op.combine.args, [*arguments, *arguments])
        self._turn(op.combine, scope)
        for inner, known in before.items():
            for kind, tally in self.work[inner].items():
                active, every = known.get(kind, (0, 0))
                tally.add((members - 1) * (tally.active - active), (members - 1) * (tally.every - every))

    def _address(self, op: Any) -> None:
        """Notes which elements an access touches, before the scope knows which of them matter."""
        storage = self._state.raw(op.resource).array
        numbers = np.arange(storage.size).reshape(storage.shape)
        terms = resolved_terms(op.terms, Slot(numbers), self._state, None)
        masked = getattr(op, "valid", None) is not None
        selection = select(terms, Slot(numbers), None, masked=masked)
        if masked and numbers.size:  # what a mask leaves out may be anywhere
            lanes = [np.clip(lane, 0, size - 1) for lane, size in zip(selection.lanes, storage.shape, strict=True)]
            selection = replace(selection, lanes=tuple(lanes))
        self._last[op] = selection.read(numbers) if numbers.size else np.zeros(selection.shape, np.int64)

    def _count(self, op: Op, scope: Scope) -> None:
        for kind, dtype, active, every in works(op, scope, self.array):
            self.work[op][kind, dtype].add(active, every)
        if not isinstance(op, ACCESSES) or not isinstance(op.resource.type, ViewType):
            return
        addresses, touched = self._last.pop(op), self.touched[op]
        mask = scope.accessed(op) if isinstance(op, ops.Load | ops.Store) else None
        inside = addresses if mask is None else addresses[np.broadcast_to(mask.where, addresses.shape)]
        touched.often.add(inside.size, addresses.size)
        touched.active.update(np.ravel(inside).tolist())
        touched.every.update(np.ravel(addresses).tolist())


def _carried(yielded: Sequence[Array], number: int) -> tuple[list[Array], bool]:
    return list(yielded[:number]), len(yielded) > number and bool(yielded[number])
