"""Domains, the parts of them, and the coordinates that they give."""

from __future__ import annotations

from intent2cuda.language.intrinsic import Region, Resource, Scalar, Tensor, Value, intrinsic


@intrinsic
def domain(start: Scalar, stop: Scalar, step: Scalar = 1) -> Region:
    """The coordinates start, start + step, ... below `stop`; none when `stop` is not above `start`.

    `d[a:b]` is the part from coordinate `a` to before `b`: coordinates keep their numbers, and nothing is clamped.
    `x[d]` selects the positions of a domain, and adds an axis.

    start, stop: ints, Constexprs or integer scalars, also loaded ones; their dtype is that of the coordinates.
    step: positive.
    Refused: `kir.domain.bound` a bound that is no integer scalar; `kir.domain.step` a step known to be zero or less;
    `src.subregion.step`, `src.subregion.not_contiguous` a part with a step or by a tensor; `kir.subregion.bounds` a
    part known to leave its domain.
    """
    ...


@intrinsic
def parallel(source: Region) -> Region:
    """What `for` walks when its points may run in any order and at the same time, each once.

    Names that the body assigns belong to their point. `continue` leaves the point.

    source: a domain, a part of one, or a tuple of domains (then the target of `for` is a tuple of names).
    Refused: `kir.parallel.domain` another source; `kir.parallel.carry` a name from outside that the body assigns;
    `src.parallel.break`, `src.parallel.return` leaving the loop; `kir.parallel.race` two points that are known to meet
    in an element, one of them writing (`kir.parallel.unproved`, a note, where that depends on data).
    """
    ...


@intrinsic
def indices(region: Region) -> Tensor:
    """The coordinates of a domain as an index tensor.

    Shapes: one axis, with the extent of the domain.
    Dtypes: the dtype of the domain's coordinates, index unless its bounds say otherwise.
    Refused: `kir.indices` anything but a domain or a part of one.
    """
    ...


@intrinsic
def end(region: Region) -> Scalar:
    """The coordinate at which a domain stops, a scalar.

    Refused: `kir.domain.end` anything but a domain or a part of one.
    """
    ...


@intrinsic
def assume_in_bounds(index: Value, view: Resource, axis: int) -> None:
    """Promises, as a statement, that an integer scalar or tensor lies inside an axis of a view or buffer.

    Refused: `kir.assume.resource` a tensor in place of the view; `kir.axis` an axis beyond its rank; `kir.assume.value`
    a use of the call as a value.
    """
    ...


@intrinsic
def ragged(outer: Region, members: Region, offsets: Tensor, indices: Tensor | None = None) -> Region:
    """Rows of different lengths: row `g` of `outer` is the part offsets[g]:offsets[g + 1] of `members`.

    `r.outer` is the outer domain, `r[g]` the part of row `g`, which loops and indices take as any part of a domain.

    offsets: integers, one more than `outer` has coordinates.
    indices: a mapping that `members(r[g])` applies, and nothing else.
    Refused: `kir.ragged.outer`, `kir.ragged.members` anything but domains; `kir.ragged.offsets` anything but a vector
    of integers; `kir.ragged.selector` a row that is no integer.
    """
    ...


@intrinsic
def members(region: Region) -> Tensor:
    """The mapped members of a row `r[g]` of a ragged relation, or its coordinates when there is no mapping.

    Shapes: one axis, with the extent of the row.
    Dtypes: that of the mapping, else of the coordinates.
    Refused: `kir.ragged.members` anything but a row of a ragged relation.
    """
    ...
