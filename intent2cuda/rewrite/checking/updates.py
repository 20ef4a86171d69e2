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
from intent2cuda.rewrite.checking.refusal import refuse
from intent2cuda.types.dtype import DType

Atomic = AtomicLoad | AtomicStore | AtomicUpdate | CompareExchange | ScatterReduce


def where(builder: Builder, op: Atomic, mask: Value, place: Place) -> tuple[Value, ...]:
    """The op for the elements of the mask; gives its results, zeros where it was left out."""
    if not place.shape:
        return _guarded(builder, op, mask)
    if not isinstance(op, AtomicStore | ScatterReduce):
        refuse(op, "positions of an atomic access of several elements that gives a result")
    origin = [builder.domain(builder.constant(0), builder.dim(extent)) for extent in place.shape]
    with builder.parallel(*origin, names=[f"at{axis}" for axis in range(len(origin))]) as points:
        value = builder.gather(op.value, *points) if op.value.tensor.shape else op.value
        single = replace(op, terms=_at(builder, op.terms, points), value=value)
        _guarded(builder, single, builder.gather(mask, *points))
    return ()


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
