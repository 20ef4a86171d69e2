"""Ops without effects: their operands are evaluated for all points of a frame at once.

A value of a frame has the points as an extra leading axis; a value that is the same for all points has none, and
NumPy's broadcasting brings the two together.
"""

from __future__ import annotations

from typing import assert_never

import numpy as np

from intent2cuda.interpret.faults import SHAPE, fault
from intent2cuda.interpret.frames import Frame, Slot, joint
from intent2cuda.interpret.state import State
from intent2cuda.ir.ops import (
    ArgReduce,
    Bitcast,
    Broadcast,
    Cast,
    Constant,
    Contract,
    Dim,
    Indices,
    Join,
    Pointwise,
    Reduce,
    Reshape,
    Transpose,
)
from intent2cuda.language.bodies import contraction, conversion, pointwise, reduction
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
    | Contract
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
        case Contract():
            state.place(op.result, contract(op, state.read(op.lhs, frame), state.read(op.rhs, frame)))
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
        case Cast() | Bitcast() | Broadcast() | Reshape() | Transpose() | Reduce():
            source = state.read(op.source, frame)
            state.define(op.result, _of_one(op, source, state, frame), source.frame)
        case _:
            assert_never(op)


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
    op: Cast | Bitcast | Broadcast | Reshape | Transpose | Reduce, source: Slot, state: State, frame: Frame | None
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


def _broadcast(op: Broadcast, array: Array, lead: bool, target: tuple[int, ...]) -> Array:
    extents = array.shape[lead:]
    for axis, extent in zip(op.axes, target, strict=True):
        if axis is not None and extents[axis] not in (1, extent):
            fault(SHAPE, f"extent {extents[axis]} meets {extent}; it must be 1 or the same", op)
    placed = [1 if axis is None else extents[axis] for axis in op.axes]
    return np.broadcast_to(array.reshape(*array.shape[:lead], *placed), (*array.shape[:lead], *target))


def _axis(axis: int, source: Slot) -> int:
    return axis + (source.frame is not None)


def contract(op: Contract, lhs: Slot, rhs: Slot) -> Slot:
    """The contraction for each point; the points are a batch axis of both operands, or a free axis of one."""
    left, right = int(lhs.frame is not None), int(rhs.frame is not None)
    reduce = [(a + left, b + right) for a, b in op.reduce]
    batch = [(a + left, b + right) for a, b in op.batch]
    if left and right:
        batch = [(0, 0), *batch]
    dtype = op.lhs.tensor.dtype
    result = contraction.contract(lhs.array, rhs.array, dtype, op.result.tensor.dtype, reduce, batch)
    if right and not left:
        result = np.moveaxis(result, lhs.array.ndim - len(reduce), 0)
    return Slot(result, joint([lhs, rhs]))
