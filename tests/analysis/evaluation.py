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
    """The values of the ops of a kernel without control and memory."""
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


def expected(expression: Expression, shape: tuple[int, ...], sizes: Sizes) -> Array:
    """The expression at every coordinate."""
    result = np.zeros(shape, np.int64)
    for at in itertools.product(*map(range, shape)):
        result[at] = at_coordinate(expression, at, sizes)
    return result


def at_coordinate(expression: Expression, at: tuple[int, ...], sizes: Sizes) -> int:
    match expression:
        case IntExpr():
            values: dict[Symbol, int] = {axis_symbol(axis): place for axis, place in enumerate(at)}
            for symbol in symbols(expression):
                if symbol.serial >= 0:
                    values[symbol] = sizes[symbol.name]
            return evaluate(expression, values)
        case Choice():
            chosen = expression.when_true if holds(expression.condition, at, sizes) else expression.when_false
            return at_coordinate(chosen, at, sizes)


def holds(condition: Condition, at: tuple[int, ...], sizes: Sizes) -> bool:
    match condition:
        case Comparison():
            lhs, rhs = (at_coordinate(side, at, sizes) for side in (condition.lhs, condition.rhs))
            return bool(ORDER[condition.fn](lhs, rhs))
        case Connective():
            parts = [holds(part, at, sizes) for part in condition.args]
            return {"and": all(parts), "or": any(parts), "not": not parts[0]}[condition.fn]
        case Opaque():
            raise AssertionError("a condition of coordinates only was expected")
