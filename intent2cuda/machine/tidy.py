"""Clean-ups of a function body that need no plan: what is unused goes, what is one variable becomes one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import TypeAlias, TypeVar

from intent2cuda.machine.expressions import Binary, Call, Expression, Lambda, Name, Unary
from intent2cuda.machine.origin import of_ops, of_stage
from intent2cuda.machine.statements import (
    Array,
    Assign,
    Break,
    Declare,
    Evaluate,
    For,
    If,
    Scope,
    Source,
    Statement,
    While,
)
from intent2cuda.machine.types import CType, Named
from intent2cuda.machine.walk import mentioned, names_in, nodes, rebuild, rename

Body: TypeAlias = tuple[Statement, ...]
T = TypeVar("T")

_COMPOUND = ("+", "-", "*")
ACTING = ("intent::atomic_", "intent::block_once")
"""How the functions begin whose calls change memory, or order it, and give a value."""


def tidy(body: Body, versions: Mapping[str, str]) -> Body:
    """The body with every rule applied until none changes anything.

    `versions`: variables that hold another version of an author's variable, and its name; an empty one for variables
    that the compiler added.
    """
    while True:
        changed = in_every_body(_without_unused(body), partial(_in_place, versions))
        changed = in_every_body(changed, partial(_built_in_place, versions, _types(changed)))
        changed = in_every_body(
            in_every_body(changed, partial(_one_variable, versions)), partial(_started_as, versions)
        )
        changed = in_every_body(in_every_body(changed, _leave_first), partial(_asked_once, versions))
        changed = rebuild(in_every_body(changed, _one_condition), _unnamed_parameters)
        changed = rebuild(changed, _compound)
        if changed == body:
            return rebuild(body, partial(_of_pragmas, mentioned(body) - names_in(body)))
        body = changed


def _of_pragmas(names: frozenset[str], node: T) -> T:
    """Says so of a variable that only clauses of pragmas name: a compiler without OpenMP does not read them."""
    if not isinstance(node, Declare) or node.name not in names or node.maybe_unused:
        return node
    return replace(node, maybe_unused=True, note="; ".join(filter(None, (node.note, "read by OpenMP alone"))))


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
    """Drops variables that nothing reads, and what is assigned to them; values that do something are kept for that."""
    declared = {node.name for node in nodes(body) if isinstance(node, Declare | Array)}
    unread = declared - mentioned(rebuild(body, _value_only))

    def kept(statement: Statement) -> Body:
        match statement:
            case Assign(target=Name(text=name)) | Declare(name=name) | Array(name=name) if name in unread:
                value = None if isinstance(statement, Array) else statement.value
                return (Evaluate(value, origin=statement.origin),) if value and _acts(value) else ()
            case _:
                return (statement,)

    return in_every_body(body, lambda statements: tuple(part for s in statements for part in kept(s)))


def _acts(value: Expression) -> bool:
    """Whether evaluating it does more than give a value."""
    return any(isinstance(node, Call) and node.function.startswith(ACTING) for node in nodes(value))


def _value_only(node: T) -> T | Evaluate:
    """An assignment to a variable as what it reads."""
    return Evaluate(node.value) if isinstance(node, Assign) and isinstance(node.target, Name) else node


def _in_place(versions: Mapping[str, str], body: Body) -> Body:
    """`T x_next = e; ...; x = x_next;` is `x = e; ...` where nothing in between needs the old x beside the new one."""
    for end, last in enumerate(body):
        if not (isinstance(last, Assign) and isinstance(last.target, Name) and isinstance(last.value, Name)):
            continue
        old, new = last.target.text, last.value.text
        start = _declaration(body[:end], new)
        if start is None or not _is_version(versions, old, new) or last.operator != "=":
            continue
        declared = body[start]
        assert isinstance(declared, Declare)
        first = () if declared.value is None else (Assign(Name(new), declared.value, origin=declared.origin),)
        between, after = (*first, *body[start + 1 : end]), body[end + 1 :]
        if new not in mentioned(after) and _old_dies(between, old, new, False) is not None:
            return (*body[:start], *_without_idle(rename(between, {new: old})), *after)
    return body


def _types(body: Body) -> Mapping[str, CType]:
    """The types of variables; of those that several blocks declare only where they agree."""
    declared = [(node.name, node.type) for node in nodes(body) if isinstance(node, Declare)]
    return {name: kind for name, kind in declared if all(other == kind for same, other in declared if same == name)}


def _built_in_place(versions: Mapping[str, str], types: Mapping[str, CType], body: Body) -> Body:
    """`const T x_next = e; ...; x = f(x_next);` is `x = e; ...; x = f(x);` where nothing in between needs the old x."""
    for end, last in enumerate(body):
        if not (isinstance(last, Assign) and isinstance(last.target, Name) and last.operator == "="):
            continue
        old = last.target.text
        for start, first in enumerate(body[:end]):
            if not (isinstance(first, Declare) and first.value is not None and first.type == types.get(old)):
                continue
            new, between = first.name, (*body[start:end], Evaluate(last.value))
            is_needed = (
                new not in names_in(last.value)
                or old in mentioned(between)
                or new in mentioned(body[end + 1 :])
                or any(isinstance(node, Break) for node in nodes(between))  # the loop may be left with the old x
            )
            if not is_needed and _is_version(versions, old, new):
                built = (Assign(Name(new), first.value, origin=first.origin), *body[start + 1 : end + 1])
                return (*body[:start], *rename(built, {new: old}), *body[end + 1 :])
    return body


def _one_condition(body: Body) -> Body:
    """Neighbours that the same thread does are one condition; quotes between them go inside."""
    kept: list[Statement] = []
    for statement in body:
        quoted = len(kept) > 1 and isinstance(kept[-1], Source)
        before = kept[-2] if quoted else kept[-1] if kept else None
        if isinstance(statement, If) and isinstance(before, If) and _chooses_a_thread(statement, before):
            quote = (kept.pop(),) if quoted else ()
            kept[-1] = replace(before, then_body=(*_owned(before), *quote, *_owned(statement)))
        else:
            kept.append(statement)
    return tuple(kept)


def _owned(statement: If) -> Body:
    """What stands under a condition, each as a part of the stage that the condition is for."""
    stage = statement.origin.stage if statement.origin else ""
    return tuple(of_stage(part, stage) for part in statement.then_body)


def _chooses_a_thread(one: If, other: If) -> bool:
    same = one.condition == other.condition and not one.else_body and not other.else_body
    return same and names_in(one.condition) <= {"threadIdx", "blockIdx"}


def _leave_first(body: Body) -> Body:
    """`if (!c) { ... } if (c) { break; }` is `if (c) { break; } ...`."""
    for place, (one, other) in enumerate(pairwise(body)):
        if not (isinstance(one, If) and isinstance(other, If) and isinstance(other.condition, Name)):
            continue
        opposite = one.condition == Unary("!", other.condition) and not one.else_body and not other.else_body
        if opposite and other.then_body == (Break(),):
            return (*body[:place], other, *one.then_body, *body[place + 2 :])
    return body


def _asked_once(versions: Mapping[str, str], body: Body) -> Body:
    """A condition without an author's name that only the next statement asks for stands in that statement."""
    for place, (one, other) in enumerate(pairwise(body)):
        if not (isinstance(one, Declare) and isinstance(other, If) and one.value is not None and one.const):
            continue
        is_added = versions.get(one.name) == ""
        once = sum(node == Name(one.name) for node in nodes(body)) == 1 and one.name in names_in(other.condition)
        if is_added and once:
            asked = _with_value(other.condition, one.name, one.value)
            return (*body[:place], replace(other, condition=asked), *body[place + 2 :])
    return body


