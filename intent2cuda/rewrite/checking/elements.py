"""The elements that an access touches: their coordinates, and their places in a line of marks."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from intent2cuda.analysis.composition import first_axes
from intent2cuda.base.intexpr import IntExpr
from intent2cuda.ir.builder import Builder
from intent2cuda.ir.terms import Along, Lanes, Point, Slice, Whole
from intent2cuda.ir.value import Value
from intent2cuda.rewrite.checking.positions import Place, as_index
from intent2cuda.types.dtype import DType
from intent2cuda.types.value_type import Shape

ONE = IntExpr.of(1)


def coordinates(builder: Builder, place: Place) -> list[Value]:
    """For each axis of the resource where the elements are: a scalar, or a value of the shape of the access."""
    found: list[Value] = []
    for term, first in first_axes(place.terms):
        match term:
            case Point(index):
                found.append(as_index(builder, index))
            case Lanes(index):
                found.append(_along(builder, as_index(builder, index), first, place.shape))
            case Whole():
                found.append(_counted(builder, place.shape, first, IntExpr.of(0), ONE))
            case Slice(begin):
                found.append(_counted(builder, place.shape, first, builder.expression(begin), ONE))
            case Along(domain):
                found.append(_counted(builder, place.shape, first, domain.domain.begin, domain.domain.step))
    return found


def in_a_line(builder: Builder, positions: Sequence[Value], extents: Shape, place: Place, mask: Value | None) -> Value:
    """The row-major place of each element among `extents`; what the mask leaves out lies behind all of them."""
    total: Value | None = None
    for position, extent in zip(positions, extents, strict=True):
        here = _shaped(builder, position, place.shape)
        if total is not None:
            total = builder.pointwise("mul", total, _shaped(builder, builder.dim(extent), place.shape))
        total = here if total is None else builder.pointwise("add", total, here)
    if total is None:
        total = _shaped(builder, builder.constant(0), place.shape)
    if mask is None:
        return total
    behind = _shaped(builder, builder.dim(size(extents)), place.shape)
    return builder.pointwise("select", mask, total, behind)


def size(extents: Shape) -> IntExpr:
    """How many elements there are."""
    return prod(extents, start=ONE)


def allowed(builder: Builder, holds: Value, mask: Value | None) -> Value:
    """What holds, or what the mask leaves out."""
    return holds if mask is None else builder.pointwise("or", builder.pointwise("not", mask), holds)


def both(builder: Builder, mask: Value | None, more: Value) -> Value:
    return more if mask is None else builder.pointwise("and", mask, more)


def everywhere(builder: Builder, number: int, dtype: DType, shape: Shape) -> Value:
    return _shaped(builder, builder.constant(number, dtype), shape)


def _counted(builder: Builder, shape: Shape, axis: int, begin: IntExpr, step: IntExpr) -> Value:
    """`begin`, and from there on with a step along an axis."""
    first, stride = builder.dim(begin), builder.dim(step)
    domain = builder.domain(first, builder.dim(begin + shape[axis] * step), stride)
    return _along(builder, builder.indices(domain), axis, shape)


def _along(builder: Builder, value: Value, first: int, shape: Shape) -> Value:
    rank = value.tensor.rank
    axes = [axis - first if first <= axis < first + rank else None for axis in range(len(shape))]
    return builder.broadcast(value, axes, shape)


def _shaped(builder: Builder, value: Value, shape: Shape) -> Value:
    """A scalar in a shape; anything else has it already."""
    if value.tensor.shape or not shape:
        return value
    return builder.broadcast(value, [None] * len(shape), shape)
