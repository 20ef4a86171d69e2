"""Element by element: conversions, choices, and the scalar functions that have no operator.

Unless a function says otherwise its operands are scalars or tensors of one dtype, a literal takes the dtype of the
other operand, shapes broadcast from the last axis on, and the result has the operands' dtype. f16 and bf16 evaluate in
f32 and round once; f8 takes part in conversions, choices and comparisons only.
"""

from __future__ import annotations

from intent2cuda.language.intrinsic import Scalar, Value, intrinsic
from intent2cuda.types.dtype import DType


@intrinsic
def cast(value: Value, dtype: DType) -> Value:
    """The elements as `dtype`.

    Integers keep their low bits; integers and floats become floats rounded to nearest even; floats become integers
    toward zero (NaN, infinities and values out of range are the author's error); a number becomes the bool `!= 0`, a
    bool 0 or 1.

    Shapes: any, and kept.
    Dtypes: any to any.
    Refused: `kir.cast.operand` a record, tuple or domain; `kir.cast.dtype` anything but a dtype.
    """
    ...


@intrinsic
def bitcast(value: Value, dtype: DType) -> Value:
    """The same bits read as `dtype`.

    Shapes: any, and kept.
    Dtypes: any of one width, except bool and index.
    Refused: `kir.bitcast` another width, bool, index.
    """
    ...


@intrinsic
def select(condition: Value, true_value: Value, false_value: Value) -> Value:
    """`true_value` where `condition` holds, else `false_value`; both are evaluated.

    Shapes: all three broadcast.
    Dtypes: a bool condition; values of one dtype, and two literals are bool, i64 or f64.
    Refused: `kir.select` a condition of another dtype; `kir.dtype.mixed` values of two dtypes.
    """
    ...


@intrinsic
def mask(value: Value, valid: Value, fill: Scalar) -> Value:
    """`select(valid, value, fill)`.

    Shapes: all three broadcast.
    Dtypes: a bool `valid`; a literal `fill` takes the dtype of `value`, another one must have it.
    Refused: `kir.mask` a `valid` of another dtype, or a fill of another dtype than the value.
    """
    ...


@intrinsic
def add(lhs: Value, rhs: Value) -> Value:
    """`lhs + rhs`; also the name of the sum where a combination is wanted."""
    ...


@intrinsic
def maximum(lhs: Value, rhs: Value) -> Value:
    """The greater operand; NaN when one of them is. Also the name of this combination."""
    ...


@intrinsic
def minimum(lhs: Value, rhs: Value) -> Value:
    """The smaller operand; NaN when one of them is. Also the name of this combination."""
    ...


@intrinsic
def maximum_num(lhs: Value, rhs: Value) -> Value:
    """The greater operand; the other one when exactly one is NaN."""
    ...


@intrinsic
def minimum_num(lhs: Value, rhs: Value) -> Value:
    """The smaller operand; the other one when exactly one is NaN."""
    ...


@intrinsic
def fdiv(lhs: Value, rhs: Value, *, approximate: bool = False, flush_to_zero: bool = False) -> Value:
    """`lhs / rhs` of floats.

    approximate: permits 2 ulp where 2^-126 <= |rhs| <= 2^126; for a greater |rhs| a finite `lhs` gives zero and an
    infinite one NaN. f32 only.
    flush_to_zero: subnormal operands and results become zero. Needs `approximate`.
    Refused: `kir.numerics` an option on another dtype, or the second without the first.
    """
    ...


@intrinsic
def exp(value: Value) -> Value:
    """e to the power of a float."""
    ...


@intrinsic
def exp2(value: Value, *, approximate: bool = False, flush_to_zero: bool = False) -> Value:
    """2 to the power of a float.

    approximate: permits 2 ulp; infinities, NaN and zero stay exact. f32 only.
    flush_to_zero: subnormal operands and results become zero. Needs `approximate`.
    Refused: `kir.numerics` an option on another dtype, or the second without the first.
    """
    ...


@intrinsic
def log(value: Value) -> Value:
    """The natural logarithm of a float: -inf at zero, NaN below."""
    ...


@intrinsic
def log1p(value: Value) -> Value:
    """The natural logarithm of one plus a float, within 1 ulp."""
    ...


@intrinsic
def lgamma(value: Value) -> Value:
    """log |gamma| of a float: +0 at 1 and 2, +inf at the integers from 0 down and at both infinities."""
    ...


@intrinsic
def sin(value: Value) -> Value:
    """The sine of a float in radians."""
    ...


@intrinsic
def cos(value: Value) -> Value:
    """The cosine of a float in radians."""
    ...


@intrinsic
def asin(value: Value) -> Value:
    """The arc sine of a float in radians: NaN outside [-1, 1]."""
    ...


@intrinsic
def tanh(value: Value, *, approximate: bool = False) -> Value:
    """The hyperbolic tangent of a float; zero keeps its sign.

    approximate: permits a relative error of 2^-11. f32 only.
    Refused: `kir.numerics` the option on another dtype.
    """
    ...


@intrinsic
def erf(value: Value) -> Value:
    """The error function of a float."""
    ...


@intrinsic
def erfc(value: Value) -> Value:
    """One minus the error function of a float, within 4 ulp (f32) or 5 (f64)."""
    ...


@intrinsic
def i0(value: Value) -> Value:
    """The modified Bessel function of the first kind and order zero of a float, within 6 ulp."""
    ...


@intrinsic
def sigmoid(value: Value) -> Value:
    """1 / (1 + exp(-value)) of a float."""
    ...


@intrinsic
def sqrt(value: Value) -> Value:
    """The square root of a float, rounded to nearest; NaN below zero."""
    ...


@intrinsic
def rsqrt(value: Value) -> Value:
    """One over the square root of a float: +inf at +0, -inf at -0, NaN below."""
    ...


@intrinsic
def floor(value: Value) -> Value:
    """The greatest whole number that is not above a float."""
    ...


@intrinsic
def abs(value: Value) -> Value:
    """The magnitude of a number; the least integer of a dtype stays what it is."""
    ...
