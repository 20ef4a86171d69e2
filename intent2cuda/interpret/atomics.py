"""Atomic accesses: each element that a point touches is an access of its own, in the order of the points."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import assert_never

import numpy as np

from intent2cuda.interpret.checks import Access, Checks
from intent2cuda.interpret.frames import Frame, Slot
from intent2cuda.interpret.marks import Way
from intent2cuda.interpret.memory import require_inside, resolved_terms
from intent2cuda.interpret.selection import Selection, select
from intent2cuda.interpret.state import State
from intent2cuda.ir.ops import AtomicLoad, AtomicStore, AtomicUpdate, CompareExchange, ScatterReduce
from intent2cuda.ir.value import Value
from intent2cuda.language.bodies import atomics
from intent2cuda.language.bodies.atomics import Turns
from intent2cuda.language.bodies.storage import Array

AtomicOp = AtomicLoad | AtomicStore | AtomicUpdate | CompareExchange | ScatterReduce


def execute(op: AtomicOp, state: State, checks: Checks | None, frame: Frame | None) -> None:
    """Reads and changes the elements, and defines the results."""
    cells = Cells.of(op, state, frame)
    if checks:
        _check(op, cells.access(op, state, frame), checks)
    match op:
        case AtomicLoad():
            state.place(op.result, cells.shaped(cells.read()))
        case AtomicStore():
            cells.leave(cells.turns(), cells.values(op.value, state, frame), state)
        case AtomicUpdate():
            turns = cells.turns()
            found, left = atomics.update(op.update.value, turns, cells.read(), cells.values(op.value, state, frame))
            cells.leave(turns, left, state)
            state.place(op.result, cells.shaped(found))
        case CompareExchange():
            turns = cells.turns()
            wanted, given = (cells.values(value, state, frame) for value in (op.expected, op.desired))
            found, left, wrote = atomics.compare_exchange(turns, cells.read(), wanted, given)
            cells.leave(turns, left, state)
            for result, lanes in zip(op.results, (found, wrote), strict=True):
                state.place(result, cells.shaped(lanes))
            if checks:
                checks.ordered(cells.access(op, state, frame), op.order, wrote)
        case ScatterReduce():
            atomics.COMBINE[op.combiner.value].at(cells.storage, cells.index, cells.values(op.value, state, frame))
            state.changes += 1
        case _:
            assert_never(op)


def _check(op: AtomicOp, access: Access, checks: Checks) -> None:
    match op:
        case AtomicLoad():
            checks.read(access)
        case AtomicStore():
            checks.write(access)
        case AtomicUpdate() | CompareExchange() | ScatterReduce():
            checks.change(access)
    if isinstance(op, AtomicLoad | AtomicStore | AtomicUpdate):
        checks.ordered(access, op.order)


@dataclass(frozen=True)
class Cells:
    """The elements of an access: one lane for each point and element. `index` has the lanes on one axis."""

    storage: Array
    selection: Selection
    index: tuple[Array, ...]

    @staticmethod
    def of(op: AtomicOp, state: State, frame: Frame | None) -> Cells:
        storage = state.raw(op.resource)
        terms = resolved_terms(op.terms, storage, state, frame)
        selection = select(terms, storage, frame, masked=True, per_point=frame is not None)
        require_inside(op, op.resource, storage, selection)
        if storage.array.ndim == 0:
            return Cells(storage.array.reshape(1), selection, (np.zeros(prod(selection.shape), np.int64),))
        lanes = tuple(np.broadcast_to(lane, selection.shape).ravel() for lane in selection.lanes)
        return Cells(storage.array, selection, lanes)

    def access(self, op: AtomicOp, state: State, frame: Frame | None) -> Access:
        way = Way.ATOMIC_READ if isinstance(op, AtomicLoad) else Way.ATOMIC_WRITE
        return Access(op, way, op.resource, state.raw(op.resource), frame, self.selection, self.selection)

    def values(self, value: Value, state: State, frame: Frame | None) -> Array:
        """An entry of a value for each lane."""
        return np.broadcast_to(state.read(value, frame).array, self.selection.shape).ravel()

    def shaped(self, lanes: Array) -> Slot:
        """A result from an entry for each lane."""
        return Slot(lanes.reshape(self.selection.shape), self.selection.frame)

    def read(self) -> Array:
        return self.storage[self.index]

    def turns(self) -> Turns:
        """The lanes in order for each place in memory."""
        places = sum(lane * stride for lane, stride in zip(self.index, self.storage.strides, strict=True))
        return Turns.of(np.asarray(places))

    def leave(self, turns: Turns, left: Array, state: State) -> None:
        """Writes what the last access of each place leaves."""
        index = tuple(lane[turns.last] for lane in self.index)
        changed = self.storage[index] != left[turns.last]
        self.storage[index] = left[turns.last]
        state.changes += int(changed.any())
