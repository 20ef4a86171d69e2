"""Clean-ups of a function body that need no knowledge of the plan: what is unused goes, what is one variable becomes one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias, TypeVar

from intent2cuda.machine.expressions import Binary, Lambda, Name
from intent2cuda.machine.statements import Array, Assign, Declare, For, If, Scope, Statement, While
from intent2cuda.machine.walk import mentioned, rebuild, rename

Body: TypeAlias = tuple[Statement, ...]
T = TypeVar("T")

_COMPOUND = ("+", "-", "*")


def tidy(body: Body) -> Body:
    """The body with every rule applied until none changes anything."""
    while True:
        changed = in_every_body(_without_unused(body), _in_place)
        changed = rebuild(in_every_body(changed, _one_variable), _unnamed_parameters)
        changed = rebuild(changed, _compound)
        if changed == body:
            return body
        body = changed


def in_every_body(body: Body, rule: Callable[[Body], Body]) -> Body:
    """The rule applied to each list of statements, inner ones first."""

    def change(node: T) -> T:
        match node:
            case For() | While() | Scope() | Lambda():
                return replace(node, body=rule(node.body))
            case If():
                return replace(node, then_body=rule(node.then_body), else_body=rule(node.else_body))
            case _:
                return node

    return rule(rebuild(body, change))


def _without_unused(body: Body) -> Body:
    """Drops variables that nothing mentions; their values have no effects."""
    used = mentioned(body)

    def keep(statement: Statement) -> bool:
        return not isinstance(statement, Declare | Array) or statement.name in used

    return in_every_body(body, lambda statements: tuple(s for s in statements if keep(s)))


def _in_place(body: Body) -> Body:
    """`const T x_next = e; ...; x = x_next;` is `x = e; ...` where nothing in between needs the old x."""
    for end, last in enumerate(body):
        if not (isinstance(last, Assign) and isinstance(last.target, Name) and isinstance(last.value, Name)):
            continue
        old, new = last.target.text, last.value.text
        start = _declaration(body[:end], new)
        if start is None or not new.startswith(f"{old}_") or last.operator != "=":
            continue
        between, after = body[start + 1 : end], body[end + 1 :]
        declared = body[start]
        assert isinstance(declared, Declare) and declared.value is not None
        if old in mentioned(between) or new in mentioned(after):
            continue
        return (*body[:start], Assign(Name(old), declared.value), *rename(between, new, old), *after)
    return body


def _one_variable(body: Body) -> Body:
    """A variable and its next version (`h`, `h_next`) are one that is assigned, where the old value is not needed later."""
    for place, later in enumerate(body):
        if not isinstance(later, Declare) or later.value is None or not later.name.endswith("_next"):
            continue
        old = later.name.removesuffix("_next")
        start = _declaration(body[:place], old)
        if start is None or old in mentioned(body[place + 1 :]) or not later.const:
            continue
        first = body[start]
        assert isinstance(first, Declare)
        if first.type != later.type or first.value is None:
            continue
        merged = Assign(Name(old), later.value)
        head = (*body[:start], replace(first, const=False), *body[start + 1 : place])
        return (*head, merged, *rename(body[place + 1 :], later.name, old))
    return body


def _declaration(statements: Sequence[Statement], name: str) -> int | None:
    """Where a variable is declared in these statements (not inside them)."""
    found = (i for i, s in enumerate(statements) if isinstance(s, Declare) and s.name == name)
    return next(found, None)


def _unnamed_parameters(node: T) -> T:
    """Parameters of a lambda that its body does not mention have no name."""
    if not isinstance(node, Lambda):
        return node
    used = mentioned(node.body)
    return replace(node, parameters=tuple((kind, name if name in used else "") for kind, name in node.parameters))


def _compound(node: T) -> T:
    """`x = x + e` is `x += e`."""
    if not isinstance(node, Assign) or node.operator != "=" or not isinstance(node.value, Binary):
        return node
    value = node.value
    if value.lhs != node.target or value.operator not in _COMPOUND:
        return node
    return replace(node, value=value.rhs, operator=f"{value.operator}=")
