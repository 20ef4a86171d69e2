"""The scalar functions on Python numbers, from the language's definition: one number at a time, no NumPy."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping

from intent2cuda.types.dtype import BF16, F16, F32, F64, DType

Number = bool | int | float

FORMATS: Mapping[DType, tuple[int, int]] = {F16: (11, 15), BF16: (8, 127), F32: (24, 127), F64: (53, 1023)}
"""Bits of the significand with the hidden one, and the greatest exponent."""


def fit(dtype: DType, value: Number) -> Number:
    """The number as an element of the dtype: integers modulo 2^width, floats rounded to nearest even."""
    if dtype.is_bool:
        return value != 0
    if dtype.is_float:
        return _rounded(float(value), *FORMATS[dtype])
    low, high = dtype.integer_range
    return (int(value) - low) % (high - low + 1) + low


def _rounded(value: float, bits: int, greatest: int) -> float:
    if value == 0 or math.isinf(value) or math.isnan(value):
        return value
    _, exponent = math.frexp(value)
    unit = max(exponent - 1, 1 - greatest) - bits + 1
    result = math.ldexp(float(round(math.ldexp(value, -unit))), unit) if bits < 53 else value
    return math.copysign(result if abs(result) < math.ldexp(2.0, greatest) or bits == 53 else math.inf, value)


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


FUNCTIONS: Mapping[str, Callable[..., Number]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": divided,
    "floordiv": operator.floordiv,
    "mod": operator.mod,
    "neg": operator.neg,
    "abs": abs,
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


def evaluate(fn: str, dtype: DType, *operands: Number) -> Number:
    """`fn` of elements, as an element of `dtype`, the dtype of the result."""
    return fit(dtype, FUNCTIONS[fn](*operands))


def converted(value: Number, source: DType, target: DType) -> Number:
    """The cast of one element."""
    if source.is_float and target.is_integer:
        return fit(target, math.trunc(value))
    return fit(target, value)
