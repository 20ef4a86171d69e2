"""The scalar functions on arrays. Shapes broadcast; integers wrap; f8, f16 and bf16 evaluate in f32 and round once.

Callers turn off NumPy's warnings: division by zero, overflow and invalid operations have the results of the hardware.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from intent2cuda.language.bodies import special
from intent2cuda.language.bodies.storage import NUMPY, Array, is_narrow, widened
from intent2cuda.types.dtype import DType
from intent2cuda.types.scalar_fn import SCALAR_FNS, Result

Body = Callable[..., Any]


def _shifted_left(value: Array, amount: Array) -> Array:
    return np.left_shift(value, amount, dtype=value.dtype)


def _shifted_right(value: Array, amount: Array) -> Array:
    return np.right_shift(value, amount, dtype=value.dtype)


EXACT: Mapping[str, Body] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "floordiv": np.floor_divide,
    "mod": np.remainder,
    "neg": np.negative,
    "abs": np.abs,
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "and": np.logical_and,
    "or": np.logical_or,
    "not": np.logical_not,
    "bit_and": np.bitwise_and,
    "bit_or": np.bitwise_or,
    "bit_xor": np.bitwise_xor,
    "shl": _shifted_left,
    "shr": _shifted_right,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "maximum_num": np.fmax,
    "minimum_num": np.fmin,
    "sqrt": np.sqrt,
    "floor": np.floor,
    "rounded": np.positive,
}
"""Functions that NumPy computes exactly, or correctly rounded, in the evaluation type itself."""

IN_F64: Mapping[str, Body] = {
    "pow": np.power,
    "exp": np.exp,
    "exp2": np.exp2,
    "log": np.log,
    "log1p": np.log1p,
    "lgamma": special.lgamma,
    "sin": np.sin,
    "cos": np.cos,
    "asin": np.arcsin,
    "tanh": np.tanh,
    "erf": special.erf,
    "erfc": special.erfc,
    "i0": special.i0,
    "sigmoid": special.sigmoid,
    "rsqrt": special.rsqrt,
}
"""Functions that are evaluated in f64 and, for f32, rounded from there."""


def apply(fn: str, dtype: DType, *operands: Array) -> Array:
    """The function `fn` of `types.scalar_fn` for operands of `dtype` (the condition of `select` is bool)."""
    if fn == "select":
        return np.where(*operands)
    wide = [widened(operand, dtype) for operand in operands]
    if fn in EXACT:
        result = np.asarray(EXACT[fn](*wide))
    else:
        evaluated = np.asarray(IN_F64[fn](*(operand.astype(np.float64) for operand in wide)))
        result = evaluated.astype(wide[0].dtype)
    if SCALAR_FNS[fn].result is Result.SAME and is_narrow(dtype):
        return result.astype(NUMPY[dtype])
    return result
