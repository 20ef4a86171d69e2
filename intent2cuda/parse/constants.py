"""Compile-time values of expressions at the top level of a file, in signatures, and in decorators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import libcst as cst

from intent2cuda.parse import folding
from intent2cuda.parse.literal_text import is_infinite, number_of, string_of
from intent2cuda.parse.operator_names import BINARY, COMPARE
from intent2cuda.parse.sizes import has_many_leaves
from intent2cuda.parse.source import Module, identifier
from intent2cuda.parse.values import (
    Dots,
    EnumMember,
    EnumType,
    HostName,
    HostValue,
    Intrinsic,
    Literal,
    Nothing,
    Tuple,
    Val,
)

if TYPE_CHECKING:
    from intent2cuda.parse.module_scope import Globals

PYTHON_NAMES = frozenset(
    {
        "abs",
        "all",
        "any",
        "bool",
        "bytes",
        "complex",
        "dict",
        "divmod",
        "enumerate",
        "eval",
        "exec",
        "filter",
        "float",
        "getattr",
        "hasattr",
        "int",
        "isinstance",
        "iter",
        "len",
        "list",
        "locals",
        "map",
        "max",
        "min",
        "next",
        "object",
        "open",
        "pow",
        "print",
        "range",
        "reversed",
        "round",
        "set",
        "setattr",
        "slice",
        "sorted",
        "str",
        "sum",
        "super",
        "tuple",
        "type",
        "vars",
        "zip",
        "globals",
        "id",
        "input",
        "callable",
        "repr",
        "hash",
    }
)


def module_value(globals_: Globals, module: Module, name: str, node: cst.BaseExpression) -> Val:
    """The value that a top-level assignment gives a name; one that kernels cannot use is a HostValue."""
    value = evaluate(globals_, module, node)
    return value if value is not None else HostValue(name, _kind(node))


def evaluate(globals_: Globals, module: Module, node: cst.BaseExpression) -> Val | None:
    """The compile-time value of an expression, or None."""
    match node:
        case cst.Name(value=name):
            return _name(globals_, module, identifier(name))
        case cst.Integer() | cst.Float():
            return None if is_infinite(number := number_of(node)) else number
        case cst.SimpleString() | cst.ConcatenatedString():
            return string_of(node)
        case cst.Ellipsis():
            return Dots()
        case cst.Tuple(elements=elements):
            return _tuple(globals_, module, elements)
        case cst.Attribute(value=base, attr=cst.Name(value=name)):
            return _attribute(globals_, evaluate(globals_, module, base), identifier(name))
        case cst.UnaryOperation() | cst.BinaryOperation():
            return _operation(globals_, module, node)
        case cst.Comparison():
            return _comparison(globals_, module, node)
        case cst.BooleanOperation() | cst.IfExp():
            return _choice(globals_, module, node)
        case cst.Subscript(value=base, slice=[cst.SubscriptElement(slice=cst.Index(value=index))]):
            return _item(evaluate(globals_, module, base), evaluate(globals_, module, index))
        case _:
            return None


def _name(globals_: Globals, module: Module, name: str) -> Val | None:
    if name in ("True", "False"):
        return Literal(name == "True")
    if name == "None":
        return Nothing()
    found = globals_.lookup(module, name)
    return found if found is not None or name not in PYTHON_NAMES else HostName(name)


def _tuple(globals_: Globals, module: Module, elements: Sequence[cst.BaseElement]) -> Val | None:
    items: list[Val] = []
    for element in elements:
        value = evaluate(globals_, module, element.value) if isinstance(element, cst.Element) else None
        if value is None:
            return None
        items.append(value)
    found = Tuple(tuple(items))
    return None if has_many_leaves(found) else found


def _attribute(globals_: Globals, base: Val | None, name: str) -> Val | None:
    match base:
        case None:
            return None
        case EnumType() if name in base.names():
            return EnumMember(base, name)
        case Intrinsic(path=path):
            return Intrinsic(f"{path}.{name}")
        case _:
            return globals_.attribute(base, name)


def _operation(globals_: Globals, module: Module, node: cst.UnaryOperation | cst.BinaryOperation) -> Val | None:
    try:
        if isinstance(node, cst.UnaryOperation):
            operand = evaluate(globals_, module, node.expression)
            return _unary(node.operator, operand) if isinstance(operand, Literal) else None
        fn = BINARY.get(type(node.operator))
        lhs, rhs = evaluate(globals_, module, node.left), evaluate(globals_, module, node.right)
        if fn is None or not isinstance(lhs, Literal) or not isinstance(rhs, Literal):
            return None
        return folding.binary(fn, lhs, rhs)
    except folding.FoldingError:
        return None


def _unary(operator: cst.BaseUnaryOp, operand: Literal) -> Literal | None:
    match operator:
        case cst.Minus():
            return folding.negative(operand)
        case cst.Plus():
            return operand
        case cst.Not():
            return Literal(not operand.value)
        case _:
            return Literal(~operand.value) if type(operand.value) is int else None


def _comparison(globals_: Globals, module: Module, node: cst.Comparison) -> Literal | None:
    """The truth of a chain of comparisons."""
    left = evaluate(globals_, module, node.left)
    for target in node.comparisons:
        fn, right = COMPARE.get(type(target.operator)), evaluate(globals_, module, target.comparator)
        match left, right:
            case Literal(), Literal() if fn is not None:
                found = folding.compare(fn, left, right)
            case EnumMember(), EnumMember() if fn in ("eq", "ne") and left.type == right.type:
                found = Literal((left == right) == (fn == "eq"))
            case _:
                return None
        if not found.value:
            return found
        left = right
    return Literal(True)


def _choice(globals_: Globals, module: Module, node: cst.BooleanOperation | cst.IfExp) -> Val | None:
    """The side that Python would take of `and`, `or`, or a conditional expression."""
    test = evaluate(globals_, module, node.test if isinstance(node, cst.IfExp) else node.left)
    if not isinstance(test, Literal):
        return None
    if isinstance(node, cst.IfExp):
        return evaluate(globals_, module, node.body if test.value else node.orelse)
    stays = isinstance(node.operator, cst.Or) == bool(test.value)
    return test if stays else evaluate(globals_, module, node.right)


def _item(base: Val | None, index: Val | None) -> Val | None:
    if not isinstance(base, Tuple) or not isinstance(index, Literal) or type(index.value) is not int:
        return None
    return base.items[index.value] if -len(base.items) <= index.value < len(base.items) else None


def _kind(node: cst.BaseExpression) -> str:
    match node:
        case cst.List() | cst.ListComp():
            return "list"
        case cst.Dict() | cst.DictComp():
            return "dictionary"
        case cst.Set() | cst.SetComp():
            return "set"
        case cst.Call():
            return "result of a call"
        case cst.Float():
            return "number that no float holds"
        case _:
            return "value that is not known at compile time"
