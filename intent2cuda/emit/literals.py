"""Constants as text: the author's own spelling, or the shortest that gives the same value in the type."""

from __future__ import annotations

import math
import re
import struct

from intent2cuda.emit.spelling import element
from intent2cuda.machine.expressions import Literal
from intent2cuda.types.dtype import F32, F64, I32, U32, DType

_DECIMAL = re.compile(r"\d+\.\d+(e[+-]?\d+)?|\d+e-?\d+")


def literal(constant: Literal) -> str:
    value, dtype = constant.value, constant.dtype
    if dtype.is_bool:
        return "true" if value else "false"
    if dtype.is_float:
        return _floating(float(value), dtype, constant.spelling)
    return _whole(int(value), dtype)


def _whole(value: int, dtype: DType) -> str:
    low, _ = dtype.integer_range
    if value == low and dtype.is_signed:
        return f"intent::lowest<{element(dtype)}>()"  # its digits without the sign do not fit the type
    if dtype == I32:
        return str(value)
    if dtype == U32:
        return f"{value}u"
    return f"{element(dtype)}{{{value}{'u' if value > 2**63 - 1 else ''}}}"


def _floating(value: float, dtype: DType, spelling: str) -> str:
    if math.isnan(value):
        return f"intent::quiet_nan<{element(dtype)}>()"
    if math.isinf(value):
        return f"{'-' if value < 0 else ''}intent::infinity<{element(dtype)}>()"
    if dtype == F64:
        return spelling if _is_decimal(spelling, value) else _shortest(value, 17, float)
    text = spelling if dtype == F32 and _is_decimal(spelling, value) else _shortest(value, 9, _to_f32)
    return f"{text}f" if dtype == F32 else f"{element(dtype)}({text}f)"


def _is_decimal(spelling: str, value: float) -> bool:
    return bool(_DECIMAL.fullmatch(spelling)) and _to_f32(float(spelling)) == _to_f32(value)


def _shortest(value: float, digits: int, narrow: object) -> str:
    """The fewest digits that read back as `value`; always with a point or an exponent."""
    convert = _to_f32 if narrow is _to_f32 else float
    for precision in range(1, digits + 1):
        text = f"{value:.{precision}g}"
        if convert(float(text)) == convert(value):
            break
    else:
        text = repr(value)
    text = re.sub(r"e([+-])0*(\d)", lambda m: f"e{'-' if m[1] == '-' else ''}{m[2]}", text)
    return text if "." in text or "e" in text else f"{text}.0"


def _to_f32(value: float) -> float:
    try:
        return struct.unpack("f", struct.pack("f", value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)
