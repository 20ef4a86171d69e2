"""Conditional expressions: one branch at compile time, a select, or a runtime `if`."""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst

from intent2cuda.base.intexpr import IntExpr, Operation
from intent2cuda.ir.op import Op
from intent2cuda.ir.ops import Cast, Constant, Dim, If, Pointwise
from intent2cuda.ir.value import Value
from intent2cuda.parse.branches import Outcome, branch, condition_value, merge_values
from intent2cuda.parse.context import Context
from intent2cuda.parse.operators import selection
from intent2cuda.parse.values import Extent, Literal, Val
from intent2cuda.types.scalar_fn import SCALAR_FNS, Work
from intent2cuda.types.value_type import TensorType

Evaluate = Callable[[Context, cst.BaseExpression], Val]

_MAY_FAIL = frozenset({"floordiv", "mod", "shl", "shr"})

_COSTLY = frozenset({Work.DIVIDE, Work.TRANSCENDENTAL})


def conditional(cx: Context, test: Val, node: cst.IfExp, evaluate: Evaluate) -> Val:
    """`body if test else orelse`. A tensor condition chooses element by element; a scalar one runs one branch."""
    if isinstance(test, Literal):
        return evaluate(cx, node.body if test.value else node.orelse)
    condition = condition_value(cx, test, "a conditional expression", tensors=True)
    if condition.tensor.shape:
        return selection(cx, condition, evaluate(cx, node.body), evaluate(cx, node.orelse), "a conditional expression")
    then, then_value = _side(cx, node.body, evaluate)
    other, other_value = _side(cx, node.orelse, evaluate)
    simple = all(_is_simple(op) for side in (then, other) for op in side.block.ops)
    if simple and _is_scalar(then_value) and _is_scalar(other_value):
        for side in (then, other):
            cx.emitter.blocks[-1].ops.extend(side.block.ops)
        return selection(cx, condition, then_value, other_value, "a conditional expression")
    columns, merged = merge_values(cx, (then, then_value), (other, other_value), "a conditional expression")
    regions = [
        cx.emitter.region((), side.block, values) for side, values in ((then, columns.then), (other, columns.other))
    ]
    cx.emitter.emit(If(condition, regions[0], regions[1], tuple(columns.results)))
    return merged


def _side(cx: Context, node: cst.BaseExpression, evaluate: Evaluate) -> tuple[Outcome, Val]:
    value: list[Val] = []
    outcome = branch(cx, lambda: value.append(evaluate(cx, node)))
    return outcome, value[0]


def _is_simple(op: Op) -> bool:
    """Whether the op can always be evaluated, and cheaply."""
    match op:
        case Pointwise(fn=fn, result=result):
            return fn not in _MAY_FAIL and SCALAR_FNS[fn].work not in _COSTLY and not result.tensor.shape
        case Cast(source=source, result=result):
            truncates = source.tensor.dtype.is_float and result.tensor.dtype.is_integer
            return not truncates and not result.tensor.shape
        case Dim(expression=expression):
            return _always_defined(expression)
        case _:
            return isinstance(op, Constant)


def _is_scalar(value: Val) -> bool:
    """A scalar that is safe to have even where the other branch is taken."""
    if isinstance(value, Extent):
        return _always_defined(value.expression)
    return isinstance(value, Literal) or (
        isinstance(value, Value) and isinstance(value.type, TensorType) and not value.tensor.shape
    )


def _always_defined(expression: IntExpr) -> bool:
    """Whether no division of the expression can be by zero."""
    operations = [atom for monomial, _ in expression.terms for atom in monomial if isinstance(atom, Operation)]
    return all(
        (operation.kind in ("min", "max") or operation.rhs.constant)
        and _always_defined(operation.lhs)
        and _always_defined(operation.rhs)
        for operation in operations
    )
