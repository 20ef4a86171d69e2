"""The state of reading one kernel: findings, the functions being read, the ops made."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NoReturn

import libcst as cst

from intent2cuda.base.diagnostics import Diagnostic, Findings
from intent2cuda.base.intexpr import IntExpr, Symbol
from intent2cuda.base.span import Span
from intent2cuda.ir.value import Value
from intent2cuda.parse.beginnings import Beginnings
from intent2cuda.parse.emitter import Emitter
from intent2cuda.parse.module_scope import Globals
from intent2cuda.parse.source import Module
from intent2cuda.parse.values import POISON, Function, Ragged, Val
from intent2cuda.parse.walk import Assignments, name_counts


class RefusedError(Exception):
    """An expression cannot be read, and that has been reported."""


@dataclass(frozen=True)
class Binding:
    """The value of a name and the statement that gave it."""

    value: Val
    span: Span | None = None


@dataclass(frozen=True)
class Maybe:
    """A name that only some paths define. `reason` completes "`x` is not defined on every path: ..."."""

    reason: str
    span: Span | None = None
    code: str = "src.name.maybe_undefined"
    help: str = "give it a value before, or in both branches"


Scope = dict[str, Binding | Maybe]


@dataclass(eq=False)
class Loop:
    """A loop being read. `carries` are the names that keep a value from round to round."""

    kind: str
    carries: frozenset[str] = frozenset()
    may_break: bool = False


@dataclass(eq=False)
class Frame:
    """A function being read: a kernel, or a helper at one of its calls.

    `following` counts the blocks around, up to the loop or the function, in which statements follow.
    """

    function: Function
    node: cst.FunctionDef
    scope: Scope = field(default_factory=Scope)
    loops: list[Loop] = field(default_factory=list[Loop])
    counts: dict[str, int] | None = None
    assigned: frozenset[str] | None = None
    following: int = 0

    @property
    def module(self) -> Module:
        return self.function.module


class Context:
    """Everything that reading an expression or statement needs."""

    def __init__(
        self,
        globals_: Globals,
        run: Callable[[Context, Sequence[cst.BaseStatement | cst.BaseSmallStatement]], None],
    ) -> None:
        self.globals = globals_
        self.run = run
        self.findings = Findings()
        self.emitter = Emitter()
        self.assignments = Assignments()
        self.beginnings = Beginnings()
        self.frames: list[Frame] = []
        self.node: cst.CSTNode | None = None
        self.coordinates: dict[Value, Value] = {}
        self.stops: dict[Value, IntExpr] = {}
        self.groups: dict[Value, Ragged] = {}
        self.written_extents: frozenset[IntExpr] = frozenset()
        self.extent_places: dict[str, str] = {}
        self.signature_extents: frozenset[IntExpr] = frozenset()
        self.slice_extents: set[Symbol] = set()
        self.calls = 0

    @property
    def frame(self) -> Frame:
        return self.frames[-1]

    @property
    def scope(self) -> Scope:
        return self.frames[-1].scope

    def span(self, node: cst.CSTNode | None = None) -> Span | None:
        """The place of a node of the function being read; without one, of the expression being read."""
        found = self.node if node is None else node
        return self.frame.module.span(found, self.frame.node) if found is not None else None

    def error(self, code: str, message: str, help: str, at: cst.CSTNode | Span | None = None) -> None:
        span = at if isinstance(at, Span) else self.span(at)
        self.findings.add(Diagnostic(code, message, span, help))

    def refuse(self, code: str, message: str, help: str, at: cst.CSTNode | Span | None = None) -> NoReturn:
        """Reports an error and gives the expression up."""
        self.error(code, message, help, at)
        raise RefusedError

    def read(self, name: str) -> Val | None:
        """The value of a local name. Raises RefusedError when only some paths define it, or its making was refused."""
        found = self.scope.get(name)
        if isinstance(found, Maybe):
            self.refuse(found.code, f"`{name}` is not defined on every path: {found.reason}", found.help)
        if found is None:
            return None
        if found.value is POISON:
            raise RefusedError
        return found.value

    def uses(self, name: str) -> int:
        """How often the name stands in the function being read."""
        return self.counts().get(name, 0)

    def counts(self) -> dict[str, int]:
        if self.frame.counts is None:
            self.frame.counts = name_counts([self.frame.node])
        return self.frame.counts

    def assigned_names(self) -> frozenset[str]:
        """Every name that the function being read assigns somewhere."""
        if self.frame.assigned is None:
            self.frame.assigned = frozenset(self.assignments.of([self.frame.node.body]))
        return self.frame.assigned

    def is_carried(self, name: str) -> bool:
        """Whether a loop around keeps the name from round to round."""
        return any(name in loop.carries for loop in self.frame.loops)

    def extent_place(self, name: str) -> str:
        """Where a name of the signature's shapes can be read, as in `x.shape[0]`; empty for other names."""
        return self.extent_places.get(name, "")

    def bind(self, name: str, value: Val, span: Span | None = None) -> None:
        self.scope[name] = Binding(value, self.emitter.statement if span is None else span)


def near(name: str, known: Iterable[str]) -> str:
    """The known name that was probably meant, or an empty text."""
    found = difflib.get_close_matches(name, [k for k in known if k != name], 1, 0.7)
    return found[0] if found else ""
