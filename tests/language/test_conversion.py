"""Casts round once from the exact value; integers keep their low bits."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent2cuda.language.bodies.conversion import bitcast, cast
from intent2cuda.language.bodies.storage import NUMPY
from intent2cuda.types.dtype import BF16, BOOL, BY_NAME, F8E4M3FN, F8E5M2, F16, F32, F64, I64, U64, DType

FORMATS = {
    F8E4M3FN: (4, -6, 448),
    F8E5M2: (3, -14, 57344),
    F16: (11, -14, 65504),
    BF16: (8, -126, None),
    F32: (24, -126, None),
}
"""Bits of the significand with the hidden one, least exponent of a normal number, greatest number where it is short."""


def rounded(value: Fraction, target: DType) -> float:
    """The nearest number of the format, ties to even; infinity beyond the greatest one."""
    bits, least, greatest = FORMATS[target]
    if value == 0:
        return 0.0
    exponent = max(least, _floor_log2(abs(value)))
    unit = Fraction(2) ** (exponent - bits + 1)
    result = round(value / unit) * unit
    limit = Fraction(greatest) if greatest else (2 - Fraction(2) ** (1 - bits)) * Fraction(2) ** 127
    return float(result) if abs(result) <= limit else float("inf") * (1 if value > 0 else -1)


def _floor_log2(value: Fraction) -> int:
    guess = value.numerator.bit_length() - value.denominator.bit_length()
    return guess if Fraction(2) ** guess <= value else guess - 1


def number(array: np.ndarray) -> float:
    return float(array.astype(np.float64)[0])


@pytest.mark.parametrize("target", [F16, BF16, F8E5M2, F32])
@given(value=st.integers(-(2**63), 2**63 - 1) | st.integers(-(2**20), 2**20))
def test_integers_round_once(target: DType, value: int) -> None:
    with np.errstate(over="ignore"):
        assert number(cast(np.array([value]), I64, target)) == rounded(Fraction(value), target)
        unsigned = value % 2**64
        assert number(cast(np.array([unsigned], np.uint64), U64, target)) == rounded(Fraction(unsigned), target)


@pytest.mark.parametrize("target", [F16, BF16, F8E5M2, F32])
@given(value=st.floats(allow_nan=False, allow_infinity=False) | st.floats(-100, 100) | st.floats(-1e-4, 1e-4))
def test_f64_rounds_once(target: DType, value: float) -> None:
    with np.errstate(all="ignore"):
        assert number(cast(np.array([value]), F64, target)) == rounded(Fraction(value), target)


@pytest.mark.parametrize("target", [F8E4M3FN, F8E5M2, F16, BF16])
def test_a_tie_that_f32_would_move_is_kept_apart(target: DType) -> None:
    bits = FORMATS[target][0]
    for offset in (-1, 1):
        value = 1 + 2.0**-bits + offset * 2.0**-50
        assert number(cast(np.array([value]), F64, target)) == rounded(Fraction(value), target)


@given(value=st.floats(-400, 400, width=32))
def test_e4m3_rounds_to_even(value: float) -> None:
    assert number(cast(np.array([value], np.float32), F32, F8E4M3FN)) == rounded(Fraction(value), F8E4M3FN)


def test_integers_keep_their_low_bits() -> None:
    values = np.array([-1, 300, -129, 2**40 + 5])
    for name in ("i8", "u8", "i16", "u32"):
        target = BY_NAME[name]
        low, high = target.integer_range
        wrapped = [(v - low) % (high - low + 1) + low for v in values.tolist()]
        assert cast(values, I64, target).tolist() == wrapped


def test_bool_is_not_zero_and_gives_0_and_1() -> None:
    floats = np.array([0.0, -0.0, 0.5, np.nan], np.float32)
    assert cast(floats, F32, BOOL).tolist() == [False, False, True, True]
    assert cast(np.array([0, 3, -256]), I64, BOOL).tolist() == [False, True, True]
    for dtype in BY_NAME.values():
        assert cast(np.array([False, True]), BOOL, dtype).astype(np.float64).tolist() == [0.0, 1.0]


def test_every_pair_of_dtypes_converts_small_numbers() -> None:
    for source in BY_NAME.values():
        ones = np.array([0, 1, 1]).astype(NUMPY[source])
        for target in BY_NAME.values():
            result = cast(ones, source, target)
            assert result.dtype == NUMPY[target]
            assert result.astype(np.float64).tolist() == [0.0, 1.0, 1.0]


def test_bitcast_keeps_the_bits() -> None:
    assert bitcast(np.array([1.0], np.float32), BY_NAME["u32"])[0] == 0x3F800000
    assert bitcast(np.array([0x3F80], np.uint16), BF16).astype(np.float32)[0] == 1.0