def without_detours(body: Body, versions: Mapping[str, str], routines: Collection[str]) -> Body:
    """The body, where a value without an author's name that only the next statement stores is written there.

    `routines`: functions that have been taken out of it; a call of one stays a statement of its own.
    """
    return in_every_body(body, partial(_stored_at_once, versions, routines))


def _stored_at_once(versions: Mapping[str, str], routines: Collection[str], body: Body) -> Body:
    kept: list[Statement] = []
    for other in body:
        one = kept[-1] if kept else None
        if isinstance(one, Declare) and isinstance(other, Assign) and one.value is not None and one.const:
            called = one.value.function if isinstance(one.value, Call) else ""
            is_moved = (
                called not in routines
                and other.value == Name(one.name)
                and other.operator == "="
                and not isinstance(other.target, Name)
            )
            if is_moved and versions.get(one.name) == "" and sum(node == Name(one.name) for node in nodes(body)) == 1:
                computed = one.origin.ops if one.origin else ()
                kept[-1] = of_ops(replace(other, value=one.value), computed)
                continue
        kept.append(other)
    return tuple(kept)


def _with_value(condition: Expression, name: str, value: Expression) -> Expression:
    return rebuild(condition, lambda node: value if node == Name(name) else node)


def _started_as(versions: Mapping[str, str], body: Body) -> Body:
    """`const T x = e; T x_so_far = x;` is `T x = e;` where the second is a version of the first, which has no other."""
    for place, later in enumerate(body):
        if not isinstance(later, Declare) or later.const or not isinstance(later.value, Name):
            continue
        first = later.value.text
        start = _declaration(body[:place], first)
        if start is None or first == later.name or not _is_version(versions, first, later.name):
            continue
        declared = body[start]
        assert isinstance(declared, Declare)
        if first in mentioned(body[start + 1 : place]) or first in mentioned(body[place + 1 :]):
            continue
        rest = (*body[start + 1 : place], *rename(body[place + 1 :], {later.name: first}))
        return (*body[:start], replace(declared, const=False), *rest)
    return body


