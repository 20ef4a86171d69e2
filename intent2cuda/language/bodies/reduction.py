"""Builtin reductions and scans, and the identities of their combinations."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any

import numpy as np

from intent2cuda.language.bodies.storage import NUMPY, Array, is_narrow, widened
from intent2cuda.types.dtype import F8E4M3FN, DType

NO_POSITION = (1 << 63) - 1
E4M3_MAX = 448.0

COMBINE: Mapping[str, Any] = {
    "add": np.add,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "any": np.logical_or,
    "all": np.logical_and,
}


def identity(combiner: str, dtype: DType) -> bool | int | float:
    """What a combination of no members is: the neutral element of the dtype."""
    match combiner:
        case "add":
            return 0
        case "any":
            return False
        case "all":
            return True
        case _:
            least, greatest = _range(dtype)
            return least if combiner == "maximum" else greatest


def _range(dtype: DType) -> tuple[int | float, int | float]:
    if dtype.is_float:
        bound = E4M3_MAX if dtype == F8E4M3FN else float("inf")
        return -bound, bound
    return dtype.integer_range


def reduce(combiner: str, dtype: DType, array: Array, axes: tuple[int, ...]) -> Array:
    """All members of an array of `dtype` along `axes`; maximum and minimum propagate NaN, each sum is of the dtype."""
    if combiner == "add" and is_narrow(dtype):
        return _rounded_sum(array, axes)
    wide = widened(array, dtype)
    start = wide.dtype.type(identity(combiner, dtype))
    reduced = np.asarray(COMBINE[combiner].reduce(wide, axis=axes, dtype=wide.dtype, initial=start))
    return reduced.astype(NUMPY[dtype]) if is_narrow(dtype) else reduced


def _rounded_sum(array: Array, axes: tuple[int, ...]) -> Array:
    """The sum of halves and of their halves, every addition rounded: NumPy itself would add several in f32."""
    kept = [axis for axis in range(array.ndim) if axis not in axes]
    shape = [array.shape[axis] for axis in kept]
    members = np.transpose(array, [*kept, *axes]).reshape(*shape, prod(array.shape[axis] for axis in axes))
    while (count := members.shape[-1]) > 1:
        half = count // 2
        halves = members[..., :half] + members[..., half : 2 * half]
        members = np.concatenate([halves, members[..., 2 * half :]], -1)
    return members[..., 0] if count else np.zeros(shape, array.dtype)


def scan(combiner: str, dtype: DType, array: Array, axis: int, inclusive: bool, reverse: bool) -> Array:
    """The members of an array of `dtype` combined up to each position of an axis, each step rounded to the dtype.

    Exclusive: without the member itself. Reverse: from the position on.
    """
    along = np.moveaxis(array, axis, -1)
    members = along[..., ::-1] if reverse else along
    if not inclusive:
        start = np.full((*members.shape[:-1], 1), identity(combiner, dtype)).astype(NUMPY[dtype])
        members = np.concatenate([start, members], -1)[..., : array.shape[axis]]
    running = np.asarray(COMBINE[combiner].accumulate(members, axis=-1, dtype=members.dtype))
    return np.moveaxis(running[..., ::-1] if reverse else running, -1, axis)


def arg_max(dtype: DType, array: Array, axis: int) -> tuple[Array, Array]:
    """The greatest members along an axis and their positions: the first on ties, the first NaN when there is one."""
    if array.shape[axis] == 0:
        shape = array.shape[:axis] + array.shape[axis + 1 :]
        lowest = np.full(shape, identity("maximum", dtype)).astype(NUMPY[dtype])
        return lowest, np.full(shape, NO_POSITION, np.int64)
    positions = np.argmax(widened(array, dtype), axis=axis)
    values = np.take_along_axis(array, np.expand_dims(positions, axis), axis=axis)
    return np.squeeze(values, axis=axis), np.asarray(positions, np.int64)
