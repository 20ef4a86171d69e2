"""Visiting and changing machine programs: the children of a node are found from its fields."""

from __future__ import annotations

import functools
import operator
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar, cast, get_args

from intent2cuda.machine.expressions import Call, Expression, Name
from intent2cuda.machine.statements import For, Scope, Statement

T = TypeVar("T")

_STATEMENTS: tuple[type, ...] = get_args(Statement)


@functools.cache
def field_names(kind: type) -> tuple[str, ...] | None:
    """The fields of a kind of node, without where it comes from; None for what is no node."""
    return tuple(f.name for f in fields(kind) if f.compare) if is_dataclass(kind) else None


def nodes(item: Any) -> Iterator[Any]:
    """The node and everything inside it, each before its parts."""
    waiting: list[object] = [item]
    while waiting:
        node = waiting.pop()
        if isinstance(node, tuple):
            waiting.extend(reversed(cast(tuple[object, ...], node)))
        elif (names := field_names(type(node))) is not None:
            yield node
            waiting.extend(getattr(node, name) for name in reversed(names))


def own_parts(part: object) -> Iterator[Any]:
    """A node and what is inside it, without the statements that it holds."""
    waiting: list[object] = [part]
    while waiting:
        item = waiting.pop()
        if isinstance(item, tuple):
            waiting.extend(reversed(cast(tuple[object, ...], item)))
        elif (item is part or not isinstance(item, _STATEMENTS)) and (names := field_names(type(item))) is not None:
            yield item
            waiting.extend(getattr(item, name) for name in reversed(names))


def names_in(item: Expression | Statement | tuple[Statement, ...]) -> frozenset[str]:
    """The names that are read, written or called in it; declared names are not among them."""
    parts = tuple(nodes(item))
    called = (node.function for node in parts if isinstance(node, Call) and node.function.isidentifier())
    return frozenset(node.text for node in parts if isinstance(node, Name)).union(called)


def mentioned(item: Expression | Statement | tuple[Statement, ...]) -> frozenset[str]:
    """The names in expressions and in the clauses of pragmas."""
    clauses = (text for node in nodes(item) for text in (*getattr(node, "pragmas", ()), getattr(node, "pragma", "")))
    return names_in(item).union(word for text in clauses for word in re.findall(r"\w+", text))


def rebuild(item: T, change: Callable[[Any], Any]) -> T:
    """The node with its parts rebuilt first, then itself passed through `change`."""
    if isinstance(item, tuple):
        parts = cast(tuple[Any, ...], item)
        rebuilt = tuple(rebuild(part, change) for part in parts)
        return cast(T, parts if all(map(operator.is_, rebuilt, parts)) else rebuilt)
    changed: dict[str, Any] = {}
    names = field_names(type(item))
    if names is None:
        return item
    for name in names:
        part = getattr(item, name)
        new = rebuild(part, change)
        if new is not part:
            changed[name] = new
    return change(replace(cast(Any, item), **changed) if changed else item)


def rename(item: T, names: Mapping[str, str]) -> T:
    """The same with uses of names replaced, in clauses of pragmas too; declarations keep theirs."""

    def clause(text: str) -> str:
        return re.sub(r"\w+", lambda word: names.get(word[0], word[0]), text)

    def change(node: Any) -> Any:
        match node:
            case Name() if node.text in names:
                return Name(names[node.text])
            case For() if any(clause(p) != p for p in node.pragmas):
                return replace(node, pragmas=tuple(map(clause, node.pragmas)))
            case Scope() if clause(node.pragma) != node.pragma:
                return replace(node, pragma=clause(node.pragma))
            case _:
                return node

    return rebuild(item, change)
