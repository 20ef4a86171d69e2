"""Compressed operands: the present values of each group along one axis, and where in the group they stand.

One array of places: one value of each pair is present. Two arrays: two values, side by side, of each four.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from intent2cuda.language.bodies.storage import Array


def group_extent(places: Sequence[Array]) -> int:
    """How many positions a group has."""
    return 2 * len(places)


def expanded(values: Array, places: Sequence[Array], axis: int) -> Array:
    """The operand with zeros where nothing is present."""
    inside: Array = np.stack(places, axis + 1)  # an axis for the groups, then one for the values of a group
    groups, extent = inside.shape[axis], group_extent(places)
    starts: Array = np.arange(0, groups * extent, extent, dtype=np.int64)
    positions: Array = np.moveaxis(np.add(np.moveaxis(inside, axis, -1), starts), -1, axis)
    whole = np.zeros((*values.shape[:axis], groups * extent, *values.shape[axis + 1 :]), values.dtype)
    np.put_along_axis(whole, positions.reshape(values.shape), values, axis)
    return whole


def misplaced(places: Sequence[Array]) -> bool:
    """Whether a place lies outside its group, or the second of two is not behind the first."""
    outside = any(((place < 0) | (place >= group_extent(places))).any() for place in places)
    return outside or any((a >= b).any() for a, b in pairwise(places))
