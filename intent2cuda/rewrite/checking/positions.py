"""Where an access goes, as inspections: for each axis that is open, whether the positions lie inside."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod

from intent2cuda.analysis.composition import first_axes
from intent2cuda.base.intexpr import IntExpr, ceiling, maximum
from intent2cuda.ir.builder import Builder
from intent2cuda.ir.infer import selected_shape
from intent2cuda.ir.ops import Inspect, Rule
from intent2cuda.ir.terms import Along, Lanes, Point, Slice, Term, Whole
from intent2cuda.ir.value import Value
from intent2cuda.types.dtype import BOOL, INDEX
from intent2cuda.types.value_type import Shape, TensorType

BLANK = "{}"


@dataclass(frozen=True)
class Place:
    """What is indexed: its name and what its axes are called, its extents, the terms, and the mask of the access."""

    name: str
    axes: tuple[str, ...]
    extents: Shape
    terms: tuple[Term, ...]
    valid: Value | None = None

    @property
    def shape(self) -> Shape:
        return selected_shape(self.extents, self.terms)


def inspected(builder: Builder, place: Place, axes: Sequence[int]) -> Value:
    """Where the access is valid and inside on the given axes: a mask of its shape."""
    mask = place.valid
    for axis in axes:
        inside, numbers, spread = _of_term(builder, place, axis)
        if place.valid is not None:
            inside, *numbers = (spread(value) for value in (inside, *numbers))
            inside = builder.pointwise("or", builder.pointwise("not", place.valid), inside)
        kept = inspect(builder, Rule.BOUNDS, inside, numbers, outside(place.axes[axis]))
        kept = kept if place.valid is not None else spread(kept)
        mask = kept if mask is None else builder.pointwise("and", mask, kept)
    assert mask is not None
    return mask


def asked_of(builder: Builder, place: Place, axes: Sequence[int]) -> list[Value]:
    """For each of the axes whether the positions on it are inside, as they are given: a scalar or a value of lanes.

    Where the access has no elements, because another axis has none, all positions are.
    """
    found: list[Value] = []
    for axis in axes:
        inside, numbers, _ = _of_term(builder, place, axis)
        inside = unless_empty(builder, _others(place, axis), inside)
        found.append(inspect(builder, Rule.BOUNDS, inside, numbers, outside(place.axes[axis])))
    return found


def unless_empty(builder: Builder, count: IntExpr, inside: Value) -> Value:
    """The mask, and true where there are no elements to be inside."""
    if count.constant is not None:
        return inside
    nothing = builder.pointwise("le", builder.dim(count), builder.constant(0), name="empty")
    return builder.pointwise("or", like(builder, nothing, inside), inside)


def inspect(builder: Builder, rule: Rule, holds: Value, numbers: Sequence[Value], text: str) -> Value:
    """The mask again, looked at."""
    result = builder.fresh(TensorType(BOOL, holds.tensor.shape, holds.tensor.is_scalar))
    return builder.emit(Inspect(holds, rule, tuple(numbers), text, result)).result


def _others(place: Place, axis: int) -> IntExpr:
    """How many elements of the access each position on the axis stands for."""
    term, first = list(first_axes(place.terms))[axis]
    rank = 0 if isinstance(term, Point) else term.index.tensor.rank if isinstance(term, Lanes) else 1
    return prod((*place.shape[:first], *place.shape[first + rank :]), start=IntExpr.of(1))


def outside(axis: str) -> str:
    """What is said of a position; `axis` is what the axis is called."""
    return f"position {BLANK} is outside {axis}, which has {BLANK}"


def within(builder: Builder, position: Value, extent: Value) -> Value:
    """Whether 0 <= position < extent."""
    zero = like(builder, builder.constant(0), position)
    not_before = builder.pointwise("ge", position, zero)
    return builder.pointwise("and", not_before, builder.pointwise("lt", position, like(builder, extent, position)))


def like(builder: Builder, value: Value, other: Value) -> Value:
    """A scalar in the shape of another value."""
    shape = other.tensor.shape
    return builder.broadcast(value, [None] * len(shape), shape) if shape else value


def as_index(builder: Builder, value: Value) -> Value:
    return value if value.tensor.dtype == INDEX else builder.cast(value, INDEX)


def _of_term(builder: Builder, place: Place, axis: int) -> tuple[Value, list[Value], Callable[[Value], Value]]:
    """Whether the positions on one axis lie inside, the numbers to tell, and how these get the shape of the access."""
    extent = builder.dim(place.extents[axis])
    match place.terms[axis]:
        case Point(index):
            position = as_index(builder, index)
            return within(builder, position, extent), [position, extent], lambda v: _from_axis(builder, v, place, None)
        case Lanes(index):
            positions = as_index(builder, index)
            first = next(a for t, a in first_axes(place.terms) if isinstance(t, Lanes))
            return (
                within(builder, positions, extent),
                [positions, extent],
                lambda v: _from_axis(builder, v, place, first),
            )
        case Slice(begin, count):
            return _of_span(builder, place, axis, builder.expression(begin), count, IntExpr.of(1))
        case Along(domain):
            along = domain.domain
            return _of_span(builder, place, axis, along.begin, along.extent, along.step)
        case Whole():
            raise ValueError("a whole axis is inside")


def _of_span(
    builder: Builder, place: Place, axis: int, begin: IntExpr, count: IntExpr, step: IntExpr
) -> tuple[Value, list[Value], Callable[[Value], Value]]:
    holds, numbers = of_span(builder, place.extents[axis], begin, count, step)
    return holds, numbers, lambda value: _from_axis(builder, value, place, None)


def of_span(
    builder: Builder, extent: IntExpr, begin: IntExpr, count: IntExpr, step: IntExpr
) -> tuple[Value, list[Value]]:
    """All positions of a span at once: `begin`, and from there on with a step; the first outside is told."""
    zero, first, size, members = builder.constant(0), *map(builder.dim, (begin, extent, count))
    room = builder.dim(ceiling(extent - begin, step))
    inside = builder.pointwise("and", within(builder, first, size), builder.pointwise("le", members, room))
    holds = builder.pointwise("or", builder.pointwise("le", members, zero), inside)
    behind = builder.dim(begin + step * maximum(ceiling(extent - begin, step), 0))
    outside = builder.pointwise("select", builder.pointwise("lt", first, zero), first, behind)
    return holds, [outside, size]


def _from_axis(builder: Builder, value: Value, place: Place, first: int | None) -> Value:
    """A scalar, or a value of the lanes, in the shape of the access."""
    shape = place.shape
    own = value.tensor.rank
    if not shape or (own == len(shape) and first == 0):
        return value
    begin = first or 0
    axes = [axis - begin if own and begin <= axis < begin + own else None for axis in range(len(shape))]
    return builder.broadcast(value, axes, shape)
