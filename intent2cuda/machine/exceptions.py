"""Parallel regions that no exception leaves, for OpenMP ends the program where one does.

Memory that each thread keeps through a region is taken before it, for all of them:

    const auto y_row_scratch = intent::team_scratch<float, YRow>(N);
    #pragma omp parallel
    {
        float* const y_row = y_row_scratch.own();

What takes memory in the loop that the threads share is caught there and thrown again behind the region.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias

from intent2cuda.base.diagnostics import InternalError
from intent2cuda.machine.expressions import Call, Lambda, Method, Name
from intent2cuda.machine.names import RESERVED, derived, first_free
from intent2cuda.machine.runtime import TAKE_MEMORY
from intent2cuda.machine.statements import Array, Declare, Evaluate, For, Scope, Source, Statement, Try
from intent2cuda.machine.tidy import in_every_body
from intent2cuda.machine.types import Named
from intent2cuda.machine.unit import Function
from intent2cuda.machine.walk import mentioned, names_in, nodes

Body: TypeAlias = tuple[Statement, ...]


def contained(functions: Sequence[Function]) -> tuple[Function, ...]:
    """The functions with no region that an exception leaves; each of them calls only those before it."""
    taking = set(TAKE_MEMORY)
    done: list[Function] = []
    for function in functions:
        if _takes_memory(function.body, taking):
            taking.add(function.name)
        names = {p.name for p in function.parameters} | set(_names(function.body))
        done.append(replace(function, body=_Containing(names, frozenset(taking)).body(function.body)))
    return tuple(done)


class _Containing:
    def __init__(self, names: set[str], taking: frozenset[str]) -> None:
        self._names = names
        self._taking = taking

    def body(self, body: Body) -> Body:
        return in_every_body(body, self._list)

    def _list(self, body: Body) -> Body:
        found: list[Statement] = []
        for statement in body:
            before, region = self._statement(statement)
            behind_quote = len(found) - bool(found and isinstance(found[-1], Source))
            found[behind_quote:behind_quote] = before
            found += region
        return tuple(found)

    def _statement(self, statement: Statement) -> tuple[Body, Body]:
        """What a region needs before it, and the region; any other statement as it is."""
        match statement:
            case For() if any(pragma.startswith("omp parallel") for pragma in statement.pragmas):
                return self._around((), statement, (statement,))
            case Scope() if statement.pragma.startswith("omp parallel"):
                taken = [self._scratch(part, statement.body) for part in statement.body]
                before = tuple(declaration for declaration, _ in taken if declaration is not None)
                inside = tuple(part for _, part in taken)
                return self._around(before, replace(statement, body=inside), inside)
            case _:
                return (), (statement,)

    def _around(self, before: Body, region: For | Scope, inside: Body) -> tuple[Body, Body]:
        """Exceptions in the loops that the region shares out are kept until it has ended."""
        if not any(isinstance(s, For) and _takes_memory(s.body, self._taking) for s in inside):
            return before, (region,)
        keeper = self._free("caught")
        guarded = tuple(_guarded(s, keeper) if isinstance(s, For) else s for s in inside)
        caught = Declare(Named("intent::Caught"), keeper, None, const=False, note="no exception may leave the region")
        whole = replace(region, body=guarded) if isinstance(region, Scope) else guarded[0]
        return (*before, caught), (whole, Evaluate(Method(Name(keeper), "rethrow", ())))

    def _scratch(self, statement: Statement, region: Body) -> tuple[Declare | None, Statement]:
        """The declaration of the memory of all threads, where the statement declares that of each."""
        if not isinstance(statement, Declare) or not isinstance(statement.value, Call):
            return None, statement
        call = statement.value
        if call.function != "intent::thread_scratch":
            return None, statement
        if names_in(call) & {s.name for s in region if isinstance(s, Declare | Array)}:
            raise InternalError(f"the size of {statement.name} is not known before the region")
        name = self._free(derived(statement.name, "scratch"))
        team = replace(call, function="intent::team_scratch")
        before = replace(statement, type=Named("auto"), name=name, value=team, const=True)
        return before, replace(statement, value=Method(Name(name), "own", ()), note="")

    def _free(self, name: str) -> str:
        found = first_free((name,), lambda candidate: candidate in self._names or candidate in RESERVED)
        self._names.add(found)
        return found


def _guarded(loop: For, keeper: str) -> For:
    """The loop with its body in a try block, inside all loops that are shared out together."""
    together = re.search(r"collapse\((\d+)\)", " ".join(loop.pragmas))
    return _inside(loop, int(together[1]) if together else 1, keeper)


def _inside(loop: For, depth: int, keeper: str) -> For:
    if depth == 1:
        return replace(loop, body=(Try(loop.body, Name(keeper)),))
    (inner,) = loop.body
    assert isinstance(inner, For)
    return replace(loop, body=(_inside(inner, depth - 1, keeper),))


def _takes_memory(body: Body, taking: Iterable[str]) -> bool:
    return any(isinstance(node, Call) and node.function in taking for node in nodes(body))


def _names(body: Body) -> Iterator[str]:
    yield from mentioned(body)
    for node in nodes(body):
        match node:
            case Declare() | Array():
                yield node.name
            case For():
                yield node.variable
            case Lambda():
                yield from (name for _, name in node.parameters)
            case _:
                pass
