"""The scalar functions on Python numbers, from the language's definition: one number at a time."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping

import ml_dtypes
import numpy as np

from intent2cuda.types.dtype import BF16, F8E4M3FN, F8E5M2, F16, F32, F64, DType

Number = bool | int | float

FORMATS: Mapping[DType, tuple[int, int, float]] = {
    F8E4M3FN: (4, -6, 448.0),
    F8E5M2: (3, -14, 57344.0),
    F16: (11, -14, 65504.0),
    BF16: (8, -126, 255 * 2.0**120),
    F32: (24, -126, (2.0**24 - 1) * 2.0**104),
}
"""Below f64: bits of the significand with the hidden one, least exponent of a normal number, greatest number."""

EXACT_IN_F64 = 1 << 53

STORED: Mapping[str, type] = {
    "bool": np.bool_,
    "index": np.int64,
    **{f"{kind}{bits}": np.dtype(f"{kind}{bits // 8}").type for kind in "iu" for bits in (8, 16, 32, 64)},
    "f8e4m3fn": ml_dtypes.float8_e4m3fn,
    "f8e5m2": ml_dtypes.float8_e5m2,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": np.float32,
    "f64": np.float64,
}
"""The NumPy scalar that holds one element."""


def fit(dtype: DType, value: Number) -> Number:
    """The number as an element of the dtype: integers modulo 2^width, floats rounded to nearest even."""
    if dtype.is_bool:
        return value != 0
    if dtype.is_float:
        return float(value) if dtype == F64 else _rounded(_narrowed(value) if isinstance(value, int) else value, dtype)
    low, high = dtype.integer_range
    return (int(value) - low) % (high - low + 1) + low


def _narrowed(value: int) -> float:
    """An integer as a float that a format below f64 rounds like it: what does not fit is kept as an odd last bit."""
    excess = max(0, abs(value).bit_length() - 55)
    kept = abs(value) >> excess
    inexact = kept << excess != abs(value)
    if kept < EXACT_IN_F64:
        return math.copysign(math.ldexp(float(kept), excess), value)
    sticky = (kept >> 2) | (kept & 3 != 0) | inexact
    return math.copysign(math.ldexp(float(sticky), excess + 2), value)


def _rounded(value: float, dtype: DType) -> float:
    if value == 0 or math.isinf(value) or math.isnan(value):
        return math.nan if math.isinf(value) and dtype == F8E4M3FN else value
    bits, least, greatest = FORMATS[dtype]
    unit = max(math.frexp(value)[1] - 1, least) - bits + 1
    result = math.ldexp(float(round(math.ldexp(value, -unit))), unit)
    beyond = math.nan if dtype == F8E4M3FN else math.inf
    return math.copysign(result if abs(result) <= greatest else beyond, value)


def divided(lhs: float, rhs: float) -> float:
    if rhs != 0:
        return lhs / rhs
    if lhs == 0 or math.isnan(lhs):
        return math.nan
    return math.copysign(math.inf, lhs) * math.copysign(1.0, rhs)


def _extreme(choose: Callable[[Number, Number], Number], ignore_nan: bool) -> Callable[[Number, Number], Number]:
    def apply(lhs: Number, rhs: Number) -> Number:
        if lhs != lhs or rhs != rhs:
            return (rhs if lhs != lhs else lhs) if ignore_nan else math.nan
        return choose(lhs, rhs)

    return apply


def _shift_right(lhs: int, rhs: int) -> int:
    return lhs >> rhs


EXACT: Mapping[str, Callable[..., Number]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": divided,
    "floordiv": operator.floordiv,
    "mod": operator.mod,
    "neg": operator.neg,
    "abs": abs,
    "rounded": lambda value: value,
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
    "and": lambda a, b: a and b,
    "or": lambda a, b: a or b,
    "not": operator.not_,
    "bit_and": operator.and_,
    "bit_or": operator.or_,
    "bit_xor": operator.xor,
    "shl": operator.lshift,
    "shr": _shift_right,
    "select": lambda c, a, b: a if c else b,
    "maximum": _extreme(max, ignore_nan=False),
    "minimum": _extreme(min, ignore_nan=False),
    "maximum_num": _extreme(max, ignore_nan=True),
    "minimum_num": _extreme(min, ignore_nan=True),
    "sqrt": lambda a: math.sqrt(a) if a >= 0 else math.nan,
    "floor": lambda a: a if math.isinf(a) or math.isnan(a) else math.copysign(float(math.floor(a)), a),
}
"""The functions whose result does not depend on a library."""


def _power(base: float, exponent: float) -> float:
    odd = math.isfinite(exponent) and exponent == math.floor(exponent) and exponent % 2 == 1
    sign = math.copysign(1.0, base) if odd else 1.0
    try:
        return math.pow(base, exponent)
    except OverflowError:
        return sign * math.inf
    except ValueError:
        return sign * math.inf if base == 0 else math.nan


def _log(value: float) -> float:
    return -math.inf if value == 0 else math.log(value)


def _log1p(value: float) -> float:
    return -math.inf if value == -1 else math.log1p(value)


def _lgamma(value: float) -> float:
    return math.inf if math.isinf(value) or (value <= 0 and value == math.floor(value)) else math.lgamma(value)


def _i0(value: float) -> float:
    """The power series, whose members are all positive."""
    if not math.isfinite(value):
        return abs(value)
    term = total = 1.0
    for k in range(1, 2000):
        term *= (value / 2 / k) ** 2
        total += term
    return total


def _rsqrt(value: float) -> float:
    return math.copysign(math.inf, value) if value == 0 else 1 / math.sqrt(value)


LIBRARY: Mapping[str, Callable[..., float]] = {
    "pow": _power,
    "exp": math.exp,
    "exp2": math.exp2,
    "log": _log,
    "log1p": _log1p,
    "lgamma": _lgamma,
    "sin": math.sin,
    "cos": math.cos,
    "asin": math.asin,
    "tanh": math.tanh,
    "erf": math.erf,
    "erfc": math.erfc,
    "i0": _i0,
    "sigmoid": lambda a: 1 / (1 + math.exp(-a)) if a > -700 else math.exp(a),
    "rsqrt": _rsqrt,
}
"""The functions that are only as good as a library: the result in f32 is that in f64, rounded."""


def evaluate(fn: str, dtype: DType, *operands: Number) -> Number:
    """`fn` of elements, as an element of `dtype`, the dtype of the result."""
    if fn in EXACT:
        return fit(dtype, EXACT[fn](*operands))
    try:
        result = LIBRARY[fn](*operands)
    except ValueError:
        result = math.nan
    except OverflowError:
        result = math.inf
    return fit(dtype, fit(F32, result) if dtype.bits < 32 else result)


def converted(value: Number, source: DType, target: DType) -> Number:
    """The cast of one element."""
    if source.is_float and target.is_integer:
        return fit(target, math.trunc(value))
    return fit(target, value)


def reinterpreted(value: Number, source: DType, target: DType) -> Number:
    """The bits of one element under another dtype."""
    stored = np.array([value], STORED[source.name]).view(STORED[target.name])[0]
    return float(stored) if target.is_float else int(stored)
