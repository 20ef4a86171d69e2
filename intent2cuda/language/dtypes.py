"""Element types and constants under the names that authors write after `I.`."""

from __future__ import annotations

from intent2cuda.types import dtype as types

bool = types.BOOL
"""True and False; a byte in memory. It has `and`, `or`, `not`, `&`, `|`, `^`, comparison and choice, no arithmetic."""
index = types.INDEX
"""Coordinates and extents: signed, 64 bits, and a type of its own, not i64."""
i8, i16, i32, i64 = types.I8, types.I16, types.I32, types.I64
"""Signed integers of 8 to 64 bits, two's complement; arithmetic wraps."""
u8, u16, u32, u64 = types.U8, types.U16, types.U32, types.U64
"""Unsigned integers of 8 to 64 bits; arithmetic wraps."""
f8e4m3fn, f8e5m2 = types.F8E4M3FN, types.F8E5M2
"""Floats of 8 bits, for storage: they convert, compare, are chosen and contracted, and have no arithmetic.

f8e4m3fn has no infinity, and 448 is its greatest number; f8e5m2 is like f16 with fewer digits.
"""
f16, bf16, f32, f64 = types.F16, types.BF16, types.F32, types.F64
"""Floats of 16, 32 and 64 bits, and bf16, the upper half of f32. Each operation on f16 and bf16 rounds once."""

inf = float("inf")
"""Infinity as a literal; `-I.inf` too."""
LOG2E = 1.4426950408889634
"""The binary logarithm of e as a literal."""
