"""Reads and writes of views, buffers and tensors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from intent2cuda.interpret.checks import Access, Checks
from intent2cuda.interpret.faults import BOUNDS, PROMISE, SHAPE, fault
from intent2cuda.interpret.frames import Frame, Slot, joint
from intent2cuda.interpret.marks import Way
from intent2cuda.interpret.selection import Resolved, Selection, resolve, select
from intent2cuda.interpret.state import State
from intent2cuda.ir.op import Op
from intent2cuda.ir.ops import Allocate, AssumeInBounds, Gather, Load, RequireEqual, Store
from intent2cuda.ir.terms import Term
from intent2cuda.ir.value import Value
from intent2cuda.language.bodies.storage import NUMPY, Array

POISON_BYTE = 0x7F


def load(op: Load | Gather, state: State, checks: Checks | None, frame: Frame | None) -> None:
    source = op.resource if isinstance(op, Load) else op.source
    if op.valid is None:
        selection = _selection(op, source, state, frame)
        if checks and isinstance(op, Load):
            checks.read(Access(op, Way.READ, source, state.raw(source), frame, selection, selection))
        state.define(op.result, selection.read(state.raw(source).array), selection.frame)
        return
    assert op.fill is not None
    valid, fill = state.read(op.valid, frame), state.read(op.fill, frame)
    whole, lanes, active = _masked(op, source, state, frame, valid, fill)
    if checks and isinstance(op, Load):
        checks.read(Access(op, Way.READ, source, state.raw(source), frame, active, whole, lanes))
    result = np.broadcast_to(fill.array, whole.shape).copy()
    result[lanes] = active.read(state.raw(source).array)
    state.define(op.result, result, whole.frame)


def store(op: Store, state: State, checks: Checks | None, frame: Frame | None) -> None:
    storage, value = state.raw(op.resource).array, state.read(op.value, frame)
    state.changes += 1
    if op.valid is None:
        selection = _selection(op, op.resource, state, frame)
        if checks:
            checks.write(Access(op, Way.WRITE, op.resource, state.raw(op.resource), frame, selection, selection))
        one_of_many = value.frame is not None and selection.frame is None
        selection.write(storage, value.array[-1] if one_of_many else value.array)
        return
    whole, lanes, active = _masked(op, op.resource, state, frame, state.read(op.valid, frame), value)
    if checks:
        checks.write(Access(op, Way.WRITE, op.resource, state.raw(op.resource), frame, active, whole, lanes))
    active.write(storage, np.broadcast_to(value.array, whole.shape)[lanes])


def _selection(op: Load | Gather | Store, source: Value, state: State, frame: Frame | None) -> Selection:
    """All elements of an access without a mask, checked to lie inside."""
    storage = state.raw(source)
    selection = select(resolved_terms(op.terms, storage, state, frame), storage, frame)
    require_inside(op, source, storage, selection)
    return selection


def _masked(
    op: Load | Gather | Store, source: Value, state: State, frame: Frame | None, valid: Slot, other: Slot
) -> tuple[Selection, Array, Selection]:
    """All lanes of an access, which of them are valid, and the elements of those, checked to lie inside."""
    storage = state.raw(source)
    per_point = joint([valid, other]) is not None
    whole = select(resolved_terms(op.terms, storage, state, frame), storage, frame, masked=True, per_point=per_point)
    lanes = np.broadcast_to(valid.array, whole.shape)
    active = whole.at(lanes)
    require_inside(op, source, storage, active)
    return whole, lanes, active


def resolved_terms(terms: Sequence[Term], storage: Slot, state: State, frame: Frame | None) -> list[Resolved]:
    """Index terms with their numbers. Raises DivergedError when extents differ by point."""
    sizes = storage.array.shape[storage.frame is not None :]
    return [resolve(term, size, state, frame) for term, size in zip(terms, sizes, strict=True)]


def require_inside(op: Op, source: Value, storage: Slot, selection: Selection) -> None:
    """Checks that the elements lie in the storage of `source`."""
    if wrong := selection.outside(storage.array):
        axis, position = wrong
        own = axis - (storage.frame is not None)
        name, size = source.name or "the tensor", storage.array.shape[axis]
        fault(BOUNDS, f"position {position} is outside axis {own} of {name}, which has {size}", op)


def allocate(op: Allocate, state: State, checks: Checks | None, frame: Frame | None) -> None:
    """A buffer of every point of the frame; without an initial value it holds NaN, True or the byte 0x7f."""
    kind = op.result.resource
    shape = state.shape(kind.shape, frame)
    array = np.empty(shape if frame is None else (frame.size, *shape), NUMPY[kind.dtype])
    if op.init is not None:
        initial = state.read(op.init, frame)
        spread = initial.frame is not None and op.init.tensor.rank == 0
        array[...] = initial.array.reshape(-1, *[1] * len(shape)) if spread else initial.array
    elif kind.dtype.is_float or kind.dtype.is_bool:
        array[...] = np.nan if kind.dtype.is_float else True
    else:
        array.view(np.uint8)[...] = POISON_BYTE
    state.define(op.result, array, frame)
    if checks:
        checks.allocate(op.result, array, op.init is not None)


def require_equal(op: RequireEqual, state: State, frame: Frame | None, text: str) -> None:
    """Checks a condition on extents; `text` says it."""
    lhs, rhs = (np.maximum(state.integer(side, frame), 0) for side in (op.lhs, op.rhs))
    if np.any(lhs != rhs):
        fault(SHAPE, f"{text}: {np.ravel(lhs)[0]} and {np.ravel(rhs)[0]}", op)


def assume_in_bounds(op: AssumeInBounds, state: State, frame: Frame | None) -> None:
    """Checks the author's promise."""
    positions, storage = state.read(op.index, frame).array, state.raw(op.resource)
    size = storage.array.shape[op.axis + (storage.frame is not None)]
    wrong = (positions < 0) | (positions >= size)
    if wrong.any():
        name, position = op.resource.name, int(positions[wrong].ravel()[0])
        fault(PROMISE, f"position {position} is outside axis {op.axis} of {name}, which has {size}", op)
