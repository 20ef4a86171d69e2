"""Parts of a kernel as functions of their own: what the author has a function or an operation for.

A part is a run of neighbouring statements that compute operations of one name and no others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from intent2cuda.machine.expressions import Call, Lambda, Method, Name
from intent2cuda.machine.origin import Traced
from intent2cuda.machine.statements import (
    Assign,
    Break,
    Declare,
    Evaluate,
    For,
    If,
    Return,
    Scope,
    Source,
    Statement,
    Try,
    While,
)
from intent2cuda.machine.types import CType, IndexT, Named, Scalar
from intent2cuda.machine.unit import Function, FunctionKind, Parameter
from intent2cuda.machine.walk import mentioned, nodes

Body: TypeAlias = tuple[Statement, ...]
Sight: TypeAlias = Mapping[str, CType | Declare | None]
"""What is known of the names in sight: the type of a variable, or the declaration of what is cheaper to declare again
than to hand over; None for what cannot be handed over."""

DENSE = "kDense"


@dataclass(frozen=True)
class Run:
    """Statements `first` to `last` of a body, all of one name."""

    first: int
    last: int
    name: str
    parts: int


def with_routines(
    body: Body, parameters: Sequence[Parameter], names: Mapping[str, str], called: Callable[[str], str]
) -> tuple[Body, tuple[Function, ...]]:
    """The body with calls in place of the parts that became functions, and those functions.

    `names`: for an operation, or a stage that is one call, by its identifier the name of what it belongs to, or an
    empty one; operations that only move elements are not in it. `called`: the name of the function for a name.
    """
    sight = {p.name: p.type for p in parameters}
    counts: Counter[str] = Counter()
    while True:
        outlining = _Outlining(names, called, frozenset(name for name, count in counts.items() if count > 1))
        rest = outlining.body(body, sight)
        counts += Counter(function.name for function in outlining.found)
        if len(outlining.found) == len({function.name for function in outlining.found}):
            return rest, tuple(outlining.found)


def inlined(body: Body, routines: Mapping[str, Function]) -> Body:
    """The body with the statements of routines in place of their calls."""
    return tuple(part for statement in body for part in _without_call(statement, routines))


def _without_call(statement: Statement, routines: Mapping[str, Function]) -> Body:
    match statement:
        case Evaluate(call=Call(function=function)) if function in routines:
            return inlined(routines[function].body, routines)
        case Declare(value=Call(function=function)) if function in routines:
            *before, last = inlined(routines[function].body, routines)
            assert isinstance(last, Return)
            return (*before, replace(statement, value=last.value))
        case For() | While() | Scope() | Try():
            return (replace(statement, body=inlined(statement.body, routines)),)
        case If():
            then_body, else_body = (inlined(side, routines) for side in (statement.then_body, statement.else_body))
            return (replace(statement, then_body=then_body, else_body=else_body),)
        case _:
            return (statement,)


class _Outlining:
    """`several`: names of functions that would be made more than once; what has no place of its own stays in place."""

    def __init__(self, names: Mapping[str, str], called: Callable[[str], str], several: frozenset[str]) -> None:
        self._names = names
        self._called = called
        self._several = several
        self.found: list[Function] = []

    def body(self, body: Body, sight: Sight) -> Body:
        runs = {run.first: run for run in self._runs(body)}
        kept: list[Statement] = []
        place = 0
        while place < len(body):
            run = runs.get(place)
            call = self._outlined(body, run, sight) if run is not None else None
            if run is not None and call is not None:
                kept.append(call)
                sight = _with(sight, call)
                place = run.last + 1
                continue
            statement = body[place]
            kept.append(self._inside(statement, sight))
            sight = _with(sight, statement)
            place += 1
        return tuple(kept)

    def _inside(self, statement: Statement, sight: Sight) -> Statement:
        match statement:
            case For():
                return replace(statement, body=self.body(statement.body, {**sight, statement.variable: IndexT()}))
            case While() | Scope():
                return replace(statement, body=self.body(statement.body, sight))
            case If():
                then_body, else_body = (self.body(side, sight) for side in (statement.then_body, statement.else_body))
                return replace(statement, then_body=then_body, else_body=else_body)
            case _:
                return statement

    def _runs(self, body: Body) -> Iterator[Run]:
        """The longest runs, each from its quote on to the last statement of its name."""
        first = last = quote = -1
        current, parts = "", 0
        for place, statement in enumerate(body):
            name = self._name(statement)
            if name is None:
                quote = place if isinstance(statement, Source) else quote
                continue
            if name != current:
                if current:
                    yield Run(first, last, current, parts)
                first = quote if quote == place - 1 and quote >= 0 else place
                current, parts = name, 0
            last, parts = place, parts + 1
        if current:
            yield Run(first, last, current, parts)

    def _name(self, statement: Statement) -> str | None:
        """What a statement belongs to; an empty name for the kernel itself, None where it computes nothing."""
        origins = [node.origin for node in nodes(statement) if isinstance(node, Traced) and node.origin]
        acting = (node for node in nodes(statement) if isinstance(node, Evaluate | For | Assign) and node.origin)
        stages = (node.origin.stage for node in acting if node.origin)
        found = {self._names[key] for key in (*(op for o in origins for op in o.ops), *stages) if key in self._names}
        return None if not found else found.pop() if len(found) == 1 else ""

    def _outlined(self, body: Body, run: Run, sight: Sight) -> Statement | None:
        """The call of a new function with the statements of a run; None when they are better left where they are."""
        inside = body[run.first : run.last + 1]
        if self._called(run.name) in self._several:
            return None
        several = run.parts > 1 or sum(len(s.lines) for s in nodes(inside) if isinstance(s, Source)) > 1
        loops = any(isinstance(node, For | Lambda) for node in nodes(inside))
        if not (several and loops) or _is_tied(inside, sight):
            return None
        declared = {s.name: s for s in inside if isinstance(s, Declare)}
        results = [declared[name] for name in declared if name in mentioned(body[run.last + 1 :])]
        needed = _needed(mentioned(inside), sight)
        if needed is None or len(results) > 1 or not all(isinstance(r.type, Scalar | IndexT) for r in results):
            return None
        again = tuple(known for name in needed if isinstance(known := sight[name], Declare))
        given = tuple(
            Parameter(known, name)
            for name in needed
            if (known := sight[name]) is not None and not isinstance(known, Declare)
        )
        result = results[0] if results else None
        function = Function(
            kind=FunctionKind.ROUTINE,
            result=result.type if result else Named("void"),
            name=self._called(run.name),
            parameters=given,
            body=(*again, *_returning(inside, result)),
            template=dense_template((*again, *inside)),
        )
        self.found.append(function)
        call = Call(function.name, tuple(Name(p.name) for p in given), (DENSE,) if function.template else ())
        origin = next(s.origin for s in inside if not isinstance(s, Source))
        return replace(result, value=call) if result else Evaluate(call, origin=origin)


def _returning(inside: Body, result: Declare | None) -> Body:
    """The statements with a return of the result at their end."""
    if result is None:
        return inside
    if result is inside[-1]:
        return (*inside[:-1], Return(result.value, origin=result.origin))
    return (*inside, Return(Name(result.name)))


def dense_template(body: Body) -> tuple[str, ...]:
    """The template parameters of a function with this body."""
    dense = any(DENSE in node.template for node in nodes(body) if isinstance(node, Call))
    return (f"bool {DENSE}",) if dense else ()


def _with(sight: Sight, statement: Statement) -> Sight:
    if not isinstance(statement, Declare):
        name = getattr(statement, "name", "")
        return {**sight, name: None} if name else sight
    again = isinstance(statement.value, Method) or statement.type == Named("auto")
    return {**sight, statement.name: statement if again else statement.type}


def _needed(names: frozenset[str], sight: Sight) -> list[str] | None:
    """Those of the names in sight that have to be handed over or declared again, in their order; None if one cannot."""
    found = {name for name in names if name in sight}
    for name in reversed(list(sight)):
        known = sight[name]
        if name in found and isinstance(known, Declare):
            found |= {inner for inner in mentioned(known) if inner in sight}
    if any(sight[name] is None for name in found):
        return None
    return [name for name in sight if name in found]


def _is_tied(inside: Body, sight: Sight) -> bool:
    """Whether statements leave a loop around them, change a variable of it, or share out work among a team."""
    for node in nodes(inside):
        if isinstance(node, Assign) and isinstance(node.target, Name) and node.target.text in sight:
            return True
        if isinstance(node, For) and any("omp for" in p or "parallel" in p for p in node.pragmas):
            return True
        if isinstance(node, Scope):
            return True
    return _leaves(inside)


def _leaves(body: Body) -> bool:
    return any(
        isinstance(statement, Break)
        or (isinstance(statement, If) and _leaves((*statement.then_body, *statement.else_body)))
        for statement in body
    )
