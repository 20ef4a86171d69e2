"""Constants read back as the same value in their type, and look as the author wrote them."""

import math
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent2cuda.emit.literals import literal
from intent2cuda.machine.expressions import Literal
from intent2cuda.types import dtype as d


@pytest.mark.parametrize(
    ("value", "dtype", "spelling", "text"),
    [
        (0.5, d.F32, "", "0.5f"),
        (1e-5, d.F32, "1e-5", "1e-5f"),
        (1e-5, d.F32, "", "1e-5f"),
        (0.7978845608, d.F32, "0.7978845608", "0.7978845608f"),
        (3.0, d.F32, "3", "3.0f"),
        (1000000.0, d.F32, "1_000_000.0", "1e6f"),
        (0.1, d.F64, "0.1", "0.1"),
        (-2.5, d.F32, "", "-2.5f"),
        (1.5, d.F16, "1.5", "intent::f16(1.5f)"),
        (math.inf, d.F32, "", "intent::infinity<float>()"),
        (-math.inf, d.F64, "", "-intent::infinity<double>()"),
        (math.nan, d.F32, "", "intent::quiet_nan<float>()"),
        (True, d.BOOL, "", "true"),
        (7, d.I32, "", "7"),
        (-(2**31), d.I32, "", "intent::lowest<std::int32_t>()"),
        (7, d.I64, "", "std::int64_t{7}"),
        (2**64 - 1, d.U64, "", "std::uint64_t{18446744073709551615u}"),
        (200, d.U8, "", "std::uint8_t{200}"),
        (5, d.U32, "", "5u"),
        (5, d.INDEX, "", "index_t{5}"),
    ],
)
def test_literal(value: float, dtype: d.DType, spelling: str, text: str) -> None:
    assert literal(Literal(value, dtype, spelling)) == text


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_f32_reads_back(value: float) -> None:
    text = literal(Literal(value, d.F32))
    assert text.endswith("f")
    assert struct.pack("f", float(text[:-1])) == struct.pack("f", value)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_f64_reads_back(value: float) -> None:
    assert struct.pack("d", float(literal(Literal(value, d.F64)))) == struct.pack("d", value)
