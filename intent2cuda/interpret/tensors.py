"""Ops without effects: their operands are evaluated for all points of a frame at once.

A value of a frame has the points as an extra leading axis; a value that is the same for all points has none, and
NumPy's broadcasting brings the two together.
"""

from __future__ import annotations

from typing import assert_never

import numpy as np

from intent2cuda.interpret import contractions
from intent2cuda.interpret.faults import BOUNDS, SHAPE, fault
from intent2cuda.interpret.frames import Frame, Slot, joint, spread
from intent2cuda.interpret.state import State
from intent2cuda.ir.ops import (
    ArgReduce,
    Bitcast,
    Broadcast,
    Cast,
    Constant,
    Contract,
    Dim,
    Histogram,
    Indices,
    Inspect,
    Join,
    Philox,
    Pointwise,
    Quantize,
    QuantizedDot,
    Reduce,
    Reshape,
    ScaledContract,
    Scan,
    SparseContract,
    Transpose,
)
from intent2cuda.ir.value import Value
from intent2cuda.language.bodies import conversion, counting, philox, pointwise, records, reduction
from intent2cuda.language.bodies.storage import NUMPY, Array

PureOp = (
    Constant
    | Pointwise
    | Cast
    | Bitcast
    | Broadcast
    | Reshape
    | Transpose
    | Join
    | Dim
    | Indices
    | Reduce
    | ArgReduce
    | Scan
    | Histogram
    | Philox
    | Inspect
    | Contract
    | ScaledContract
    | SparseContract
    | Quantize
    | QuantizedDot
)
INT64_RANGE = 1 << 64


def evaluate(op: PureOp, state: State, frame: Frame | None) -> None:
    """Defines the results of an op. Raises DivergedError when an extent differs between the points."""
    match op:
        case ArgReduce():
            source = state.read(op.source, frame)
            results = reduction.arg_max(op.source.tensor.dtype, source.array, _axis(op.axis, source))
            for value, array in zip(op.results, results, strict=True):
                state.define(value, array, source.frame)
        case Contract() | ScaledContract() | SparseContract():
            state.place(op.result, contractions.evaluate(op, state, frame))
        case Constant() | Dim() | Indices():
            state.place(op.result, _coordinates(op, state, frame))
        case Pointwise():
            slots = [state.read(arg, frame) for arg in op.args]
            dtype = op.args[-1].tensor.dtype
            result = pointwise.apply(op.fn, dtype, *(slot.array for slot in slots))
            state.define(op.result, result, joint(slots))
        case Join():
            lhs, rhs = state.read(op.lhs, frame), state.read(op.rhs, frame)
            pair = np.stack(np.broadcast_arrays(lhs.array, rhs.array), axis=-1)
            state.define(op.result, pair, joint([lhs, rhs]))
        case QuantizedDot():
            slots = [state.read(value, frame) for value in (op.lhs, op.rhs)]
            state.define(op.result, records.quantized_dot(*(slot.array for slot in slots)), joint(slots))
        case Philox():
            seed, counter = state.read(op.seed, frame), state.read(op.counter, frame)
            key = seed.array.reshape(-1, *[1] * op.counter.tensor.rank) if seed.frame else seed.array
            state.define(op.result, philox.bits(key, counter.array), joint([seed, counter]))
        case Inspect():
            _inspect(op, state, frame)
        case Histogram():
            state.place(op.result, _histogram(op, state, frame))
        case Cast() | Bitcast() | Broadcast() | Reshape() | Transpose() | Reduce() | Scan() | Quantize():
            source = state.read(op.source, frame)
            state.define(op.result, _of_one(op, source, state, frame), source.frame)
        case _:
            assert_never(op)


def _inspect(op: Inspect, state: State, frame: Frame | None) -> None:
    """Passes on what holds. Raises IntentError where something does not."""
    holds = state.read(op.holds, frame)
    if not holds.array.all():
        wrong = np.argwhere(~holds.array)[0]
        numbers = [_at(state.read(number, frame), number, op.holds, tuple(wrong)) for number in op.numbers]
        fault(f"run.{op.rule.value}", op.text.format(*numbers), op)
    state.place(op.result, holds)


