"""Contractions for all points of a frame; encoded operands are decoded first."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from intent2cuda.interpret.faults import PLACES, SHAPE, fault
from intent2cuda.interpret.frames import Frame, Slot, joint, spread
from intent2cuda.interpret.state import State
from intent2cuda.ir.ops import Contract, ScaledContract, ScaledFormat, SparseContract
from intent2cuda.ir.value import Value
from intent2cuda.language.bodies import contraction, pointwise, scaled, sparse
from intent2cuda.language.bodies.conversion import cast
from intent2cuda.language.bodies.storage import Array, is_narrow
from intent2cuda.types.dtype import F32, DType

Pairs = Sequence[tuple[int, int]]
SCALED_PAIRS = ((1, 0), (2, 1))


def evaluate(op: Contract | ScaledContract | SparseContract, state: State, frame: Frame | None) -> Slot:
    """The result of an op."""
    accumulator = op.result.tensor.dtype
    match op:
        case Contract():
            lhs, rhs = state.read(op.lhs, frame), state.read(op.rhs, frame)
            return _contracted(lhs, rhs, op.lhs.tensor.dtype, accumulator, op.reduce, op.batch)
        case ScaledContract():
            wide = F32 if is_narrow(accumulator) else accumulator
            return _contracted(*_scaled(op, wide, state, frame), wide, accumulator, SCALED_PAIRS, ())
        case SparseContract():
            lhs, rhs = _expanded(op, state, frame), state.read(op.rhs, frame)
            return _contracted(lhs, rhs, op.rhs.tensor.dtype, accumulator, op.reduce, op.batch)


def _contracted(lhs: Slot, rhs: Slot, dtype: DType, accumulator: DType, reduce: Pairs, batch: Pairs) -> Slot:
    """The contraction for each point; the points are a batch axis of both operands, or a free axis of one."""
    left, right = int(lhs.frame is not None), int(rhs.frame is not None)
    own = [(a + left, b + right) for a, b in reduce]
    shared = [(a + left, b + right) for a, b in batch]
    if left and right:
        shared = [(0, 0), *shared]
    result = contraction.contract(lhs.array, rhs.array, dtype, accumulator, own, shared)
    if right and not left:
        result = np.moveaxis(result, lhs.array.ndim - len(reduce), 0)
    return Slot(result, joint([lhs, rhs]))


def _scaled(op: ScaledContract, wide: DType, state: State, frame: Frame | None) -> tuple[Slot, Slot]:
    """The operands [M, G, members] and [G, members, N], each member times its scale."""

    def operand(value: Value, scale: Value, format: ScaledFormat, axis: int, axes: Sequence[int]) -> Slot:
        slots = [state.read(v, frame) for v in (value, scale)]
        owner = joint(slots)
        carriers, codes = (spread(slot, owner) for slot in slots)
        lead = int(owner is not None)
        members = scaled.members(carriers, value.tensor.dtype, format is ScaledFormat.E2M1, axis + lead)
        factors = np.transpose(scaled.scales(codes, scale.tensor.dtype), [*range(lead), *(a + lead for a in axes)])
        exact = [cast(array, F32, wide) for array in (members, np.expand_dims(factors, axis + lead))]
        return Slot(pointwise.apply("mul", wide, *exact), owner)

    return (
        operand(op.lhs, op.lhs_scale, op.lhs_format, 2, (0, 1)),
        operand(op.rhs, op.rhs_scale, op.rhs_format, 1, (1, 0)),
    )


def _expanded(op: SparseContract, state: State, frame: Frame | None) -> Slot:
    """The compressed operand with its zeros."""
    slots = [state.read(value, frame) for value in (op.compressed, *op.metadata)]
    owner = joint(slots)
    values, *places = (spread(slot, owner) for slot in slots)
    axis = op.axis + (owner is not None)
    extent, groups = state.extent(op.logical_extent, frame), places[0].shape[axis]
    held, group = values.shape[axis], sparse.group_extent(places)
    if any(place.shape != places[0].shape for place in places) or held != groups * len(places):
        fault(SHAPE, f"{held} values do not go with {groups} groups of {len(places)}", op)
    if extent != groups * group:
        fault(SHAPE, f"{groups} groups of {group} do not fill {extent} positions", op)
    positions: list[Array] = [place.astype(np.int64) for place in places]
    if sparse.misplaced(positions):
        fault(PLACES, f"the places of present values are not rising numbers below {group}", op)
    return Slot(sparse.expanded(values, positions, axis), owner)