def _is_version(versions: Mapping[str, str], one: str, other: str) -> bool:
    """Whether two variables hold versions of one variable of the author."""
    author = versions.get(one, one)
    return bool(author) and author == versions.get(other, other)


def _old_dies(body: Body, old: str, new: str, assigned: bool) -> bool | None:
    """Whether the new value is there after these statements; None when the old one is needed beside it."""
    for statement in body:
        match statement:
            case Assign(target=Name(text=target), value=Name(text=value)) if (target, value) == (new, old):
                pass  # the two are equal from here on
            case Assign(target=Name(text=target)) if target == new:
                if assigned and old in mentioned((statement,)):
                    return None
                assigned = True
            case If() if not assigned or old not in mentioned(statement.condition):
                sides = [_old_dies(side, old, new, assigned) for side in (statement.then_body, statement.else_body)]
                if None in sides:
                    return None
                assigned = assigned or any(sides)
            case _:
                names = mentioned(statement)
                if old in names and (assigned or new in names):
                    return None
    return assigned


def _without_idle(body: Body) -> Body:
    """Without `x = x`, and without conditions that guard nothing."""

    def rule(statements: Body) -> Body:
        kept = [s for s in statements if not (isinstance(s, Assign) and s.target == s.value)]
        return tuple(_right_side_up(s) if isinstance(s, If) else s for s in kept if not _is_empty(s))

    return in_every_body(body, rule)


def _is_empty(statement: Statement) -> bool:
    return isinstance(statement, If) and not statement.then_body and not statement.else_body


def _right_side_up(statement: If) -> If:
    if statement.then_body:
        return statement
    return replace(statement, condition=Unary("!", statement.condition), then_body=statement.else_body, else_body=())


@dataclass(frozen=True)
class _Version:
    """A variable that holds versions of an author's one: where it is declared, and the name of the latest version."""

    variable: str
    place: int
    latest: str


def _one_variable(versions: Mapping[str, str], body: Body) -> Body:
    """Versions of a variable (`h`, `h_next`) are one that is assigned, where nothing needs the old value later."""
    authors = [author for s in body if isinstance(s, Declare) and (author := versions.get(s.name, s.name))]
    if len(set(authors)) == len(authors):
        return body
    last_use = {name: place for place, statement in enumerate(body) for name in mentioned(statement)}
    latest: dict[str, _Version] = {}
    renamed: dict[str, str] = {}
    kept: list[Statement] = []
    for place, original in enumerate(body):
        statement = rename(original, renamed) if renamed else original
        kept.append(statement)
        if not isinstance(statement, Declare) or statement.value is None or not statement.const:
            continue
        author = versions.get(statement.name, statement.name)
        if not author:
            continue
        before = latest.get(author)
        first = kept[before.place] if before is not None else None
        if (
            before is None
            or not isinstance(first, Declare)
            or first.type != statement.type
            or statement.type == Named("auto")  # each stands for a type of its own
            or last_use.get(before.latest, 0) > place
        ):
            latest[author] = _Version(statement.name, len(kept) - 1, statement.name)
        else:
            kept[before.place] = replace(first, const=False)
            kept[-1] = Assign(Name(before.variable), statement.value, origin=statement.origin)
            renamed[statement.name] = before.variable
            latest[author] = replace(before, latest=statement.name)
    return tuple(kept)


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
    computed = value.origin.ops if value.origin else ()
    return of_ops(replace(node, value=value.rhs, operator=f"{value.operator}="), computed)
