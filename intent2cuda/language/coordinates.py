"""Domains, the parts of them, and the coordinates that they give."""

from __future__ import annotations

from intent2cuda.language.intrinsic import Region, Resource, Scalar, Tensor, Value, intrinsic


@intrinsic
def domain(start: Scalar, stop: Scalar, step: Scalar = 1) -> Region:
    """The coordinates start, start + step, ... below `stop`; none when `stop` is not above `start`.

    Bounds are ints, Constexprs or integer scalars, also loaded ones; `step` is positive. `d[a:b]` is the part from
    coordinate `a` to before `b`: coordinates keep their numbers.
    """
    ...


@intrinsic
def parallel(source: Region) -> Region:
    """What `for` walks when its points may run in any order and at the same time.

    `source` is a domain, a part of one, or a tuple of domains (then the target is a tuple of names). Refused: `break`,
    and a name from outside that the body assigns.
    """
    ...


@intrinsic
def indices(region: Region) -> Tensor:
    """The coordinates of a domain as an index tensor of rank 1."""
    ...


@intrinsic
def end(region: Region) -> Scalar:
    """The coordinate at which a domain stops, an index scalar."""
    ...


@intrinsic
def assume_in_bounds(index: Value, view: Resource, axis: int) -> None:
    """States that an integer scalar or tensor lies inside an axis of a view or buffer; the author's promise."""
    ...


@intrinsic
def ragged(outer: Region, members: Region, offsets: Tensor, indices: Tensor | None = None) -> Region:
    """Rows of different lengths: row `g` of `outer` is the part offsets[g]:offsets[g + 1] of `members`.

    offsets: one entry more than `outer` has coordinates. indices: a mapping that `members(r[g])` applies.
    """
    ...


@intrinsic
def members(region: Region) -> Tensor:
    """The mapped members of a row `r[g]` of a ragged relation, or its coordinates when there is no mapping."""
    ...
