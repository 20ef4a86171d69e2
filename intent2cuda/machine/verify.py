"""What every machine program satisfies before it is printed: names, dialect, barriers that all threads reach, and that
it does what the plan says, no more and no less. Nothing is printed without the report.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias, cast

from intent2cuda.base.diagnostics import Diagnostic, InternalError
from intent2cuda.base.report import Assurance, Report, report, require
from intent2cuda.machine.dialects import foreign
from intent2cuda.machine.digest import machine_digest
from intent2cuda.machine.expressions import Call, Lambda, Name
from intent2cuda.machine.promise import Promise, broken_promises
from intent2cuda.machine.routines import inlined
from intent2cuda.machine.statements import Array, Barrier, Declare, For, If, Scope, Statement, Try, While
from intent2cuda.machine.unit import Function, FunctionKind, KernelUnit
from intent2cuda.machine.walk import field_names, mentioned, names_in, nodes

_BUILTIN = frozenset(("threadIdx", "blockIdx", "blockDim", "gridDim", "true", "false"))
_OF_ONE_THREAD = "threadIdx"


@dataclass(frozen=True)
class Verified:
    """A program that holds, with the report that says so and the digest of what was looked at.

    Raises: InternalError when the report has findings or is about another program.
    """

    unit: KernelUnit
    report: Report
    digest: str

    def __post_init__(self) -> None:
        require(self.report)
        if self.digest != machine_digest(self.unit):
            raise InternalError(f"[machine.unverified] {self.unit.interface.name}: the report is about another program")


def verified(unit: KernelUnit, promise: Promise) -> Verified:
    """The program, ready to be printed.

    Raises: InternalError with everything that is wrong with it.
    """
    return Verified(unit, verify(unit, promise), machine_digest(unit))


def verify(unit: KernelUnit, promise: Promise) -> Report:
    """What does not hold of a program of which a plan promised something."""
    return report(Assurance.CONSERVATION, (*structure_findings(unit), *broken_promises(unit, promise)))


def structure_findings(unit: KernelUnit) -> Iterator[Diagnostic]:
    """What is wrong with a program by itself: every name is declared before it is used, once in sight, and used;
    barriers and block-wide calls are reached by all threads; the entries are there; nothing is of another target.
    """
    yield from _entries(unit)
    around = _BUILTIN.union(
        (c.name for c in unit.constants), (f.name for f in unit.functions if f.kind is FunctionKind.KERNEL)
    )
    routines = {f.name: f for f in unit.functions if f.kind is FunctionKind.ROUTINE}
    for function in unit.functions:
        parameters = [p.name for p in function.parameters]
        whole = inlined(function.body, routines)
        found = [*_body(function.body, around.union(parameters)), *_uniform(whole, True)]
        found += _calls(function, routines)
        if not function.kind.is_public:
            found += _unused_parameters(function)
        yield from (Diagnostic(code, message, subject=function.name) for code, message in found)
        for name in dict.fromkeys(foreign(function, unit.target)):
            message = f"{name} is no part of a program for {unit.target}"
            yield Diagnostic("machine.foreign_dialect", message, subject=function.name)


def _entries(unit: KernelUnit) -> Iterator[Diagnostic]:
    """A program has one kernel and one launcher, each name once, and says what it is compiled and called by."""
    name = unit.interface.name
    kinds = Counter(function.kind for function in unit.functions)
    for kind in (FunctionKind.KERNEL, FunctionKind.LAUNCHER):
        if not kinds[kind]:
            yield Diagnostic("machine.empty", f"there is no {kind.value}", subject=name)
        if kinds[kind] > 1:
            yield Diagnostic("machine.duplicate_section", f"there are {kinds[kind]} {kind.value}s", subject=name)
    for entry, count in Counter(function.name for function in unit.functions).items():
        if count > 1:
            yield Diagnostic("machine.duplicate_entry", f"{entry} is the name of {count} functions", subject=name)
    for symbol in unit.symbols:
        if not symbol.isidentifier():
            yield Diagnostic("machine.symbol", f"{symbol} is no name in C++", subject=name)
    if not unit.abi:
        yield Diagnostic("machine.abi", "it does not say by what it is compiled and called", subject=name)
    for function in unit.functions:
        if function.kind is FunctionKind.LAUNCHER and (function.launch_bounds or function.template):
            yield Diagnostic("machine.abi", "a launcher is a plain function", subject=function.name)


Found: TypeAlias = tuple[str, str]
"""A code and a sentence."""


def _unused_parameters(function: Function) -> Iterator[Found]:
    used = mentioned(function.body)
    unused = (p.name for p in function.parameters if p.name not in used)
    return (("machine.reference.unused", f"the parameter {name} is not used") for name in unused)


def _calls(function: Function, routines: Mapping[str, Function]) -> Iterator[Found]:
    """A routine is called in one place, as a statement, with the variables that its parameters are named after."""
    calls = [node for node in nodes(function.body) if isinstance(node, Call) and node.function in routines]
    for call in calls:
        if call.args != tuple(Name(p.name) for p in routines[call.function].parameters):
            yield "machine.symbol", f"{call.function} is given other variables than those it names"
    if function.kind is FunctionKind.KERNEL:
        left = Counter(node.function for node in nodes(inlined(function.body, routines)) if isinstance(node, Call))
        counts = Counter(call.function for call in calls)
        for name in routines:
            if counts[name] != 1 or left[name]:
                yield "machine.duplicate_entry", f"the routine {name} is not called once, as a statement"


def _body(body: tuple[Statement, ...], seen: frozenset[str]) -> Iterator[Found]:
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
            case Try():
                yield from _uses(statement.keeper, seen)
                yield from _body(statement.body, seen)
            case Declare() | Array():
                yield from _uses(statement, seen)
                yield from _new_names((statement.name,), seen)
                if statement.name not in later[place]:
                    yield "machine.reference.unused", f"{statement.name} is declared and not used"
                seen |= {statement.name}
            case _:
                yield from _uses(statement, seen)


def _mentioned_later(body: tuple[Statement, ...]) -> list[frozenset[str]]:
    """For each statement the names that the ones after it mention."""
    found: list[frozenset[str]] = [frozenset()]
    for statement in reversed(body[1:]):
        found.append(found[-1] | mentioned((statement,)))
    return found[::-1]


def _new_names(names: tuple[str, ...], seen: frozenset[str]) -> Iterator[Found]:
    return (("machine.symbol", f"{name} hides another variable") for name in names if name in seen)


def _uses(item: object, seen: frozenset[str]) -> Iterator[Found]:
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
            yield "machine.reference.unknown", f"{item.text} is used and not declared"
    else:
        for name in field_names(type(item)) or ():
            yield from _uses(getattr(item, name), seen)


def _uniform(body: tuple[Statement, ...], all_threads: bool) -> Iterator[Found]:
    """Findings about what all threads of a block have to reach together."""
    for statement in body:
        match statement:
            case Barrier():
                if not all_threads:
                    yield "machine.legality", f"not every thread reaches the barrier `{statement.reason}`"
            case For():
                shared = _OF_ONE_THREAD in names_in(statement.begin)
                yield from _uniform(statement.body, all_threads and not shared)
            case If():
                mine = _OF_ONE_THREAD in names_in(statement.condition)
                yield from _uniform((*statement.then_body, *statement.else_body), all_threads and not mine)
            case While() | Scope() | Try():
                yield from _uniform(statement.body, all_threads)
            case _:
                if not all_threads:
                    yield from _collective_calls(statement)


def _collective_calls(item: object) -> Iterator[Found]:
    if isinstance(item, Call) and item.function.startswith("intent::block_"):
        yield "machine.legality", f"not every thread reaches the call of {item.function}"
    if isinstance(item, tuple):
        for part in cast(tuple[object, ...], item):
            yield from _collective_calls(part)
    else:
        for name in field_names(type(item)) or ():
            yield from _collective_calls(getattr(item, name))
