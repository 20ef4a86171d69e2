"""Names that a body assigns at run time: branches that a constant excludes do not count."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import libcst as cst

from intent2cuda.parse.context import Binding, Context, RefusedError
from intent2cuda.parse.exits import Statements, block_of
from intent2cuda.parse.values import EnumMember, EnumType, Literal, Package, Val
from intent2cuda.parse.walk import name_counts, nodes

Evaluate = Callable[[Context, cst.BaseExpression], Val]


def assigned_at_run_time(cx: Context, body: Statements, evaluate: Evaluate) -> list[str]:
    """The assigned names in the order of the text."""
    every = cx.assignments.of(body)
    return list(dict.fromkeys(name for node in body for name in _names(cx, node, every, evaluate)))


def _names(cx: Context, node: cst.CSTNode, every: dict[str, cst.CSTNode], evaluate: Evaluate) -> Iterator[str]:
    assigned = cx.assignments.of
    match node:
        case _ if not cx.assignments.has_branch(node):
            yield from assigned([node])
        case cst.If():
            chosen = _truth(cx, node.test, every, evaluate)
            for side, taken in (
                (block_of(node.body), chosen is not False),
                (block_of(node.orelse), chosen is not True),
            ):
                for inner in side if taken else ():
                    yield from _names(cx, inner, every, evaluate)
        case cst.For() | cst.While():
            yield from assigned([node.target]) if isinstance(node, cst.For) else ()
            inside = assigned([node.body])
            yield from (n for n in assigned([node]) if n not in inside)
            for inner in block_of(node.body):
                yield from _names(cx, inner, every, evaluate)
        case _:
            yield from assigned([node])


def _truth(cx: Context, test: cst.BaseExpression, every: dict[str, cst.CSTNode], evaluate: Evaluate) -> bool | None:
    """The value of a condition that only compile-time names decide, or None."""
    for name in name_counts([test]):
        found = cx.scope.get(name)
        if name in every or (isinstance(found, Binding) and not isinstance(found.value, Literal | EnumMember)):
            return None
        known = cx.globals.lookup(cx.frame.module, name) if found is None else None
        if found is None and name not in ("True", "False") and not isinstance(known, Literal | EnumType | Package):
            return None
    if any(isinstance(node, cst.Call | cst.Subscript) for node in nodes([test])):
        return None
    try:
        value = evaluate(cx, test)
    except RefusedError:
        return None
    return bool(value.value) if isinstance(value, Literal) else None