def _at(slot: Slot, number: Value, like: Value, place: tuple[int, ...]) -> int:
    """The number that goes with an element: `place` counts the points of the frame first, where there are some."""
    points = place[: len(place) - like.tensor.rank]
    own = place[len(place) - number.tensor.rank :]
    return int(slot.array[(*(points if slot.frame is not None else ()), *own)])


def _coordinates(op: Constant | Dim | Indices, state: State, frame: Frame | None) -> Slot:
    match op:
        case Constant():
            return Slot(np.asarray(op.value).astype(NUMPY[op.result.tensor.dtype]))
        case Dim():
            value = state.integer(op.expression, frame)
            if isinstance(value, int):
                return Slot(np.asarray((value + INT64_RANGE // 2) % INT64_RANGE - INT64_RANGE // 2, np.int64))
            return Slot(value, frame)
        case Indices():
            domain = op.domain.domain
            ordinals = np.arange(state.extent(domain.extent, frame))
            begin, step = (np.asarray(state.integer(e, frame)) for e in (domain.begin, domain.step))
            coordinates = begin[..., None] + step[..., None] * ordinals
            return Slot(coordinates, frame if coordinates.ndim > 1 else None)


def _of_one(
    op: Cast | Bitcast | Broadcast | Reshape | Transpose | Reduce | Scan | Quantize,
    source: Slot,
    state: State,
    frame: Frame | None,
) -> Array:
    array, dtype, lead = source.array, op.source.tensor.dtype, source.frame is not None
    match op:
        case Cast():
            return conversion.cast(array, dtype, op.result.tensor.dtype)
        case Bitcast():
            return conversion.bitcast(array, op.result.tensor.dtype)
        case Broadcast():
            return _broadcast(op, array, lead, state.shape(op.result.tensor.shape, frame))
        case Reshape():
            target = state.shape(op.result.tensor.shape, frame)
            if np.prod(array.shape[lead:], dtype=np.int64) != np.prod(target, dtype=np.int64):
                fault(SHAPE, f"extents {array.shape[lead:]} cannot be reshaped to {target}", op)
            return array.reshape(*array.shape[:lead], *target)
        case Transpose():
            return np.transpose(array, [*range(lead), *(axis + lead for axis in op.permutation)])
        case Reduce():
            return reduction.reduce(op.combiner.value, dtype, array, tuple(axis + lead for axis in op.axes))
        case Scan():
            return reduction.scan(op.combiner.value, dtype, array, op.axis + lead, op.inclusive, op.reverse)
        case Quantize():
            return records.quantize(array)


def _broadcast(op: Broadcast, array: Array, lead: bool, target: tuple[int, ...]) -> Array:
    extents = array.shape[lead:]
    for axis, extent in zip(op.axes, target, strict=True):
        if axis is not None and extents[axis] not in (1, extent):
            fault(SHAPE, f"extent {extents[axis]} meets {extent}; it must be 1 or the same", op)
    placed = [1 if axis is None else extents[axis] for axis in op.axes]
    return np.broadcast_to(array.reshape(*array.shape[:lead], *placed), (*array.shape[:lead], *target))


def _axis(axis: int, source: Slot) -> int:
    return axis + (source.frame is not None)


def _histogram(op: Histogram, state: State, frame: Frame | None) -> Slot:
    slots = [state.read(value, frame) for value in (op.values, op.valid) if value is not None]
    owner = joint(slots)
    rows = owner.size if owner else 1
    values, *valid = (spread(slot, owner).reshape(rows, -1) for slot in slots)
    looked_at = valid[0] if valid else np.ones(values.shape, bool)
    bins = state.extent(op.result.tensor.shape[0], frame)
    wrong = looked_at & ((values < 0) | (values >= bins))
    if wrong.any():
        fault(BOUNDS, f"value {values[wrong][0]} has none of the {bins} bins", op)
    counts = counting.histogram(values, looked_at, bins, op.result.tensor.dtype)
    return Slot(counts if owner else counts[0], owner)
