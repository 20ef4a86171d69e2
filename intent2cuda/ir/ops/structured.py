"""Operations with a declared algebra: reductions, scans, contractions, counting."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from intent2cuda.ir.op import Op, Region
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
class ReduceBy(Op):
    """All members along `axes` (sorted, non-negative) combined by a region, in any order and grouping.

    `identity` has one value for each source. Where all are scalars the region combines elements; where all have the
    shape that is left it combines what is left whole. Region arguments: one member, then the other, each with a value
    for each source, of the types of `identity`; it yields a member. No members give the identity.
    """

    sources: tuple[Value, ...]
    axes: tuple[int, ...]
    identity: tuple[Value, ...]
    combine: Region
    results: tuple[Value, ...]


@dataclass(frozen=True, eq=False)
class Scan(Op):
    """The members up to each position of one axis combined, in order; the source has the accumulator's dtype.

    Exclusive: without the member itself, from the combiner's identity on. Reverse: the members from the position on,
    the earlier ones on the left.
    """

    combiner: Combiner
    source: Value
    axis: int
    result: Value
    inclusive: bool = True
    reverse: bool = False


@dataclass(frozen=True, eq=False)
class ScanBy(Op):
    """A scan whose members a region combines, as in `ReduceBy`; an exclusive one begins with `identity`."""

    sources: tuple[Value, ...]
    axis: int
    identity: tuple[Value, ...]
    combine: Region
    results: tuple[Value, ...]
    inclusive: bool = True
    reverse: bool = False


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


@dataclass(frozen=True, eq=False)
class Histogram(Op):
    """How often each of 0 ... bins - 1, the positions of the result, stands in the integers `values`; counts wrap.

    Where `valid` (of the shape of the values) is false a value is not looked at.
    """

    values: Value
    result: Value
    valid: Value | None = None
