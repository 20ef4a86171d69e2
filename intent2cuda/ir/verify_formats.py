"""Rules of contractions of encoded operands."""

from __future__ import annotations

from collections.abc import Iterator

from intent2cuda.base.intexpr import IntExpr
from intent2cuda.ir import infer
from intent2cuda.ir.ops.formats import (
    Quantize,
    QuantizedDot,
    RecordFormat,
    ScaledContract,
    ScaledFormat,
    SparseContract,
    SparseFormat,
)
from intent2cuda.ir.value import Value
from intent2cuda.ir.verify_checks import Complaint, Equalities, check_result
from intent2cuda.types.dtype import F8E4M3FN, F32, U8

RECORD_BYTES = {RecordFormat.Q4_K: 144, RecordFormat.Q8_K: 292}


def scaled(op: ScaledContract, known: Equalities) -> Iterator[Complaint]:
    lhs, rhs, left, right = (v.tensor for v in (op.lhs, op.rhs, op.lhs_scale, op.rhs_scale))
    if [t.rank for t in (lhs, rhs, left, right)] != [3, 3, 2, 2]:
        yield "kir.scaled.schema", "operands are [M, G, C] and [G, C, N] with scales [M, G] and [N, G]"
        return
    pairs = [
        (lhs.shape[0], left.shape[0]),
        (lhs.shape[1], left.shape[1]),
        (rhs.shape[0], lhs.shape[1]),
        (rhs.shape[0], right.shape[1]),
        (rhs.shape[2], right.shape[0]),
    ]
    if not all(known.same(a, b) for a, b in pairs):
        yield "kir.scaled.schema", "the extents of operands and scales do not match"
    for value, scale, format, carriers in (
        (op.lhs, op.lhs_scale, op.lhs_format, lhs.shape[2]),
        (op.rhs, op.rhs_scale, op.rhs_format, rhs.shape[1]),
    ):
        yield from _carrier(value, scale, format, carriers, op.group_size)
    yield from check_result(op.result, op.result.tensor.dtype, (lhs.shape[0], rhs.shape[2]), known)


def _carrier(
    value: Value, scale: Value, format: ScaledFormat, carriers: IntExpr, group_size: int
) -> Iterator[Complaint]:
    if value.tensor.dtype not in ((U8,) if format is ScaledFormat.E2M1 else (F8E4M3FN, U8)):
        yield "kir.scaled.format", f"{format.value} in {value.tensor.dtype}"
    if scale.tensor.dtype not in (U8, F32):
        yield "kir.scaled.format", f"scales in {scale.tensor.dtype}"
    packed = 2 if format is ScaledFormat.E2M1 else 1
    if group_size <= 0 or carriers.constant != group_size // packed or group_size % packed:
        yield "kir.scaled.group", f"{carriers} carriers of {format.value} for a group of {group_size}"


def sparse(op: SparseContract, known: Equalities) -> Iterator[Complaint]:
    compressed, rhs = op.compressed.tensor, op.rhs.tensor
    if not 0 <= op.axis < compressed.rank:
        yield "kir.sparse.axis", f"axis {op.axis} of rank {compressed.rank}"
        return
    per_group, places, group = (1, 1, 2) if op.format is SparseFormat.ONE_OF_TWO else (2, 2, 4)
    groups = op.logical_extent // group
    if len(op.metadata) != places:
        yield "kir.sparse.metadata", f"{len(op.metadata)} tensors of positions for {op.format.value}"
    shape = infer.expanded_shape(compressed.shape, op.axis, groups)
    for places_of in op.metadata:
        found = places_of.tensor
        if not found.dtype.is_integer or not (
            known.same_shape(found.shape, shape) or known.same(found.shape[op.axis] * group, op.logical_extent)
        ):
            yield "kir.sparse.metadata", f"positions are {places_of!r}"
    held = compressed.shape[op.axis]
    if not (known.same(held * (group // per_group), op.logical_extent) or known.same(held, groups * per_group)):
        yield "kir.sparse.divisibility", f"{held} values for {op.logical_extent} positions"
    logical = infer.expanded_shape(compressed.shape, op.axis, op.logical_extent)
    for left, right in (*op.reduce, *op.batch):
        if not (left < len(logical) and right < rhs.rank and known.same(logical[left], rhs.shape[right])):
            yield "kir.contract.extent", f"the pair ({left}, {right})"
            return
    if compressed.dtype != rhs.dtype:
        yield "kir.dtype.mixed", f"contract of {compressed.dtype} and {rhs.dtype}"
    shape = infer.contracted_shape(logical, rhs.shape, op.reduce, op.batch)
    yield from check_result(op.result, op.result.tensor.dtype, shape, known)


def quantized(op: Quantize | QuantizedDot, known: Equalities) -> Iterator[Complaint]:
    if isinstance(op, Quantize):
        source = op.source.tensor
        if (
            op.format is not RecordFormat.Q8_K
            or source.dtype != F32
            or source.rank != 2
            or source.shape[1].constant != 256
        ):
            yield "kir.quant.schema", f"{op.source!r} to {op.format.value}"
            return
        yield from check_result(op.result, U8, (source.shape[0], IntExpr.of(RECORD_BYTES[op.format])), known)
        return
    lhs, rhs = op.lhs.tensor, op.rhs.tensor
    for records, format in ((lhs, RecordFormat.Q4_K), (rhs, RecordFormat.Q8_K)):
        if records.dtype != U8 or records.rank != 2 or records.shape[1].constant != RECORD_BYTES[format]:
            yield "kir.quant.schema", f"records of {format.value} are u8 [G, {RECORD_BYTES[format]}]"
            return
    if not known.same(lhs.shape[0], rhs.shape[0]):
        yield "kir.quant.schema", "the operands have different numbers of records"
    yield from check_result(op.result, F32, (), known)
