"""What every machine program satisfies before it is printed: names, and barriers that all threads reach."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, cast

from intent2cuda.machine.expressions import Call, Lambda, Name
from intent2cuda.machine.statements import Array, Barrier, Declare, For, If, Scope, Statement, While
from intent2cuda.machine.unit import Function, FunctionKind, KernelUnit
from intent2cuda.machine.walk import mentioned, names_in

_BUILTIN = frozenset(("threadIdx", "blockIdx", "blockDim", "gridDim", "true", "false"))
_OF_ONE_THREAD = "threadIdx"


@dataclass(frozen=True)
class Report:
    """`findings` are sentences; none means that the unit holds."""

    findings: tuple[str, ...]

    @property
    def holds(self) -> bool:
        return not self.findings


def verify(unit: KernelUnit) -> Report:
    """Every name is declared before it is used, once in sight, and used; barriers and block-wide calls are uniform."""
    around = _BUILTIN.union(
        (c.name for c in unit.constants), (f.name for f in unit.functions if f.kind is FunctionKind.KERNEL)
    )
    findings: list[str] = []
    for function in unit.functions:
        parameters = [p.name for p in function.parameters]
        found = [*_body(function.body, around.union(parameters)), *_uniform(function.body, True)]
        if function.kind is FunctionKind.KERNEL:
            found += _unused_parameters(function)
        findings += (f"{function.name}: {finding}" for finding in found)
    return Report(tuple(findings))


def _unused_parameters(function: Function) -> Iterator[str]:
    used = mentioned(function.body)
    return (f"the parameter {p.name} is not used" for p in function.parameters if p.name not in used)


def _body(body: tuple[Statement, ...], seen: frozenset[str]) -> Iterator[str]:
    """Findings about names in a list of statements; `seen` are the names in sight."""
    later = _mentioned_later(body)
    for place, statement in enumerate(body):
        match statement:
            case For():
                yield from _uses((statement.begin, statement.step), seen)
                yield from _new_names((statement.variable,), seen)
                yield from _uses(statement.end, seen | {statement.variable})
                yield from _body(statement.body, seen | {statement.variable})
            case While():
                yield from _uses(statement.condition, seen)
                yield from _body(statement.body, seen)
            case If():
                yield from _uses(statement.condition, seen)
                yield from _body(statement.then_body, seen)
                yield from _body(statement.else_body, seen)
            case Scope():
                yield from _body(statement.body, seen)
            case Declare() | Array():
                yield from _uses(statement, seen)
                yield from _new_names((statement.name,), seen)
                if statement.name not in later[place]:
                    yield f"{statement.name} is declared and not used"
                seen |= {statement.name}
            case _:
                yield from _uses(statement, seen)


def _mentioned_later(body: tuple[Statement, ...]) -> list[frozenset[str]]:
    """For each statement the names that the ones after it mention."""
    found: list[frozenset[str]] = [frozenset()]
    for statement in reversed(body[1:]):
        found.append(found[-1] | mentioned((statement,)))
    return found[::-1]


def _new_names(names: tuple[str, ...], seen: frozenset[str]) -> Iterator[str]:
    return (f"{name} hides another variable" for name in names if name in seen)


def _uses(item: Any, seen: frozenset[str]) -> Iterator[str]:
    """Findings about the names in expressions."""
    if isinstance(item, tuple):
        for part in cast(tuple[object, ...], item):
            yield from _uses(part, seen)
    elif isinstance(item, Lambda):
        parameters = tuple(name for _, name in item.parameters if name)
        yield from _new_names(parameters, seen)
        yield from _body(item.body, seen.union(parameters))
    elif isinstance(item, Name):
        if "::" not in item.text and item.text.split("<")[0] not in seen:
            yield f"{item.text} is used and not declared"
    elif is_dataclass(item) and not isinstance(item, type):
        for field in fields(item):
            yield from _uses(getattr(item, field.name), seen)


def _uniform(body: tuple[Statement, ...], all_threads: bool) -> Iterator[str]:
    """Findings about what all threads of a block have to reach together."""
    for statement in body:
        match statement:
            case Barrier():
                if not all_threads:
                    yield f"not every thread reaches the barrier `{statement.reason}`"
            case For():
                shared = _OF_ONE_THREAD in names_in(statement.begin)
                yield from _uniform(statement.body, all_threads and not shared)
            case If():
                mine = _OF_ONE_THREAD in names_in(statement.condition)
                yield from _uniform((*statement.then_body, *statement.else_body), all_threads and not mine)
            case While() | Scope():
                yield from _uniform(statement.body, all_threads)
            case _:
                if not all_threads:
                    yield from _collective_calls(statement)


def _collective_calls(item: Any) -> Iterator[str]:
    if isinstance(item, Call) and item.function.startswith("intent::block_"):
        yield f"not every thread reaches the call of {item.function}"
    if isinstance(item, tuple):
        for part in cast(tuple[object, ...], item):
            yield from _collective_calls(part)
    elif is_dataclass(item) and not isinstance(item, type):
        for field in fields(item):
            yield from _collective_calls(getattr(item, field.name))
