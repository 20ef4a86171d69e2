"""Sums of products over paired axes."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from intent2cuda.language.bodies.conversion import cast
from intent2cuda.language.bodies.storage import NUMPY, Array, widened
from intent2cuda.types.dtype import DType

Pairs = Sequence[tuple[int, int]]


def contract(lhs: Array, rhs: Array, source: DType, accumulator: DType, reduce: Pairs, batch: Pairs) -> Array:
    """The contraction of arrays of `source`, accumulated in `accumulator` (narrow floats in f32, rounded at the end).

    Result axes: those of `lhs` that are not reduced, in order (batch ones included), then those of `rhs` neither
    reduced nor batch.
    """
    left = widened(cast(lhs, source, accumulator), accumulator)
    right = widened(cast(rhs, source, accumulator), accumulator)
    free_left = _rest(lhs.ndim, [a for a, _ in (*reduce, *batch)])
    free_right = _rest(rhs.ndim, [b for _, b in (*reduce, *batch)])
    batch_left, batch_right = [a for a, _ in batch], [b for _, b in batch]
    a = _grouped(left, batch_left, free_left, [a for a, _ in reduce])
    b = _grouped(right, batch_right, [b for _, b in reduce], free_right)
    product = np.matmul(a, b).astype(NUMPY[accumulator])
    order = batch_left + free_left
    kept = [lhs.shape[axis] for axis in order]
    shaped = product.reshape([*kept, *(rhs.shape[axis] for axis in free_right)])
    in_order = [order.index(axis) for axis in sorted(order)]
    return np.transpose(shaped, [*in_order, *range(len(order), shaped.ndim)])


def _rest(rank: int, used: Sequence[int]) -> list[int]:
    return [axis for axis in range(rank) if axis not in used]


def _grouped(array: Array, *groups: Sequence[int]) -> Array:
    """The array with its axes in the order of the groups, each group as one axis."""
    extents = [prod(array.shape[axis] for axis in group) for group in groups]
    return np.transpose(array, [axis for group in groups for axis in group]).reshape(extents)
