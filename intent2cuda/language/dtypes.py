"""Element types and constants under the names that authors write after `I.`."""

from __future__ import annotations

from intent2cuda.types import dtype as types

bool = types.BOOL
index = types.INDEX
i8, i16, i32, i64 = types.I8, types.I16, types.I32, types.I64
u8, u16, u32, u64 = types.U8, types.U16, types.U32, types.U64
f8e4m3fn, f8e5m2 = types.F8E4M3FN, types.F8E5M2
f16, bf16, f32, f64 = types.F16, types.BF16, types.F32, types.F64

inf = float("inf")
LOG2E = 1.4426950408889634
