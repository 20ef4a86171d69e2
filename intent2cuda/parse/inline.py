"""Helpers are read at each call, with the arguments as their parameters."""

from __future__ import annotations

from collections.abc import Mapping

import libcst as cst

from intent2cuda.ir.value import Value
from intent2cuda.parse.bind import Argument, Signature, bind
from intent2cuda.parse.context import Binding, Context, Frame, RefusedError
from intent2cuda.parse.exits import RESULT, RETURNED, Statements, block_of, flag
from intent2cuda.parse.signature import repeated_parameter
from intent2cuda.parse.sizes import MAX_CALLS
from intent2cuda.parse.source import identifier
from intent2cuda.parse.values import POISON, Function, Literal, Val, Void


def call_helper(cx: Context, function: Function, given: list[Argument]) -> Val:
    """The value of a helper's call. Its statements become part of the caller, with their own places."""
    return read_helper(cx, function, bind(cx, helper_signature(cx, function), given)).value


def read_helper(cx: Context, function: Function, bound: Mapping[str, Val]) -> Binding:
    """What the body of a helper returns for values of its parameters, with the statement that returned it."""
    assert function.node is not None
    cx.calls += 1
    if cx.calls > MAX_CALLS:
        cx.refuse(
            "src.limit.calls",
            f"the kernel has more than {MAX_CALLS} calls of helpers, those in helpers counted at each call",
            "write a loop",
        )
    frame = Frame(function, function.node)
    for name, value in bound.items():
        if isinstance(value, Value) and name != "_":
            cx.emitter.christen(value, name)
        frame.scope[name] = Binding(value)
    before = cx.node, cx.emitter.statement, cx.emitter.place
    cx.frames.append(frame)
    try:
        cx.run(cx, body_of(function.node))
    finally:
        cx.frames.pop()
        cx.node, cx.emitter.statement, cx.emitter.place = before
    return _result(cx, frame)


def _result(cx: Context, frame: Frame) -> Binding:
    found = frame.scope.get(RESULT)
    returned = flag(frame.scope, RETURNED)
    name = frame.function.name
    if found is None:
        return Binding(Void(name))
    if not isinstance(found, Binding) or found.value is POISON:
        raise RefusedError
    if returned != Literal(True):
        cx.refuse(
            "src.fn.missing_return", f"`{name}` returns a value on some paths only", "end every path with a return"
        )
    return found


def body_of(node: cst.FunctionDef) -> Statements:
    """The statements of a function without its docstring."""
    statements = block_of(node.body)
    match list(statements[:1]):
        case [cst.SimpleStatementLine(body=[cst.Expr(value=cst.SimpleString() | cst.ConcatenatedString()), *rest])]:
            return [*rest, *statements[1:]]
        case [cst.Expr(value=cst.SimpleString() | cst.ConcatenatedString())]:
            return statements[1:]
        case _:
            return statements


def helper_signature(cx: Context, function: Function) -> Signature:
    """The parameters of a helper. Refuses what helpers do not have, and a helper that is being read already."""
    node = function.node
    assert node is not None
    if any(frame.node is node for frame in cx.frames):
        names = list(dict.fromkeys(f.function.name for f in cx.frames if f.function.kind == "fn"))
        cx.refuse(
            "src.fn.recursion",
            f"helpers call one another without end: {' -> '.join([*names, function.name])}",
            "write a loop: helpers are not recursive",
        )
    if node.asynchronous is not None:
        cx.refuse(
            "src.python.async",
            f"`{function.name}` is async",
            "write a plain def",
            function.module.span(node.name, node),
        )
    parameters = node.params
    for star in (parameters.star_arg, parameters.star_kwarg):
        if isinstance(star, cst.Param):
            cx.refuse(
                "src.fn.variadic",
                f"the helper `{function.name}` takes any number of arguments: `{star.name.value}`",
                "name every parameter",
                function.module.span(star, node),
            )
    every = [*parameters.posonly_params, *parameters.params, *parameters.kwonly_params]
    for parameter in every:
        if parameter.default is not None:
            cx.refuse(
                "src.fn.default",
                f"the parameter `{parameter.name.value}` of `{function.name}` has a default",
                "pass the value at each call",
                function.module.span(parameter, node),
            )
    for k, parameter in enumerate(every):
        name = identifier(parameter.name.value)
        if any(name == identifier(other.name.value) for other in every[:k]):
            fault = repeated_parameter(name)
            cx.refuse(fault.code, str(fault), fault.help, function.module.span(parameter, node))
    names = [identifier(p.name.value) for p in (*parameters.posonly_params, *parameters.params)]
    keyword_only = [identifier(p.name.value) for p in parameters.kwonly_params]
    return Signature(function.name, tuple(names), tuple(keyword_only))
