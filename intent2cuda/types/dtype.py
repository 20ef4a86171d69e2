"""Element types: bits, kind, ranges, names."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Kind(Enum):
    BOOL = "bool"
    INDEX = "index"
    SIGNED = "signed"
    UNSIGNED = "unsigned"
    FLOAT = "float"


@dataclass(frozen=True)
class DType:
    """An element type of the language. `name` is what authors write after `I.`; `bits` is the width in memory."""

    name: str
    kind: Kind
    bits: int

    @property
    def bytes(self) -> int:
        return self.bits // 8

    @property
    def is_float(self) -> bool:
        return self.kind is Kind.FLOAT

    @property
    def is_bool(self) -> bool:
        return self.kind is Kind.BOOL

    @property
    def is_integer(self) -> bool:
        """Integers and index; not bool."""
        return self.kind in (Kind.INDEX, Kind.SIGNED, Kind.UNSIGNED)

    @property
    def is_signed(self) -> bool:
        return self.kind in (Kind.INDEX, Kind.SIGNED)

    @property
    def integer_range(self) -> tuple[int, int]:
        """Least and greatest value of an integer type, both included."""
        if self.is_signed:
            return -(1 << (self.bits - 1)), (1 << (self.bits - 1)) - 1
        return 0, (1 << self.bits) - 1

    def __str__(self) -> str:
        return self.name


BOOL = DType("bool", Kind.BOOL, 8)
INDEX = DType("index", Kind.INDEX, 64)
I8, I16, I32, I64 = (DType(f"i{n}", Kind.SIGNED, n) for n in (8, 16, 32, 64))
U8, U16, U32, U64 = (DType(f"u{n}", Kind.UNSIGNED, n) for n in (8, 16, 32, 64))
F8E4M3FN = DType("f8e4m3fn", Kind.FLOAT, 8)
F8E5M2 = DType("f8e5m2", Kind.FLOAT, 8)
F16 = DType("f16", Kind.FLOAT, 16)
BF16 = DType("bf16", Kind.FLOAT, 16)
F32 = DType("f32", Kind.FLOAT, 32)
F64 = DType("f64", Kind.FLOAT, 64)

DTYPES: tuple[DType, ...] = (
    BOOL, INDEX, I8, I16, I32, I64, U8, U16, U32, U64, F8E4M3FN, F8E5M2, F16, BF16, F32, F64,
)  # fmt: skip

EIGHT_BIT_FLOATS = (F8E4M3FN, F8E5M2)
"""Formats that are stored, converted, compared and contracted, and have no arithmetic of their own."""

BY_NAME: dict[str, DType] = {d.name: d for d in DTYPES}


def sum_dtype(dtype: DType) -> DType:
    """The type in which a sum of `dtype` elements accumulates (sum, cumsum)."""
    if dtype in (I8, I16):
        return I32
    if dtype in (U8, U16):
        return U32
    return F32 if dtype in (F8E4M3FN, F8E5M2, F16, BF16) else dtype
