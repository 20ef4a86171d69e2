"""Encodings beyond the element types, and the operations on them."""

from __future__ import annotations

from dataclasses import dataclass

from intent2cuda.language.intrinsic import Product, Tensor, intrinsic
from intent2cuda.language.structured import Pairs
from intent2cuda.types.dtype import DType


@dataclass(frozen=True)
class ScaledFormat:
    """An element encoding of a scaled contraction: `per_byte` codes in each byte of the carrier."""

    name: str
    per_byte: int


e2m1 = ScaledFormat("e2m1", 2)
"""Four bits: codes 0 to 7 are 0, 0.5, 1, 1.5, 2, 3, 4 and 6, bit 3 is the sign. Two in a byte, the earlier one low."""
e4m3 = ScaledFormat("e4m3", 1)
"""Eight bits, as f8e4m3fn."""
e8m0 = ScaledFormat("e8m0", 1)
"""The encoding of u8 scales: code c is 2^(c - 127), and 255 NaN. It is no format of elements."""


@dataclass(frozen=True)
class RecordFormat:
    """A block encoding of 256 elements in `bytes` bytes."""

    name: str
    bytes: int


@dataclass(frozen=True)
class Quant:
    """The record formats: blocks of 256 numbers.

    q4_k, 144 bytes: an f16 scale and an f16 minimum, eight 6-bit scales and minima, 256 nibbles.
    q8_k, 292 bytes: an f32 scale, 256 i8, 16 i16 sums of sixteen.
    """

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
    """The compressed formats of a sparse contraction; both say which axis is compressed and how long it is once it is
    expanded.
    """

    @staticmethod
    def one_of_two(compression_axis: int, logical_extent: object) -> SparseFormat:
        """One value of each pair. Metadata: an integer tensor of its position, 0 or 1."""
        return SparseFormat(1, 2, compression_axis, logical_extent)

    @staticmethod
    def two_of_four(compression_axis: int, logical_extent: object) -> SparseFormat:
        """Two values of each four. Metadata: record(first, second), integer tensors of their rising positions of 0 to
        3.
        """
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
    *,
    acc_dtype: DType,
) -> Tensor:
    """The contraction of two scaled operands: every decoded element is multiplied by the scale of its group.

    lhs_format, rhs_format: `I.e2m1`, two codes in a byte, the earlier one in the low half; or `I.e4m3`.
    lhs_group_size, rhs_group_size: how many elements share a scale; equal.
    reduce, batch: ((1, 0), (2, 1)) and no pair: the schema is closed.
    Shapes: lhs [M, G, C], lhs_scale [M, G], rhs [G, C, N], rhs_scale [N, G] give [M, N]; C bytes hold a group.
    Dtypes: u8 elements for e2m1, f8e4m3fn or u8 for e4m3; a u8 scale c is 2^(c - 127) and 255 NaN (E8M0), an f32 scale
    is itself. The result has `acc_dtype`, a float of 16 bits or more.
    Refused: `kir.scaled.schema` other ranks, extents, pairs; `kir.scaled.format` another format, carrier or scale;
    `kir.scaled.group` group sizes that differ, are not positive, or do not fill their bytes; `kir.contract.accumulator`
    another accumulator.
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
    """`scaled_contract` with one group size for both operands.

    Shapes, Dtypes, Refused: as for `I.scaled_contract`.
    """
    ...


@intrinsic
def sparse_contract(
    compressed: Tensor,
    metadata: Product,
    dense_rhs: Tensor,
    format: SparseFormat,
    reduce: Pairs,
    batch: Pairs = (),
    *,
    acc_dtype: DType,
) -> Tensor:
    """The contraction of a compressed operand with a dense one; absent positions are exact zeros.

    metadata, format: where the values stand, as `I.sparse.one_of_two` or `I.sparse.two_of_four` describes it.
    reduce, batch: pairs of axes of the expanded operand and of `dense_rhs`, as for `I.contract`.
    Shapes: those of `I.contract` for the expanded operand.
    Dtypes: numbers, the same for both; integers as metadata; the result has `acc_dtype`.
    Refused: `kir.sparse.format` another format; `kir.sparse.metadata` metadata of another form;
    `kir.sparse.divisibility` an extent that is no multiple of the group; `kir.contract.dtype`, `kir.contract.extent` as
    for `I.contract`.
    """
    ...


@intrinsic
def sparse_matmul(
    compressed: Tensor, metadata: Product, rhs: Tensor, *, format: SparseFormat, acc_dtype: DType
) -> Tensor:
    """`sparse_contract` of matrices along axis 1 of the compressed one.

    Shapes: [M, K] once it is expanded, and [K, N], give [M, N].
    Dtypes, Refused: as for `I.sparse_contract`; `kir.sparse.axis` a matrix compressed along axis 0.
    """
    ...


@intrinsic
def sparse_contract_2to4(compressed_lhs: Tensor, metadata: Product, rhs: Tensor, acc_dtype: DType) -> Tensor:
    """`sparse_matmul` in the format two of four.

    Shapes: [M, K / 2] values and [K, N] give [M, N].
    Dtypes, Refused: as for `I.sparse_contract`.
    """
    ...


@intrinsic
def quantize(values: Tensor, *, format: RecordFormat) -> Tensor:
    """Rows of 256 numbers as records of bytes.

    A record holds the f32 scale, 256 i8 and the 16 sums of sixteen as i16, little endian. Of the greatest and the least
    number the one of larger magnitude becomes -127 (the least on a tie); the others are rounded to nearest even.

    format: `I.quant.q8_k`.
    Shapes: [G, 256] gives [G, 292].
    Dtypes: f32 gives u8.
    Refused: `kir.quant.format` another format; `kir.quant.dtype`, `kir.quant.schema` other values.
    """
    ...


@intrinsic
def quantized_dot(
    lhs: Tensor, rhs: Tensor, *, lhs_format: RecordFormat, rhs_format: RecordFormat, acc_dtype: DType
) -> Tensor:
    """The sum of products of two rows of records; its rounding points are fixed.

    lhs_format, rhs_format: `I.quant.q4_k` and `I.quant.q8_k`.
    Shapes: [G, 144] and [G, 292] give a tensor of rank 0.
    Dtypes: u8 gives f32; `acc_dtype` is f32.
    Refused: `kir.quant.format` other formats; `kir.quant.dtype`, `kir.quant.schema` other records;
    `kir.quant.accumulator` another accumulator.
    """
    ...
