"""The laws that an author declares by choosing an operation, as equations between terms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import TypeAlias

from intent2cuda.ir.op import Op, Region
from intent2cuda.ir.ops import ReduceBy, RegionFold, RegionScan, ScanBy

Declared: TypeAlias = ReduceBy | ScanBy | RegionFold | RegionScan
"""An operation whose algebra the author's helpers make."""


@dataclass(frozen=True)
class Given:
    """A drawn product by name: members or summaries x, y, z; adjacent slices a, b; a state s; the identity."""

    name: str


@dataclass(frozen=True)
class Call:
    """A helper's result. `role`: which of the operation's regions."""

    role: str
    arguments: tuple[Term, ...]


@dataclass(frozen=True)
class Joined:
    """Two adjacent slices, or what is emitted for them, as one."""

    lhs: Term
    rhs: Term


Term: TypeAlias = Given | Call | Joined


@dataclass(frozen=True)
class Law:
    """Both sides are equal for all inputs."""

    name: str
    lhs: Term
    rhs: Term

    @property
    def inputs(self) -> tuple[str, ...]:
        """The names of what is given, sorted."""
        return tuple(sorted(_given(self.lhs) | _given(self.rhs)))

    @property
    def parts(self) -> int:
        """How many slices, members or summaries it speaks of."""
        return sum(name in ("a", "b", "x", "y", "z") for name in self.inputs)

    @property
    def roles(self) -> frozenset[str]:
        return _roles(self.lhs) | _roles(self.rhs)

    def text(self, names: Mapping[str, str]) -> str:
        """The equation with helpers and identity under their `names`."""
        return f"{_text(self.lhs, names)} = {_text(self.rhs, names)}"


IDENTITY = "identity"

X, Y, Z, A, B, S = (Given(name) for name in "xyzabs")
NEUTRAL = Given(IDENTITY)


def _combined(lhs: Term, rhs: Term) -> Term:
    return Call("combine", (lhs, rhs))


def _applied(summary: Term, state: Term) -> Term:
    return Call("apply", (summary, state))


def _summary(part: Term) -> Term:
    return Call("summarize", (part,))


def _emitted(part: Term, state: Term) -> Term:
    return Call("emit", (part, state))


MONOID = (
    Law("the identity is neutral on the left", _combined(NEUTRAL, X), X),
    Law("the identity is neutral on the right", _combined(X, NEUTRAL), X),
    Law("any grouping", _combined(_combined(X, Y), Z), _combined(X, _combined(Y, Z))),
)
COMMUTATIVE = (Law("any order", _combined(X, Y), _combined(Y, X)),)
SUMMARY = (Law("any cut", _summary(Joined(A, B)), _combined(_summary(A), _summary(B))),)
ACTION = (
    Law("the identity changes no state", _applied(NEUTRAL, S), S),
    Law("states follow one another", _applied(_combined(X, Y), S), _applied(Y, _applied(X, S))),
    Law(
        "any cut of the emission",
        _emitted(Joined(A, B), S),
        Joined(_emitted(A, S), _emitted(B, _applied(_summary(A), S))),
    ),
)


def laws_of(op: Declared) -> tuple[Law, ...]:
    match op:
        case ReduceBy():
            return MONOID + COMMUTATIVE
        case ScanBy():
            return MONOID
        case RegionFold():
            return SUMMARY + MONOID
        case RegionScan():
            return SUMMARY + MONOID + ACTION


def region_of(op: Declared, role: str) -> Region:
    """The region that has a role in the operation."""
    return getattr(op, role)


def regions_by_role(op: Op) -> Iterator[tuple[str, Region]]:
    """The regions of any op, each with the name of its field."""
    for field in fields(op):
        if isinstance(region := getattr(op, field.name), Region):
            yield field.name, region


def _given(term: Term) -> frozenset[str]:
    match term:
        case Given():
            return frozenset((term.name,))
        case Call():
            return frozenset[str]().union(*(_given(argument) for argument in term.arguments))
        case Joined():
            return _given(term.lhs) | _given(term.rhs)


def _roles(term: Term) -> frozenset[str]:
    match term:
        case Given():
            return frozenset()
        case Call():
            return frozenset((term.role,)).union(*(_roles(argument) for argument in term.arguments))
        case Joined():
            return _roles(term.lhs) | _roles(term.rhs)


def _text(term: Term, names: Mapping[str, str]) -> str:
    match term:
        case Given():
            return names.get(term.name, term.name)
        case Call():
            return f"{names.get(term.role, term.role)}({', '.join(_text(a, names) for a in term.arguments)})"
        case Joined():
            return f"{_text(term.lhs, names)} ++ {_text(term.rhs, names)}"
