"""Bounds on what a kernel holds: numbers of dtype index, elements and axes of a shape, leaves of a product, names."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import islice

from intent2cuda.base.intexpr import IntExpr
from intent2cuda.parse.products import leaves
from intent2cuda.parse.values import Val
from intent2cuda.types.dtype import INDEX, DType
from intent2cuda.types.value_type import Shape

MAX_RANK = 16
MAX_LEAVES = 4096
MAX_CALLS = 4096
MAX_NAME = 160
"""Letters of a kernel's name, which is part of the names of files: those have 255 bytes at most."""

_SPELLED = 8
"""How many ASCII letters a letter of another alphabet may become in the name of a file."""


@dataclass(frozen=True)
class Oversize:
    """What is too large; `code`, message and help are for the author."""

    code: str
    message: str
    help: str


def holds(number: int) -> bool:
    """Whether the number is one of dtype index."""
    low, high = INDEX.integer_range
    return low <= number <= high


def is_long(name: str) -> bool:
    """Whether the name is too long for the files that are named after it."""
    return sum(1 if letter.isascii() else _SPELLED for letter in name) > MAX_NAME


def oversized(shape: Shape, dtype: DType, what: str, code: str) -> Oversize | None:
    """What is too large in a shape of elements of the dtype: its rank, or its bytes as far as extents are numbers."""
    if len(shape) > MAX_RANK:
        return Oversize("src.limit.rank", f"{what} has {len(shape)} axes, more than {MAX_RANK}", "use fewer axes")
    if not holds(dtype.bytes * math.prod(_at_least(extent) for extent in shape)):
        return Oversize(code, f"{what} has more bytes than 63 bits can count", "use smaller extents")
    return None


def _at_least(extent: IntExpr) -> int:
    return max(extent.constant or 1, 1)


def has_many_leaves(product: Val) -> bool:
    """Whether a product has more leaves than a kernel may hold in one."""
    return next(islice(leaves(product), MAX_LEAVES, None), None) is not None
