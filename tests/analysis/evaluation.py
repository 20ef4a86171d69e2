"""A brute-force evaluator of index tensors, and of the expressions that the relations give for them."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from intent2cuda.analysis.expressions import Choice, Comparison, Condition, Connective, Expression, Opaque
from intent2cuda.analysis.limits import axis_symbol
from intent2cuda.base.intexpr import IntExpr, Symbol, evaluate, symbols
from intent2cuda.ir.kernel import Kernel
from intent2cuda.ir.ops import (
    Broadcast,
    Constant,
    Dim,
    Domain,
    Gather,
    Indices,
    Load,
    Pointwise,
    Reshape,
    Subregion,
    Transpose,
)
from intent2cuda.ir.terms import Along, Lanes, Point, Slice, Term, Whole
from intent2cuda.ir.value import Value
from intent2cuda.types.value_type import Shape

Sizes = Mapping[str, int]
Array = NDArray[Any]

ORDER: dict[str, Any] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}
POINTWISE: dict[str, Any] = {
    **ORDER,
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "floordiv": np.floor_divide,
    "mod": np.mod,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "select": np.where,
    "and": np.logical_and,
    "or": np.logical_or,
    "not": np.logical_not,
    "bit_xor": np.bitwise_xor,
}


def number(expression: IntExpr, sizes: Sizes) -> int:
    return evaluate(expression, {symbol: sizes[symbol.name] for symbol in symbols(expression)})


def extents(shape: Shape, sizes: Sizes) -> tuple[int, ...]:
    return tuple(max(0, number(extent, sizes)) for extent in shape)


def run(kernel: Kernel, sizes: Sizes) -> dict[Value, Array]:
    """The values of the ops of a kernel without control and stores; a bool view holds alternating runs."""
    found: dict[Value, Array] = {}
    for op in kernel.body.ops:
        match op:
            case Constant():
                found[op.result] = np.asarray(op.value)
            case Dim():
                found[op.result] = np.asarray(number(op.expression, sizes))
            case Indices():
                found[op.result] = coordinates(op.domain, sizes)
            case Pointwise():
                found[op.result] = POINTWISE[op.fn](*(found[a] for a in op.args))
            case Broadcast():
                source = found[op.source]
                shaped = source.reshape([1 if a is None else source.shape[a] for a in op.axes])
                found[op.result] = np.broadcast_to(shaped, extents(op.result.tensor.shape, sizes))
            case Transpose():
                found[op.result] = found[op.source].transpose(op.permutation)
            case Reshape():
                found[op.result] = found[op.source].reshape(extents(op.result.tensor.shape, sizes))
            case Gather():
                index = tuple(selected(term, found, sizes) for term in op.terms)
                found[op.result] = found[op.source][index]
            case Load():
                shape = extents(op.result.tensor.shape, sizes)
                found[op.result] = (np.arange(np.prod(shape)) % 5 < 2).reshape(shape)
            case Domain() | Subregion():
                pass
            case _:
                raise AssertionError(op)
    return found


def coordinates(domain: Value, sizes: Sizes) -> Array:
    begin, step, extent = (number(e, sizes) for e in (domain.domain.begin, domain.domain.step, domain.domain.extent))
    return begin + step * np.arange(max(0, extent))


def selected(term: Term, found: dict[Value, Array], sizes: Sizes) -> Any:
    match term:
        case Whole():
            return slice(None)
        case Slice():
            begin = int(found[term.begin])
            return slice(begin, begin + number(term.extent, sizes))
        case Along():
            return coordinates(term.domain, sizes)
        case Point():
            return int(found[term.index])
        case Lanes():
            return found[term.index]


class Place:
    """One coordinate of a result, with the values that opaque conditions look up."""

    def __init__(self, at: tuple[int, ...], sizes: Sizes, values: Mapping[Value, Array]) -> None:
        self._at = at
        self._sizes = sizes
        self._values = values

    def number(self, expression: Expression) -> int:
        match expression:
            case IntExpr():
                known: dict[Symbol, int] = {axis_symbol(axis): at for axis, at in enumerate(self._at)}
                known |= {s: self._sizes[s.name] for s in symbols(expression) if s.serial >= 0}
                return evaluate(expression, known)
            case Choice():
                return self.number(expression.when_true if self.holds(expression.condition) else expression.when_false)

    def holds(self, condition: Condition) -> bool:
        match condition:
            case Comparison():
                return bool(ORDER[condition.fn](self.number(condition.lhs), self.number(condition.rhs)))
            case Connective():
                parts = [self.holds(part) for part in condition.args]
                return {"and": all(parts), "or": any(parts), "not": not parts[0]}[condition.fn]
            case Opaque():
                return bool(self._values[condition.value][tuple(map(self.number, condition.at))])


def expected(
    found: Expression | Condition, shape: tuple[int, ...], sizes: Sizes, values: Mapping[Value, Array]
) -> Array:
    """The expression or condition at every coordinate."""
    result = np.zeros(shape, np.int64)
    for at in itertools.product(*map(range, shape)):
        place = Place(at, sizes, values)
        result[at] = place.number(found) if isinstance(found, IntExpr | Choice) else place.holds(found)
    return result
