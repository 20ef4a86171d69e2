"""Contractions of encoded operands: scaled blocks, compressed sparsity, quantised records."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from intent2cuda.base.intexpr import IntExpr
from intent2cuda.ir.op import Op
from intent2cuda.ir.value import Value


class ScaledFormat(Enum):
    """How the members of a scaled operand are encoded."""

    E2M1 = "e2m1"
    E4M3 = "e4m3"


class SparseFormat(Enum):
    """Which positions of each group of the compressed axis are present."""

    ONE_OF_TWO = "one_of_two"
    TWO_OF_FOUR = "two_of_four"


class RecordFormat(Enum):
    """A block of 256 quantised numbers in bytes."""

    Q4_K = "q4_k"
    Q8_K = "q8_k"


@dataclass(frozen=True, eq=False)
class ScaledContract(Op):
    """[M, G, C] with scales [M, G] times [G, C, N] with scales [N, G]: [M, N] in the result's dtype.

    C carriers hold the `group_size` members of a group. A u8 scale c is 2^(c - 127), 255 NaN; an f32 scale is itself.
    """

    lhs: Value
    lhs_scale: Value
    rhs: Value
    rhs_scale: Value
    lhs_format: ScaledFormat
    rhs_format: ScaledFormat
    group_size: int
    result: Value


@dataclass(frozen=True, eq=False)
class SparseContract(Op):
    """A contraction whose left operand is compressed along `axis`; absent positions are zeros.

    one_of_two: `metadata` is one tensor of the position in each pair. two_of_four: two tensors, of the first and the
    second position in each four, rising. The axis has `logical_extent` positions once it is expanded; `reduce` and
    `batch` speak of the expanded operand, as in `Contract`.
    """

    compressed: Value
    metadata: tuple[Value, ...]
    rhs: Value
    format: SparseFormat
    axis: int
    logical_extent: IntExpr
    reduce: tuple[tuple[int, int], ...]
    batch: tuple[tuple[int, int], ...]
    result: Value


@dataclass(frozen=True, eq=False)
class Quantize(Op):
    """f32 [G, 256] to records of bytes, u8 [G, 292] (q8_k)."""

    source: Value
    format: RecordFormat
    result: Value


@dataclass(frozen=True, eq=False)
class QuantizedDot(Op):
    """The dot product of q4_k records, u8 [G, 144], and q8_k records, u8 [G, 292]: one f32, records added in order."""

    lhs: Value
    rhs: Value
    result: Value
