"""Encodings beyond the element types, and the operations on them."""

from __future__ import annotations

from dataclasses import dataclass

from intent2cuda.language.intrinsic import Product, Tensor, intrinsic
from intent2cuda.language.structured import Pairs
from intent2cuda.types.dtype import F32, DType


@dataclass(frozen=True)
class ScaledFormat:
    """An element encoding of a scaled contraction: `per_byte` codes in each byte of the carrier."""

    name: str
    per_byte: int


e2m1 = ScaledFormat("e2m1", 2)
e4m3 = ScaledFormat("e4m3", 1)
e8m0 = ScaledFormat("e8m0", 1)


@dataclass(frozen=True)
class RecordFormat:
    """A block encoding of 256 elements in `bytes` bytes."""

    name: str
    bytes: int


@dataclass(frozen=True)
class Quant:
    """The record formats."""

    q4_k: RecordFormat = RecordFormat("q4_k", 144)
    q8_k: RecordFormat = RecordFormat("q8_k", 292)


quant = Quant()


@dataclass(frozen=True)
class SparseFormat:
    """`kept` values of each group of `group` along one axis of a logical extent."""

    kept: int
    group: int
    compression_axis: int
    logical_extent: object


class Sparse:
    """The compressed formats of a sparse contraction."""

    @staticmethod
    def one_of_two(compression_axis: int, logical_extent: object) -> SparseFormat:
        """One value of each pair; metadata: its position, 0 or 1."""
        return SparseFormat(1, 2, compression_axis, logical_extent)

    @staticmethod
    def two_of_four(compression_axis: int, logical_extent: object) -> SparseFormat:
        """Two values of each four; metadata: record(first, second) of their rising positions."""
        return SparseFormat(2, 4, compression_axis, logical_extent)


sparse = Sparse()


@intrinsic
def scaled_contract(
    lhs: Tensor,
    lhs_scale: Tensor,
    rhs: Tensor,
    rhs_scale: Tensor,
    lhs_format: ScaledFormat,
    rhs_format: ScaledFormat,
    lhs_group_size: int,
    rhs_group_size: int,
    reduce: Pairs,
    batch: Pairs = (),
    acc_dtype: DType = F32,
) -> Tensor:
    """The contraction of two scaled operands: every decoded element is multiplied by the scale of its group.

    Shapes: lhs [M, G, C], lhs_scale [M, G], rhs [G, C, N], rhs_scale [N, G]; a u8 scale is a power of two (E8M0).
    """
    ...


@intrinsic
def scaled_matmul(
    lhs: Tensor,
    lhs_scale: Tensor,
    rhs: Tensor,
    rhs_scale: Tensor,
    *,
    lhs_format: ScaledFormat,
    rhs_format: ScaledFormat,
    group_size: int,
    acc_dtype: DType,
) -> Tensor:
    """`scaled_contract` with one group size for both operands."""
    ...


@intrinsic
def sparse_contract(
    compressed: Tensor,
    metadata: Product,
    dense_rhs: Tensor,
    format: SparseFormat,
    reduce: Pairs,
    batch: Pairs = (),
    acc_dtype: DType = F32,
) -> Tensor:
    """The contraction of a compressed operand with a dense one; absent positions are exact zeros."""
    ...


@intrinsic
def sparse_matmul(
    compressed: Tensor, metadata: Product, rhs: Tensor, *, format: SparseFormat, acc_dtype: DType
) -> Tensor:
    """`sparse_contract` of matrices along axis 1 of the compressed one."""
    ...


@intrinsic
def sparse_contract_2to4(compressed_lhs: Tensor, metadata: Product, rhs: Tensor, acc_dtype: DType) -> Tensor:
    """`sparse_matmul` in the format two of four."""
    ...


@intrinsic
def quantize(values: Tensor, *, format: RecordFormat) -> Tensor:
    """f32 [G, 256] as records u8 [G, 292]; format: `I.quant.q8_k`."""
    ...


@intrinsic
def quantized_dot(
    lhs: Tensor, rhs: Tensor, *, lhs_format: RecordFormat, rhs_format: RecordFormat, acc_dtype: DType
) -> Tensor:
    """The sum of products of u8 [G, 144] in q4_k and u8 [G, 292] in q8_k, a rank-0 f32 tensor."""
    ...
