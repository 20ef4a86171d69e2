"""Operations with a declared algebra: reductions and contractions."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from intent2cuda.ir.op import Op
from intent2cuda.ir.value import Value


class Combiner(Enum):
    """How the members of a builtin reduction combine."""

    ADD = "add"
    MAXIMUM = "maximum"
    MINIMUM = "minimum"
    ANY = "any"
    ALL = "all"


@dataclass(frozen=True, eq=False)
class Reduce(Op):
    """All members along `axes` (sorted, non-negative) combined in any order; no members give the combiner's identity.

    Sum: the source already has the accumulator's dtype (the front end casts); the result has it too.
    """

    combiner: Combiner
    source: Value
    axes: tuple[int, ...]
    result: Value


@dataclass(frozen=True, eq=False)
class ArgReduce(Op):
    """The greatest member along one axis and its position (index): the first on ties, NaN wins (first NaN).

    Results: (values, positions). An empty axis gives the identity of maximum and 2^63 - 1.
    """

    source: Value
    axis: int
    results: tuple[Value, Value]


@dataclass(frozen=True, eq=False)
class Contract(Op):
    """Sum of products over the paired axes `reduce`; `batch` pairs are kept once. Accumulates in the result's dtype.

    Result axes: the axes of `lhs` that are not reduced, in order (batch axes included), then those of `rhs` neither
    reduced nor batch.
    """

    lhs: Value
    rhs: Value
    reduce: tuple[tuple[int, int], ...]
    batch: tuple[tuple[int, int], ...]
    result: Value
