"""Casts and bitcasts. Every conversion to a float rounds once, to nearest even, from the exact value."""

from __future__ import annotations

import numpy as np

from intent2cuda.language.bodies.storage import NUMPY, Array, is_narrow, widened
from intent2cuda.types.dtype import F16, DType

F64_MANTISSA = 53


def cast(array: Array, source: DType, target: DType) -> Array:
    """The elements of an array of `source` as `target`, by the rules of `I.cast`."""
    if target == source:
        return array
    stored = NUMPY[target]
    if target.is_bool:
        return widened(array, source) != 0
    if source.is_float and not target.is_float:
        return widened(array, source).astype(stored)
    if is_narrow(target) and source.bits >= 32:
        return narrowed(array, target)
    return widened(array, source).astype(stored)


def bitcast(array: Array, target: DType) -> Array:
    """The same bits under another dtype of the same width."""
    return array.view(NUMPY[target])


def narrowed(array: Array, target: DType) -> Array:
    """Numbers of 32 bits or more as a float below f32, rounded once.

    Direct conversions go through f32 and round twice; an f32 rounded to odd keeps what the second rounding needs.
    """
    if array.dtype == np.float32:
        return array.astype(NUMPY[target])
    wide = array if array.dtype == np.float64 else _integers_to_odd(array)
    if target == F16:
        return wide.astype(np.float16)
    return _to_odd(wide).astype(NUMPY[target])


def _integers_to_odd(array: Array) -> Array:
    """Integers as f64; one that f64 cannot hold becomes its neighbour with an odd last bit."""
    excess = array.dtype.itemsize * 8 - F64_MANTISSA
    if excess <= 0:
        return array.astype(np.float64)
    low = array.dtype.type((1 << excess) - 1)
    jammed = (array & ~low) | ((array & low) != 0).astype(array.dtype) << array.dtype.type(excess)
    limit = array.dtype.type(1 << F64_MANTISSA)
    small = array <= limit if array.dtype.kind == "u" else (array <= limit) & (array >= -limit)
    return np.where(small, array, jammed).astype(np.float64)


def _to_odd(array: Array) -> Array:
    """f64 numbers as f32; an inexact one becomes its neighbour with an odd last bit."""
    nearest = array.astype(np.float32)
    back = nearest.astype(np.float64)
    inexact = (back != array) & ~np.isnan(array)
    even = (nearest.view(np.uint32) & np.uint32(1)) == 0
    toward = np.where(array > back, np.float32(np.inf), np.float32(-np.inf))
    return np.where(inexact & even, np.nextafter(nearest, toward), nearest)
