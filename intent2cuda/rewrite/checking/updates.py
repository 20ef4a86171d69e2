"""Atomic accesses and scatters of which some elements are left out: they have no mask of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from intent2cuda.base.intexpr import IntExpr
from intent2cuda.ir.builder import Builder
from intent2cuda.ir.op import results
from intent2cuda.ir.ops import AtomicLoad, AtomicStore, AtomicUpdate, CompareExchange, ScatterReduce
from intent2cuda.ir.terms import Along, Lanes, Point, Slice, Term, Whole
from intent2cuda.ir.value import Value
from intent2cuda.rewrite.checking.positions import Place, like
from intent2cuda.types.dtype import DType
from intent2cuda.types.value_type import Shape, scalar

Atomic = AtomicLoad | AtomicStore | AtomicUpdate | CompareExchange | ScatterReduce


def where(builder: Builder, op: Atomic, mask: Value, place: Place) -> tuple[Value, ...]:
    """The op for the elements of the mask; gives its results, zeros where it was left out."""
    if not place.shape:
        return _guarded(builder, op, mask)
    gathered = [_zeros(builder, value, place.shape) for value in results(op)]
    line = [builder.domain(builder.constant(0), builder.dim(extent)) for extent in place.shape]
    with builder.parallel(*line, names=[f"at{axis}" for axis in range(len(line))]) as points:
        made = _guarded(builder, _single(builder, op, points), builder.gather(mask, *points))
        for buffer, value in zip(gathered, made, strict=True):
            builder.store(buffer, points, value)
    return tuple(builder.load(buffer, *[None] * len(place.shape)) for buffer in gathered)


def _zeros(builder: Builder, like: Value, shape: Shape) -> Value:
    dtype = like.tensor.dtype
    return builder.allocate(dtype, shape, zero(builder, dtype), like.name)


def _single(builder: Builder, op: Atomic, points: Sequence[Value]) -> Atomic:
    """The op for the element at the points."""

    def part(value: Value) -> Value:
        return builder.gather(value, *points) if value.tensor.shape else value

    def result(value: Value) -> Value:
        return builder.fresh(scalar(value.tensor.dtype), value.name)

    terms = _at(builder, op.terms, points)
    match op:
        case AtomicStore() | ScatterReduce():
            return replace(op, terms=terms, value=part(op.value))
        case AtomicUpdate():
            return replace(op, terms=terms, value=part(op.value), result=result(op.result))
        case AtomicLoad():
            return replace(op, terms=terms, result=result(op.result))
        case CompareExchange():
            old, written = op.results
            desired, expected = part(op.desired), part(op.expected)
            made = result(old), result(written)
            return replace(op, terms=terms, desired=desired, expected=expected, results=made)


def _guarded(builder: Builder, op: Atomic, condition: Value) -> tuple[Value, ...]:
    """The op under a scalar condition."""
    given = results(op)
    inner = [builder.fresh(value.type, value.name) for value in given]
    copied = op
    if len(given) == 1:
        copied = replace(op, result=inner[0])
    elif given:
        copied = replace(op, results=tuple(inner))

    def then() -> Sequence[Value]:
        builder.emit(copied)
        return inner

    return builder.branch(condition, then, lambda: [like(builder, zero(builder, v.tensor.dtype), v) for v in given])


def _at(builder: Builder, terms: Sequence[Term], points: Sequence[Value]) -> tuple[Term, ...]:
    """The terms of one element."""
    found: list[Term] = []
    taken, lanes = 0, None

    def shifted(begin: IntExpr, step: IntExpr) -> Term:
        return Point(builder.dim(begin + points[taken].as_symbol * step))

    for term in terms:
        match term:
            case Point():
                found.append(term)
                continue
            case Lanes(index):
                if lanes is None:
                    lanes, taken = points[taken : taken + index.tensor.rank], taken + index.tensor.rank
                found.append(Point(builder.gather(index, *lanes)))
                continue
            case Whole():
                found.append(Point(points[taken]))
            case Slice(begin):
                found.append(shifted(builder.expression(begin), IntExpr.of(1)))
            case Along(domain):
                found.append(shifted(domain.domain.begin, domain.domain.step))
        taken += 1
    return tuple(found)


def zero(builder: Builder, dtype: DType) -> Value:
    """What stands for an element that was not read."""
    return builder.constant(False if dtype.is_bool else 0.0 if dtype.is_float else 0, dtype)
