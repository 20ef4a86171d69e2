"""Single expressions for loop heads, conditions and sizes; variables they need are declared in the current block."""

from __future__ import annotations

from intent2cuda.base.intexpr import IntExpr
from intent2cuda.ir.value import Value
from intent2cuda.lower.coordinates import Coordinates
from intent2cuda.lower.elements import Elements
from intent2cuda.lower.evaluate import Evaluation
from intent2cuda.lower.nodes import Node
from intent2cuda.lower.writer import Writer
from intent2cuda.machine.expressions import Expression


def integer(writer: Writer, expression: IntExpr) -> Expression:
    """An integer expression in the current block."""
    return _written(writer, Elements(writer).index(expression))


def element(writer: Writer, value: Value, at: Coordinates = ()) -> Expression:
    """An element of a value in the current block, without a variable of its own."""
    return _written(writer, Elements(writer).element(value, at))


def depth_of(writer: Writer, expression: IntExpr) -> int:
    """The depth of the outermost block in which an integer expression is known."""
    return Elements(writer).index(expression).depth


def _written(writer: Writer, node: Node) -> Expression:
    evaluation = Evaluation(writer, [node], [node])
    (expression,) = evaluation.expressions([node])
    writer.quote(evaluation.take_statements())
    return expression
