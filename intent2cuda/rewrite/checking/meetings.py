"""Inspections of stores that may write an element twice, by marks: one for each element, exchanged by who writes it.

Before:                                   After:
    parallel %n body(%i: index) {             %marks: buffer i64[K + 1] = allocate 0
      store %y[%k], %x                        parallel %n body(%i: index) {
      yield                                     %old: i64 = atomic_update.exchange %marks[%k], %i + 1
    }                                           %0: bool = inspect (%old == 0 or %old == %i + 1) race ...
                                                store %y[%k], %x valid=%0
                                                yield
                                              }
"""

from __future__ import annotations

from collections.abc import Sequence

from intent2cuda.base.intexpr import IntExpr
from intent2cuda.ir.builder import Builder
from intent2cuda.ir.ops import Rule, Update
from intent2cuda.ir.terms import Lanes, Point
from intent2cuda.ir.value import Value
from intent2cuda.rewrite.checking.elements import allowed, both, coordinates, everywhere, in_a_line, size
from intent2cuda.rewrite.checking.positions import BLANK, Place, inspect, like
from intent2cuda.types.dtype import I32, I64, DType
from intent2cuda.types.value_type import Shape


def marks_of(builder: Builder, extents: Shape, dtype: DType, name: str) -> Value:
    """A mark for each element, and one for all that is left out."""
    return builder.allocate(dtype, (size(extents) + 1,), builder.constant(0, dtype), name)


def of_elements(builder: Builder, place: Place, mask: Value | None) -> Value:
    """The mask without elements that the same statement has written before. The marks are new at each execution."""
    positions = coordinates(builder, place)
    moving = [axis for axis, term in enumerate(place.terms) if not isinstance(term, Point)]
    extents = tuple(place.extents[axis] for axis in moving)
    marks = marks_of(builder, extents, I32, f"{place.name}_marks")
    where = in_a_line(builder, [positions[axis] for axis in moving], extents, place, mask)
    old = builder.atomic(Update.EXCHANGE, marks, (Lanes(where),), everywhere(builder, 1, I32, place.shape))
    first = builder.pointwise("eq", old, everywhere(builder, 0, I32, place.shape))
    text = f"{element(place)} is written twice by one statement"
    return both(builder, mask, inspect(builder, Rule.DUPLICATE, allowed(builder, first, mask), positions, text))


def of_points(builder: Builder, place: Place, mask: Value | None, marks: Value, point: Value) -> Value:
    """The mask without elements that another point of the loop has written before."""
    positions = coordinates(builder, place)
    where = in_a_line(builder, positions, place.extents, place, mask)
    mine = like(builder, point, where)
    old = builder.atomic(Update.EXCHANGE, marks, (Lanes(where) if place.shape else Point(where),), mine)
    nobody = builder.pointwise("eq", old, everywhere(builder, 0, I64, place.shape))
    apart = builder.pointwise("or", nobody, builder.pointwise("eq", old, mine))
    text = f"a point writes {element(place)}, which another point of the parallel loop touches"
    return both(builder, mask, inspect(builder, Rule.RACE, allowed(builder, apart, mask), positions, text))


def number_of_point(builder: Builder, domains: Sequence[Value], points: Sequence[Value]) -> Value:
    """1, 2, ... for the points of a loop."""
    total = IntExpr.of(0)
    for point, value in zip(points, domains, strict=True):
        domain = value.domain
        total = total * domain.extent + (point.as_symbol - domain.begin) // domain.step
    return builder.cast(builder.dim(total + 1), I64)


def element(place: Place) -> str:
    """`y[{}, {}]`."""
    return f"{place.name}[{', '.join([BLANK] * len(place.extents)) or '()'}]"
