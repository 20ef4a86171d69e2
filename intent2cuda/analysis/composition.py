"""Where the elements of a result stand in its source, and relations written over the coordinates of the result."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias, assert_never

from intent2cuda.analysis import expressions as ex
from intent2cuda.analysis.expressions import Choice, Condition, Expression, Unknown, coordinate
from intent2cuda.analysis.limits import axis_symbol
from intent2cuda.analysis.structure import Segment, segment_begin
from intent2cuda.base.intexpr import IntExpr, Symbol
from intent2cuda.ir.infer import count
from intent2cuda.ir.ops import Broadcast, Reshape, Transpose
from intent2cuda.ir.terms import Along, Lanes, Point, Slice, Term, Whole
from intent2cuda.types.value_type import Shape

Coordinates: TypeAlias = dict[Symbol, IntExpr]
"""For each coordinate symbol of a source its expression over the coordinates of the result."""

MOST_CHOICES = 16
MOST_TERMS = 64
MOST_COMPARISONS = 64
"""An expression with more of them counts as unknown, a condition as opaque: repeated doubling would never end."""


def first_axes(terms: Iterable[Term]) -> Iterator[tuple[Term, int]]:
    """Each index term with the first result axis of what it selects; all lanes stand at the first of them."""
    axis, lanes_at = 0, -1
    for term in terms:
        match term:
            case Point():
                yield term, axis
            case Whole() | Slice() | Along():
                yield term, axis
                axis += 1
            case Lanes() if lanes_at < 0:
                yield term, axis
                lanes_at, axis = axis, axis + term.index.tensor.rank
            case Lanes():
                yield term, lanes_at


def coordinate_map(op: Broadcast | Transpose | Reshape) -> dict[Symbol, IntExpr] | Unknown:
    """For each coordinate of the source its expression over the coordinates of the result."""
    match op:
        case Broadcast():
            return _broadcast_map(op)
        case Transpose():
            return {axis_symbol(source): coordinate(axis) for axis, source in enumerate(op.permutation)}
        case Reshape():
            return reshape_map(op.source.tensor.shape, op.result.tensor.shape)
        case _:
            assert_never(op)


def _broadcast_map(op: Broadcast) -> dict[Symbol, IntExpr] | Unknown:
    if op.guarded:
        return Unknown("whether an axis is stretched is decided at run time")
    source, result = op.source.tensor.shape, op.result.tensor.shape
    return {
        axis_symbol(axis): coordinate(position) if source[axis] == result[position] else IntExpr.of(0)
        for position, axis in enumerate(op.axes)
        if axis is not None
    }


def reshape_map(source: Shape, result: Shape) -> dict[Symbol, IntExpr]:
    """The coordinates of the source at a result coordinate, through the row-major number of the element.

    Runs of axes with the same product are treated by themselves, so that untouched axes stay themselves.
    """
    found: dict[Symbol, IntExpr] = {}
    before = [axis for axis, extent in enumerate(source) if extent.constant != 1]
    after = [axis for axis, extent in enumerate(result) if extent.constant != 1]
    found.update({axis_symbol(axis): IntExpr.of(0) for axis in range(len(source)) if axis not in before})
    while before:
        left, right = _least_group(tuple(source[axis] for axis in before), tuple(result[axis] for axis in after))
        number = _linear([result[axis] for axis in after[:right]], [coordinate(axis) for axis in after[:right]])
        stride = IntExpr.of(1)
        for axis in reversed(before[:left]):
            quotient = number // stride
            found[axis_symbol(axis)] = quotient if axis == before[0] else quotient % source[axis]
            stride = stride * source[axis]
        before, after = before[left:], after[right:]
    return found


def _least_group(source: Shape, result: Shape) -> tuple[int, int]:
    """How many leading axes of each side make up the same count; all of both when no prefix does."""
    for size in range(2, len(source) + len(result)):
        for left in range(1, size):
            right = size - left
            if left <= len(source) and right <= len(result) and count(source[:left]) == count(result[:right]):
                return left, right
    return len(source), len(result)


def _linear(shape: list[IntExpr], position: list[IntExpr]) -> IntExpr:
    total = IntExpr.of(0)
    for extent, at in zip(shape, position, strict=True):
        total = total * extent + at
    return total


def segment_map(part: Segment) -> Coordinates:
    """The coordinates of the source at those of a slice."""
    return {axis_symbol(part.axis): ex.of_atom(segment_begin(part.extent)) + coordinate(part.axis)}


def by_axis(positions: tuple[Expression | Unknown, ...]) -> Coordinates | Unknown:
    """The coordinates of what is indexed, where each of the positions is a single expression."""
    found: Coordinates = {}
    for axis, position in enumerate(positions):
        if not isinstance(position, IntExpr):
            return position if isinstance(position, Unknown) else Unknown("a gather at a choice of positions")
        found[axis_symbol(axis)] = position
    return found


def over(expression: Expression | Unknown, values: Coordinates | Unknown) -> Expression | Unknown:
    """An expression over other coordinates."""
    if isinstance(expression, Unknown):
        return expression
    if isinstance(values, Unknown):
        return values
    if ex.growth(expression, values) > MOST_TERMS:
        return Unknown("too many terms")
    return ex.replace(expression, values)


def under(condition: Condition, values: Coordinates | Unknown) -> Condition | None:
    """A condition over other coordinates, None where these are not known."""
    if isinstance(values, Unknown):
        return None
    grown = (ex.growth(part, values) for part in ex.condition_parts(condition))
    return ex.replace_in_condition(condition, values) if max(grown, default=0) <= MOST_TERMS else None


def within_limits(choice: Choice) -> Expression | Unknown:
    """The choice unless it has too many sides."""
    limited = ex.number_of_leaves(choice) <= MOST_CHOICES and ex.size(choice.condition) <= MOST_COMPARISONS
    return choice if limited else Unknown("too many choices")
