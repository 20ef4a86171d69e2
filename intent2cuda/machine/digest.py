"""The digest of a machine program. Comments, names of variables and places in the source take no part in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, cast

from intent2cuda.base.codec import Plain, canonical, digest
from intent2cuda.machine.expressions import Call, Lambda, Name
from intent2cuda.machine.statements import Array, Declare, For, If, Remark, Scope, Source, Statement, Try, While
from intent2cuda.machine.unit import Function, KernelUnit
from intent2cuda.machine.walk import field_names

SCHEMA = "intent2cuda.machine"

_SHOWN_ONLY = ("note", "reason", "comment", "sentence", "doc", "source", "line", "plan_line")
"""Fields that only readers see; a variable is known by its number."""


def machine_digest(unit: KernelUnit) -> str:
    """The digest of all that the program does and needs, and of its interface."""
    names = {tag: f"%tag{number}" for number, tag in enumerate(unit.tags)}
    names |= {constant.name: f"%constant{number}" for number, constant in enumerate(unit.constants)}
    names |= {function.name: f"%function{number}" for number, function in enumerate(unit.functions)}
    record: list[Plain] = [unit.target, list(unit.headers), list(unit.system)]
    record += [_plain(part, names) for part in (unit.interface, unit.constants, unit.assertions)]
    record += [_function(function, names) for function in unit.functions]
    return digest(SCHEMA, canonical(record))


def _function(function: Function, around: Mapping[str, str]) -> Plain:
    names = _with(around, (parameter.name for parameter in function.parameters))
    head = [function.kind.value, list(function.template), [_named(bound, names) for bound in function.launch_bounds]]
    types = [_plain(parameter.type, names) for parameter in function.parameters]
    return [*head, _plain(function.result, names), types, _body(function.body, names)]


def _body(statements: tuple[Statement, ...], around: Mapping[str, str]) -> Plain:
    names, found = around, list[Plain]()
    for statement in statements:
        if isinstance(statement, Source | Remark):
            continue
        if isinstance(statement, Declare | Array):
            names = _with(names, (statement.name,))
        found.append(_statement(statement, names))
    return found


def _statement(statement: Statement, names: Mapping[str, str]) -> Plain:
    match statement:
        case For():
            inside = _with(names, (statement.variable,))
            heads = [_plain(part, inside) for part in (statement.begin, statement.end, statement.step, statement.type)]
            return ["For", *heads, [_clauses(p, names) for p in statement.pragmas], _body(statement.body, inside)]
        case While():
            return ["While", _plain(statement.condition, names), _body(statement.body, names)]
        case Scope():
            return ["Scope", _clauses(statement.pragma, names), _body(statement.body, names)]
        case Try():
            return ["Try", _plain(statement.keeper, names), _body(statement.body, names)]
        case If():
            sides = [_body(side, names) for side in (statement.then_body, statement.else_body)]
            return ["If", _plain(statement.condition, names), *sides]
        case _:
            return _fields(statement, names)


def _plain(item: Any, names: Mapping[str, str]) -> Plain:
    shown = field_names(cast(object, item).__class__)
    match item:
        case None | bool() | int() | str():
            return item
        case float():
            return item.hex()
        case Name():
            return _named(item.text, names)
        case Call():
            bound = [_named(a, names) if isinstance(a, str) else _plain(a, names) for a in item.template]
            return ["Call", _named(item.function, names), bound, _plain(item.args, names)]
        case Lambda():
            inside = _with(names, (name for _, name in item.parameters if name))
            kinds = [_plain(kind, names) for kind, _ in item.parameters]
            return ["Lambda", item.by_reference, kinds, _body(item.body, inside)]
        case tuple():
            return [_plain(part, names) for part in cast(tuple[Any, ...], item)]
        case _ if shown is not None:
            return _fields(cast(object, item), names)
        case _:
            return str(item)


def _fields(item: object, names: Mapping[str, str]) -> Plain:
    kind = type(item)
    left_out = (*_SHOWN_ONLY, "name") if isinstance(item, Declare | Array) else _SHOWN_ONLY
    shown = (name for name in field_names(kind) or () if name not in left_out)
    return [kind.__name__, *(_plain(getattr(item, name), names) for name in shown)]


def _with(around: Mapping[str, str], declared: Iterable[str]) -> Mapping[str, str]:
    """The names in sight: a variable is the number of those around it."""
    names = dict(around)
    for name in declared:
        names[name] = f"%{len(names)}"
    return names


def _named(text: str, names: Mapping[str, str]) -> str:
    """The number of a variable or function for its name; an instance of a template keeps what it is an instance for."""
    name, bracket, rest = text.partition("<")
    return names.get(name, name) + bracket + rest


def _clauses(pragma: str, names: Mapping[str, str]) -> str:
    """A pragma with numbers for the names in its condition."""
    head, clause, condition = pragma.partition(" if (")
    return head + clause + re.sub(r"[A-Za-z_]\w*", lambda word: names.get(word[0], word[0]), condition)
