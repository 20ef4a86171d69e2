"""Numbers of the float formats, without NumPy: rounding of a Python float to one of them."""

from __future__ import annotations

import math
from collections.abc import Mapping

from intent2cuda.types.dtype import BF16, F8E4M3FN, F8E5M2, F16, F32, F64, DType

_FORMATS: Mapping[DType, tuple[int, int, float]] = {
    F8E4M3FN: (4, -6, 448.0),
    F8E5M2: (3, -14, 57344.0),
    F16: (11, -14, 65504.0),
    BF16: (8, -126, math.ldexp(255, 120)),
    F32: (24, -126, math.ldexp((1 << 24) - 1, 104)),
    F64: (53, -1022, math.ldexp((1 << 53) - 1, 971)),
}
"""Bits of the significand with the hidden one, exponent of the least normal number, greatest finite number."""


def greatest(dtype: DType) -> float:
    """The greatest finite number of a float format."""
    return _FORMATS[dtype][2]


def rounded(value: float, dtype: DType) -> float:
    """The number of the format nearest to `value`, ties to even; infinity beyond the finite ones. NaN stays NaN."""
    if value == 0.0 or math.isinf(value) or math.isnan(value):
        return value
    bits, least, limit = _FORMATS[dtype]
    exponent = max(math.frexp(value)[1] - 1, least)
    step = exponent - (bits - 1)
    result = math.ldexp(round(math.ldexp(value, -step)), step) if step > -1074 else value
    return result if abs(result) <= limit else math.copysign(math.inf, value)
