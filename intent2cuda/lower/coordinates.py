"""From the coordinates of a result to those of its source, for every op that only moves elements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import TypeAlias

from intent2cuda.base.intexpr import IntExpr
from intent2cuda.ir.ops import Broadcast, Transpose
from intent2cuda.ir.terms import Along, Lanes, Point, Slice, Term, Whole
from intent2cuda.ir.value import Value
from intent2cuda.types.value_type import Shape

Coordinates: TypeAlias = tuple[IntExpr, ...]
_ZERO, _ONE = IntExpr.of(0), IntExpr.of(1)


def of_transpose(op: Transpose, at: Coordinates) -> Coordinates:
    source = [_ZERO] * len(at)
    for axis, from_axis in enumerate(op.permutation):
        source[from_axis] = at[axis]
    return tuple(source)


def of_broadcast(op: Broadcast, at: Coordinates, step: Callable[[IntExpr, IntExpr], IntExpr]) -> Coordinates:
    """Stretched axes are read at position 0; `step(source, result extent)` is 0 or 1 where only a call can tell."""
    source = [_ZERO] * op.source.tensor.rank
    for axis, from_axis in enumerate(op.axes):
        if from_axis is None:
            continue
        here, there = op.result.tensor.shape[axis], op.source.tensor.shape[from_axis]
        if here == there:
            source[from_axis] = at[axis]
        elif from_axis in op.guarded:
            source[from_axis] = at[axis] * step(there, here)
        elif there.constant != 1:
            source[from_axis] = at[axis]  # the two are equal for a reason that the verifier accepted
    return tuple(source)


def of_reshape(result: Shape, source: Shape, at: Coordinates) -> Coordinates:
    """Row-major: axes are taken apart in groups of equal counts, so that what is not reshaped keeps its coordinate."""
    found: list[IntExpr] = []
    i = j = 0
    while i < len(result) or j < len(source):
        p, q = _next_group(result, source, i, j)
        linear = _linear(result[i:p], at[i:p])
        found += _digits(linear, source[j:q])
        i, j = p, q
    return tuple(found)


def _next_group(result: Shape, source: Shape, i: int, j: int) -> tuple[int, int]:
    ends = [(p, q) for p in range(i, len(result) + 1) for q in range(j, len(source) + 1) if p + q > i + j]
    for p, q in sorted(ends, key=sum):
        if prod(result[i:p], start=_ONE) == prod(source[j:q], start=_ONE):
            return p, q
    return len(result), len(source)


def _linear(extents: Shape, at: Sequence[IntExpr]) -> IntExpr:
    total = _ZERO
    for extent, coordinate in zip(extents, at, strict=True):
        total = total * extent + coordinate
    return total


def _digits(linear: IntExpr, extents: Shape) -> list[IntExpr]:
    wide = [axis for axis, extent in enumerate(extents) if extent.constant != 1]
    digits = [_ZERO] * len(extents)
    for axis in wide:
        inner = prod((extents[a] for a in wide if a > axis), start=_ONE)
        quotient = linear // inner
        digits[axis] = quotient if axis == wide[0] else quotient % extents[axis]
    return digits


def linear_index(extents: Shape, at: Sequence[IntExpr]) -> IntExpr:
    """The row-major place of an element."""
    return _linear(extents, at)


def of_terms(
    terms: Sequence[Term],
    at: Coordinates,
    scalar: Callable[[Value], IntExpr],
    lane: Callable[[Value, Coordinates], IntExpr],
) -> Coordinates:
    """Where an access goes: one coordinate for each axis of what is indexed.

    `scalar` gives an integer scalar as an expression, `lane` an element of an integer tensor.
    """
    found: list[IntExpr] = []
    taken = 0
    lanes: Coordinates | None = None
    for term in terms:
        match term:
            case Whole():
                found.append(at[taken])
                taken += 1
            case Slice():
                found.append(scalar(term.begin) + at[taken])
                taken += 1
            case Along():
                domain = term.domain.domain
                found.append(domain.begin + at[taken] * domain.step)
                taken += 1
            case Point():
                found.append(scalar(term.index))
            case Lanes():
                if lanes is None:
                    rank = term.index.tensor.rank
                    lanes = at[taken : taken + rank]
                    taken += rank
                found.append(lane(term.index, lanes))
    return tuple(found)
