"""Functions that NumPy lacks or restricts, in f64. Callers round to f32 where that is wanted."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from intent2cuda.language.bodies.storage import Array

I0_DIRECT = 700.0  # beyond, exp overflows long before the function does
I0_TERMS = 12  # of the asymptotic series; above I0_DIRECT each is below a thousandth of the one before


def elementwise(function: Callable[[float], float]) -> Callable[[Array], Array]:
    """A function of one Python float as a function of arrays of f64."""
    over_objects = np.frompyfunc(function, 1, 1)

    def apply(x: Array) -> Array:
        return np.asarray(over_objects(x)).astype(np.float64)

    return apply


def _lgamma(x: float) -> float:
    if math.isinf(x) or (x <= 0 and x == math.floor(x)):
        return math.inf
    try:
        return math.lgamma(x)
    except OverflowError:
        return math.inf


erf = elementwise(math.erf)
erfc = elementwise(math.erfc)
lgamma = elementwise(_lgamma)


def i0(x: Array) -> Array:
    """The modified Bessel function of order zero."""
    size = np.abs(x)
    direct = np.asarray(np.i0(np.minimum(size, I0_DIRECT)), np.float64)
    # exp(x / 2) enters twice, because exp(x) alone overflows earlier than the product with the small second factor
    half = np.exp(size / 2)
    far = half * (_i0_asymptotic(np.maximum(size, I0_DIRECT)) * half)
    return np.where(np.isnan(x), x, np.where(np.isinf(size), np.inf, np.where(size <= I0_DIRECT, direct, far)))


def _i0_asymptotic(x: Array) -> Array:
    """i0(x) / exp(x) for large x, the series in 1 / (8 x)."""
    total = term = np.ones_like(x)
    for k in range(1, I0_TERMS):
        term = term * ((2 * k - 1) ** 2 / (8 * k)) / x
        total = total + term
    return total / np.sqrt(2 * math.pi * x)


def sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def rsqrt(x: Array) -> Array:
    return 1 / np.sqrt(x)
