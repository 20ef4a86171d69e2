"""Conditional expressions: one branch at compile time, a select, or a runtime `if`."""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst

from intent2cuda.ir.op import Op
from intent2cuda.ir.ops import Broadcast, Cast, Constant, Dim, If, Pointwise
from intent2cuda.ir.value import Value
from intent2cuda.parse.branches import Outcome, branch, condition_value, merge_values
from intent2cuda.parse.context import Context
from intent2cuda.parse.operators import selection
from intent2cuda.parse.values import Literal, Val
from intent2cuda.types.value_type import TensorType

Evaluate = Callable[[Context, cst.BaseExpression], Val]

_MAY_FAIL = frozenset({"floordiv", "mod", "shl", "shr", "div"})


def conditional(cx: Context, test: Val, node: cst.IfExp, evaluate: Evaluate) -> Val:
    """`body if test else orelse`. A tensor condition chooses element by element; a scalar one runs one branch."""
    if isinstance(test, Literal):
        return evaluate(cx, node.body if test.value else node.orelse)
    condition = condition_value(cx, test, "a conditional expression", tensors=True)
    if condition.tensor.shape:
        return selection(cx, condition, evaluate(cx, node.body), evaluate(cx, node.orelse), "a conditional expression")
    then, then_value = _side(cx, node.body, evaluate)
    other, other_value = _side(cx, node.orelse, evaluate)
    if all(_is_simple(op) for side in (then, other) for op in side.block.ops) and _are_scalars(then_value, other_value):
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
    """Whether the op can always be evaluated, at the price of one instruction."""
    if isinstance(op, Pointwise):
        return op.fn not in _MAY_FAIL and op.result.tensor.rank == 0
    if isinstance(op, Cast):
        return op.result.tensor.rank == 0 and not (
            op.source.tensor.dtype.is_float and op.result.tensor.dtype.is_integer
        )
    return isinstance(op, Constant | Dim | Broadcast) and op.result.tensor.rank == 0


def _are_scalars(*values: Val) -> bool:
    return all(not isinstance(v, Value) or (isinstance(v.type, TensorType) and not v.tensor.shape) for v in values)
