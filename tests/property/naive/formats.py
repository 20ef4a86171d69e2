"""Contractions of encoded operands, decoded number by number."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable

from intent2cuda.ir import ops
from intent2cuda.ir.ops import ScaledFormat, SparseFormat
from intent2cuda.ir.value import Value
from intent2cuda.types.dtype import F8E4M3FN, F32, U8

from .scalars import Number, converted, divided, fit, reinterpreted
from .scalars import evaluate as apply
from .state import Place, State, Table, View, places
from .structured import contraction

E2M1 = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)
BLOCK = 256


def scaled_contract(state: State, op: ops.ScaledContract) -> None:
    lhs, rhs = state.table(op.lhs), state.table(op.rhs)
    lhs_scale, rhs_scale = state.table(op.lhs_scale), state.table(op.rhs_scale)
    dtype = op.result.tensor.dtype

    def element(at: Place) -> Number:
        m, n = at
        total = fit(dtype, 0)
        for group, k in places((lhs.shape[1], op.group_size)):
            left = _member(lhs, op.lhs, op.lhs_format, lambda c, g=group: (m, g, c), k)
            right = _member(rhs, op.rhs, op.rhs_format, lambda c, g=group: (g, c, n), k)
            factors = (
                (left, _scale(lhs_scale.get((m, group)), op.lhs_scale)),
                (right, _scale(rhs_scale.get((n, group)), op.rhs_scale)),
            )
            scaled = [apply("mul", dtype, *(converted(v, F32, dtype) for v in pair)) for pair in factors]
            total = apply("add", dtype, total, apply("mul", dtype, *scaled))
        return total

    state.define(op.result, (lhs.shape[0], rhs.shape[2]), element)


def _member(table: Table | View, value: Value, format: ScaledFormat, place: Callable[[int], Place], k: int) -> float:
    """Member `k` of a group; `place` gives the place of its carrier."""
    if format is ScaledFormat.E2M1:
        byte = int(table.get(place(k // 2)))
        code = byte >> 4 if k % 2 else byte & 15
        return -E2M1[code & 7] if code & 8 else E2M1[code]
    carried = table.get(place(k))
    return float(reinterpreted(carried, U8, F8E4M3FN) if value.tensor.dtype == U8 else carried)


def _scale(carried: Number, value: Value) -> float:
    if value.tensor.dtype == F32:
        return float(carried)
    return math.nan if carried == 255 else math.ldexp(1.0, int(carried) - 127)


def sparse_contract(state: State, op: ops.SparseContract) -> None:
    compressed, axis = state.table(op.compressed), op.axis
    metadata = [state.table(positions) for positions in op.metadata]
    present, group = (1, 2) if op.format is SparseFormat.ONE_OF_TWO else (2, 4)

    def expanded(at: Place) -> Number:
        number, position = divmod(at[axis], group)
        for which, positions in enumerate(metadata):
            if positions.get((*at[:axis], number, *at[axis + 1 :])) == position:
                return compressed.get((*at[:axis], number * present + which, *at[axis + 1 :]))
        return fit(op.compressed.tensor.dtype, 0)

    shape = (*compressed.shape[:axis], state.integer(op.logical_extent), *compressed.shape[axis + 1 :])
    element, result = contraction(Table.of(shape, expanded), state.table(op.rhs), op)
    state.define(op.result, result, element)


def quantize(state: State, op: ops.Quantize) -> None:
    source = state.table(op.source)
    rows = [_q8_k([float(source.get((g, k))) for k in range(BLOCK)]) for g in range(source.shape[0])]
    state.define(op.result, state.shape(op.result), lambda at: rows[at[0]][at[1]])


def _q8_k(values: list[float]) -> bytes:
    least, greatest = min(values), max(values)
    extreme = greatest if abs(greatest) > abs(least) else least
    if extreme == 0:
        return bytes(292)
    inverse = _r32(-127.0 / extreme)
    numbers = [max(-128, min(127, round(_r32(value * inverse)))) for value in values]
    sums = [sum(numbers[k : k + 16]) for k in range(0, BLOCK, 16)]
    return struct.pack("<f256b16h", _r32(divided(1.0, inverse)), *numbers, *sums)


def _r32(value: float) -> float:
    return float(fit(F32, value))


def quantized_dot(state: State, op: ops.QuantizedDot) -> None:
    lhs, rhs = state.table(op.lhs), state.table(op.rhs)
    total = 0.0
    for g in range(lhs.shape[0]):
        left, right = (bytes(int(t.get((g, k))) for k in range(t.shape[1])) for t in (lhs, rhs))
        total = _r32(total + _record_dot(left, right))
    state.define(op.result, (), lambda _: total)


def _record_dot(left: bytes, right: bytes) -> float:
    d, dmin = struct.unpack("<2e", left[:4])
    scale, *rest = struct.unpack("<f256b16h", right)
    quants, sums = rest[:BLOCK], rest[BLOCK:]
    scales, minima = _six_bits(left[4:16])
    weighted = 0
    for i in range(BLOCK):
        byte = left[16 + 32 * (i // 64) + i % 32]
        weighted += scales[i // 32] * (byte & 15 if i % 64 < 32 else byte >> 4) * quants[i]
    offsets = sum(minima[k] * (sums[2 * k] + sums[2 * k + 1]) for k in range(8))
    return _r32(scale * _r32(_r32(d * weighted) - _r32(dmin * offsets)))


def _six_bits(a: bytes) -> tuple[list[int], list[int]]:
    """The scales and minima of the eight parts of a record."""
    scales = [a[i] & 63 for i in range(4)] + [(a[8 + t] & 15) | ((a[t] >> 6) << 4) for t in range(4)]
    minima = [a[4 + i] & 63 for i in range(4)] + [(a[8 + t] >> 4) | ((a[4 + t] >> 6) << 4) for t in range(4)]
    return scales, minima
