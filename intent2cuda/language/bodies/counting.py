"""How often each number stands in an array."""

from __future__ import annotations

import numpy as np

from intent2cuda.language.bodies.storage import NUMPY, Array
from intent2cuda.types.dtype import DType


def histogram(values: Array, valid: Array, bins: int, count: DType) -> Array:
    """For each row of `values` the counts of 0 ... bins - 1 among its valid members, which lie in that range.

    Counts wrap in the dtype `count`.
    """
    rows = len(values)
    row = np.broadcast_to(np.arange(rows)[:, None], values.shape)[valid]
    counts = np.bincount(row * bins + values[valid].astype(np.int64), minlength=rows * bins)
    return counts.reshape(rows, bins).astype(NUMPY[count])
