"""Expressions: each is read once, in source order, into a value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import libcst as cst

from intent2cuda.parse import names, operators
from intent2cuda.parse.access import subscript
from intent2cuda.parse.bind import Argument, bind, signature_of
from intent2cuda.parse.calls import bounded, call_intrinsic
from intent2cuda.parse.choice import conditional
from intent2cuda.parse.context import Context
from intent2cuda.parse.describe import described
from intent2cuda.parse.inline import call_helper
from intent2cuda.parse.intrinsics import ragged
from intent2cuda.parse.literal_text import is_infinite, number_of, string_of
from intent2cuda.parse.literals import no_tensor
from intent2cuda.parse.operator_names import BINARY, COMPARE
from intent2cuda.parse.source import identifier
from intent2cuda.parse.values import (
    POISON,
    Dots,
    Element,
    Function,
    HostName,
    Intrinsic,
    Literal,
    Nothing,
    Ragged,
    Stretch,
    Tuple,
    Val,
)

_FORBIDDEN: Mapping[type[cst.CSTNode], tuple[str, str, str]] = {
    cst.Lambda: ("lambda", "a lambda", "write an intent.fn at the top level; a sum is combined with I.add"),
    cst.ListComp: ("comprehension", "a comprehension", "use whole-tensor operations or a loop"),
    cst.SetComp: ("comprehension", "a comprehension", "use whole-tensor operations or a loop"),
    cst.DictComp: ("comprehension", "a comprehension", "use whole-tensor operations or a loop"),
    cst.GeneratorExp: ("comprehension", "a generator", "use whole-tensor operations or a loop"),
    cst.Dict: ("dictionary", "a dictionary (dict)", "use I.record for named values"),
    cst.Set: ("set", "a set", "use a tuple"),
    cst.List: ("list", "a list", "use a tuple, or I.buffer for storage"),
    cst.NamedExpr: ("walrus", "an assignment inside an expression (walrus, `:=`)", "assign in a statement before"),
    cst.FormattedString: ("string", "a formatted string (f-string)", "leave text to the host"),
    cst.Yield: ("yield", "yield", "store results into an Out view"),
    cst.Await: ("await", "await", "leave concurrency to the host"),
    cst.StarredElement: ("starred", "a starred element", "write the members out"),
}


def evaluate(cx: Context, node: cst.BaseExpression) -> Val:
    """The value of an expression. Raises RefusedError when it has none."""
    before = cx.node, cx.emitter.place
    cx.node, cx.emitter.place = node, cx.span(node)
    try:
        return _evaluate(cx, node)
    finally:
        cx.node, cx.emitter.place = before


def _evaluate(cx: Context, node: cst.BaseExpression) -> Val:
    match node:
        case cst.Name():
            return names.name(cx, node)
        case cst.Integer() | cst.Float():
            return _number(cx, node)
        case cst.Subscript():
            base = evaluate(cx, node.value)
            items = index_items(cx, node)
            return ragged.group(cx, base, items) if isinstance(base, Ragged) else subscript(cx, base, items)
        case cst.BinaryOperation():
            return _binary(cx, node)
        case cst.Attribute(value=base, attr=cst.Name(value=text)):
            return names.attribute(cx, evaluate(cx, base), identifier(text))
        case cst.Call():
            return call(cx, node)
        case cst.Comparison():
            return _comparison(cx, node)
        case cst.UnaryOperation():
            return _unary(cx, node)
        case cst.BooleanOperation():
            return _boolean(cx, node)
        case cst.IfExp():
            return conditional(cx, evaluate(cx, node.test), node, evaluate)
        case cst.Tuple():
            return bounded(cx, Tuple(tuple(_element(cx, element) for element in node.elements)))
        case cst.Ellipsis():
            return Dots()
        case cst.SimpleString() | cst.ConcatenatedString():
            text = string_of(node)
            if text is not None:
                return text
            _forbid(cx, cst.FormattedString)
        case cst.Imaginary():
            cx.refuse("src.literal.complex", f"{node.value} is a complex number", "keep real and imaginary parts apart")
        case _:
            if isinstance(node, cst.NamedExpr) and isinstance(node.target, cst.Name):
                cx.bind(identifier(node.target.value), POISON)
            _forbid(cx, type(node))
    raise AssertionError(node)


def _number(cx: Context, node: cst.Integer | cst.Float) -> Literal:
    found = number_of(node)
    if is_infinite(found):
        cx.refuse(
            "src.literal.range",
            f"{node.value[:40]} is outside f64",
            "use a smaller value, or I.inf if infinity is meant",
        )
    return found


def _forbid(cx: Context, kind: type[cst.CSTNode]) -> None:
    word, what, help = _FORBIDDEN.get(
        kind, (kind.__name__.lower(), kind.__name__.lower(), "write it with the language")
    )
    cx.refuse(f"src.python.{word}", f"{what} is not part of kernels", help)


def _element(cx: Context, element: cst.BaseElement) -> Val:
    if isinstance(element, cst.StarredElement):
        cx.refuse("src.python.starred", "a starred element (*) is not part of kernels", "write the members out")
    return evaluate(cx, element.value)


def _binary(cx: Context, node: cst.BinaryOperation) -> Val:
    """Long sums are walked in a loop: their left sides nest as deep as they have terms."""
    chain: list[cst.BinaryOperation] = [node]
    while isinstance(chain[-1].left, cst.BinaryOperation):
        chain.append(chain[-1].left)
    value = evaluate(cx, chain[-1].left)
    for link in reversed(chain):
        cx.node, cx.emitter.place = link, cx.span(link)
        fn = BINARY.get(type(link.operator))
        if fn is None:
            cx.refuse(
                "src.python.matrix_multiply", "the operator @ is not part of kernels", "use I.matmul with an acc_dtype"
            )
        right = evaluate(cx, link.right)
        value = operators.binary(cx, fn, value, right)
    return value


def _unary(cx: Context, node: cst.UnaryOperation) -> Val:
    value = evaluate(cx, node.expression)
    match node.operator:
        case cst.Minus():
            return operators.negation(cx, value)
        case cst.Not():
            return operators.inversion(cx, value)
        case cst.Plus() if isinstance(value, Literal):
            return value
        case cst.Plus():
            cx.refuse("src.python.plus", "unary + is not part of kernels", "leave it out")
        case _:
            cx.refuse(
                "src.python.invert", "the operator ~ is not part of kernels", "use x ^ -1 for bits, or `not` for bool"
            )


def _boolean(cx: Context, node: cst.BooleanOperation) -> Val:
    fn = "and" if isinstance(node.operator, cst.And) else "or"
    left = evaluate(cx, node.left)
    if isinstance(left, Literal) and left.value is (fn == "or"):
        return left
    return operators.logical(cx, fn, left, evaluate(cx, node.right))


def _comparison(cx: Context, node: cst.Comparison) -> Val:
    left = evaluate(cx, node.left)
    result: Val | None = None
    for target in node.comparisons:
        fn = COMPARE.get(type(target.operator))
        if fn is None:
            identity = isinstance(target.operator, cst.Is | cst.IsNot)
            word, help = ("is", "compare with == or !=") if identity else ("in", "compare with == and `or`")
            cx.refuse(
                f"src.python.{'identity' if identity else 'membership'}", f"`{word}` is not part of kernels", help
            )
        right = evaluate(cx, target.comparator)
        one = operators.binary(cx, fn, left, right)
        result = one if result is None else operators.logical(cx, "and", result, one)
        left = right
    assert result is not None
    return result


def index_items(cx: Context, node: cst.Subscript) -> tuple[Val, ...]:
    """The terms between the brackets; a tuple counts as its members."""
    items = [_index(cx, element.slice) for element in node.slice]
    single = items[0] if len(items) == 1 and node.slice[0].comma is cst.MaybeSentinel.DEFAULT else None
    return single.items if isinstance(single, Tuple) else tuple(items)


def _index(cx: Context, item: cst.BaseSlice) -> Val:
    match item:
        case cst.Slice():
            bounds = (None if b is None else evaluate(cx, b) for b in (item.lower, item.upper, item.step))
            return Stretch(*bounds)
        case cst.Index(value=value, star=star):
            if star is not None:
                cx.refuse("src.python.starred", "a starred index (*) is not part of kernels", "write the terms out")
            return evaluate(cx, value)
        case _:
            raise AssertionError(item)


def call(cx: Context, node: cst.Call) -> Val:
    """The value of a call: of the language, of a helper, or an error."""
    callee = evaluate(cx, node.func)
    match callee:
        case Intrinsic():
            return call_intrinsic(cx, callee, arguments(cx, node))
        case Function(kind="fn"):
            return call_helper(cx, callee, arguments(cx, node))
        case HostName(path="slice"):
            return _slice_call(cx, arguments(cx, node))
        case _:
            _not_callable(cx, callee, node)
    raise AssertionError(node)


def arguments(cx: Context, node: cst.Call) -> list[Argument]:
    """The arguments with their values, evaluated in source order."""
    found: list[Argument] = []
    for arg in node.args:
        if arg.star:
            what = "starred arguments (*)" if arg.star == "*" else "keyword unpacking (**)"
            cx.refuse("src.python.starred", f"{what} are not part of kernels", "write the arguments out", arg)
        keyword = None if arg.keyword is None else identifier(arg.keyword.value)
        found.append(Argument(keyword, arg, evaluate(cx, arg.value)))
    return found


def _not_callable(cx: Context, callee: Val, node: cst.Call) -> None:
    match callee:
        case Function(kind="kernel", name=name):
            cx.refuse(
                "src.kernel.calls_kernel",
                f"`{name}` is a kernel, which only the host launches",
                "move the shared part into an intent.fn",
            )
        case Function(name=name):
            cx.refuse("src.fn.undecorated", f"`{name}` is a plain Python function", "decorate it with @intent.fn")
        case HostName(path="range" | "enumerate" as path):
            cx.refuse("src.call.place", f"`{path}` stands only in the header of a for", "write it after `in`")
        case HostName(path=path):
            names.python_call(cx, path)
        case Element(dtype=dtype):
            cx.refuse("src.call.dtype", f"the dtype I.{dtype} is no function", f"convert with I.cast(value, I.{dtype})")
        case _:
            name = node.func.value if isinstance(node.func, cst.Name) else "the callee"
            cx.refuse(
                "src.call.not_callable",
                f"`{name}` is {described(callee)}, which cannot be called",
                "call an intent.fn or a name of I",
            )
    no_tensor(cx, callee, "something that can be called")


def _slice_call(cx: Context, given: Sequence[Argument]) -> Val:
    items = [None if isinstance(a.value, Nothing) else a.value for a in given]
    if len(items) == 1:
        return Stretch(None, items[0], None)
    bound = bind(cx, signature_of("slice", "start, stop, step="), list(given))
    return Stretch(items[0], items[1], bound.get("step"))
