"""Contractions of encoded operands: the operands are decoded where they are read, then contracted as they are."""

from __future__ import annotations

from collections.abc import Sequence

from intent2cuda.base.intexpr import IntExpr
from intent2cuda.ir import infer
from intent2cuda.ir.builder import Builder
from intent2cuda.ir.ops import (
    Bitcast,
    Contract,
    Gather,
    Join,
    ScaledContract,
    ScaledFormat,
    SparseContract,
    SparseFormat,
)
from intent2cuda.ir.terms import Lanes, Term, Whole
from intent2cuda.ir.value import Value
from intent2cuda.types.dtype import F8E4M3FN, F32, U8, U32, DType
from intent2cuda.types.value_type import Shape, TensorType


def scaled(builder: Builder, op: ScaledContract) -> tuple[Value, ...]:
    """Every member times the scale of its group, in the accumulator's dtype, then a product over all members."""
    dtype = op.result.tensor.dtype
    rows, groups, _ = op.lhs.tensor.shape
    columns = op.rhs.tensor.shape[2]
    depth = groups * op.group_size
    lhs = _members(builder, op.lhs, op.lhs_format, 2)
    left = _spread(builder, _scale(builder, op.lhs_scale), (0, 1, *[None] * (lhs.tensor.rank - 2)), lhs)
    rhs = _members(builder, op.rhs, op.rhs_format, 1)
    scale = builder.transpose(_scale(builder, op.rhs_scale), (1, 0))
    right = _spread(builder, scale, (0, *[None] * (rhs.tensor.rank - 2), 1), rhs)
    lhs = builder.reshape(_product(builder, lhs, left, dtype), (rows, depth))
    rhs = builder.reshape(_product(builder, rhs, right, dtype), (depth, columns))
    return (_contracted(builder, lhs, rhs, ((1, 0),), (), dtype),)


def _product(builder: Builder, members: Value, scales: Value, dtype: DType) -> Value:
    return builder.pointwise("mul", builder.cast(members, dtype), builder.cast(scales, dtype))


def _members(builder: Builder, carriers: Value, format: ScaledFormat, axis: int) -> Value:
    """The decoded members, f32; two of them to a carrier stand on an axis of their own after that of the carriers."""
    if format is ScaledFormat.E4M3:
        if carriers.tensor.dtype == U8:
            eight = builder.fresh(TensorType(F8E4M3FN, carriers.tensor.shape))
            carriers = builder.emit(Bitcast(carriers, eight)).result
        return builder.cast(carriers, F32)
    wide = builder.cast(carriers, U32)
    low = _e2m1(builder, builder.pointwise("bit_and", wide, _like(builder, wide, 15)))
    high = _e2m1(builder, builder.pointwise("shr", wide, _like(builder, wide, 4)))
    joined = builder.fresh(TensorType(F32, (*low.tensor.shape, IntExpr.of(2))))
    pair = builder.emit(Join(low, high, joined)).result
    rank = pair.tensor.rank
    order = (*range(axis + 1), rank - 1, *range(axis + 1, rank - 1))
    return pair if order == tuple(range(rank)) else builder.transpose(pair, order)


def _e2m1(builder: Builder, code: Value) -> Value:
    """The f32 with the exponent and mantissa bits of the code; the power of two moves the bias of 127 to 1."""
    magnitude = builder.pointwise("bit_and", code, _like(builder, code, 7))
    sign = builder.pointwise("bit_and", code, _like(builder, code, 8))
    bits = builder.pointwise(
        "bit_or",
        builder.pointwise("shl", magnitude, _like(builder, code, 22)),
        builder.pointwise("shl", sign, _like(builder, code, 28)),
    )
    return builder.pointwise("mul", _as_f32(builder, bits), _like(builder, _as_f32_type(bits), 2.0**126))


def _scale(builder: Builder, scale: Value) -> Value:
    """Scales as f32: a u8 code c is 2^(c - 127), 255 NaN."""
    if scale.tensor.dtype == F32:
        return scale
    code = builder.cast(scale, U32)
    bits = builder.pointwise("shl", code, _like(builder, code, 23))
    for special, pattern in ((0, 0x00400000), (255, 0x7FC00000)):
        is_special = builder.pointwise("eq", code, _like(builder, code, special))
        bits = builder.pointwise("select", is_special, _like(builder, code, pattern), bits)
    return _as_f32(builder, bits)


def _as_f32(builder: Builder, bits: Value) -> Value:
    return builder.emit(Bitcast(bits, builder.fresh(_as_f32_type(bits)))).result


def _as_f32_type(bits: Value) -> TensorType:
    return TensorType(F32, bits.tensor.shape, bits.tensor.is_scalar)


def sparse(builder: Builder, op: SparseContract) -> tuple[Value, ...]:
    """The operand with zeros in its absent positions, contracted."""
    positions = builder.indices(builder.domain(builder.constant(0), builder.dim(op.logical_extent)))
    shape = infer.expanded_shape(op.compressed.tensor.shape, op.axis, op.logical_extent)
    width = 2 if op.format is SparseFormat.ONE_OF_TWO else 4
    group = builder.pointwise("floordiv", positions, _like(builder, positions, width))
    offset = builder.pointwise("mod", positions, _like(builder, positions, width))
    zero = builder.constant(0.0 if op.compressed.tensor.dtype.is_float else 0, op.compressed.tensor.dtype)
    dense = builder.broadcast(zero, (None,) * len(shape), shape)
    for number, places in enumerate(op.metadata):
        at = group
        if len(op.metadata) > 1:
            doubled = builder.pointwise("mul", group, _like(builder, group, 2))
            at = builder.pointwise("add", doubled, _like(builder, group, number))
        value = _along(builder, op.compressed, op.axis, at)
        place = _along(builder, places, op.axis, group)
        axes = tuple(0 if axis == op.axis else None for axis in range(len(shape)))
        wanted = builder.broadcast(builder.cast(offset, place.tensor.dtype), axes, shape)
        dense = builder.pointwise("select", builder.pointwise("eq", place, wanted), value, dense)
    return (_contracted(builder, dense, op.rhs, op.reduce, op.batch, op.result.tensor.dtype),)


def _along(builder: Builder, source: Value, axis: int, positions: Value) -> Value:
    """The members of a tensor at positions of one axis."""
    rank = source.tensor.rank
    terms: tuple[Term, ...] = tuple(Lanes(positions) if number == axis else Whole() for number in range(rank))
    shape = infer.selected_shape(source.tensor.shape, terms)
    return builder.emit(Gather(source, terms, builder.fresh(TensorType(source.tensor.dtype, shape)))).result


def _spread(builder: Builder, source: Value, axes: Sequence[int | None], like: Value) -> Value:
    return builder.broadcast(source, axes, like.tensor.shape)


def _like(builder: Builder, like: Value | TensorType, number: int | float) -> Value:
    """A constant in every place of a tensor."""
    kind = like if isinstance(like, TensorType) else like.tensor
    constant = builder.constant(number, kind.dtype)
    return builder.broadcast(constant, (None,) * kind.rank, kind.shape) if kind.shape else constant


def _contracted(
    builder: Builder,
    lhs: Value,
    rhs: Value,
    reduce: tuple[tuple[int, int], ...],
    batch: tuple[tuple[int, int], ...],
    dtype: DType,
) -> Value:
    shape: Shape = infer.contracted_shape(lhs.tensor.shape, rhs.tensor.shape, reduce, batch)
    return builder.emit(Contract(lhs, rhs, reduce, batch, builder.fresh(TensorType(dtype, shape)))).result
