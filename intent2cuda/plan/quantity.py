"""Numbers that plans state: exact ones, and those of which only the reason is known why they are not."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from intent2cuda.base.intexpr import IntExpr, Symbol


class Basis(Enum):
    """Which members a number counts."""

    ACTIVE = "active"  # those that no mask leaves out
    ALL = "all"  # also those that a mask leaves out, where it depends on data or has no closed form


@dataclass(frozen=True)
class Exact:
    """A whole number for every call: an expression of extents, scalars and data symbols of the call."""

    expression: IntExpr
    basis: Basis = Basis.ACTIVE


@dataclass(frozen=True)
class Unknown:
    """No expression gives the number. It is never more than `upper`, where that is known."""

    reason: str
    upper: IntExpr | None = None


@dataclass(frozen=True)
class UpperBound:
    """At most so much, of what `meaning` says. It is no demand: only what replaces it is.

    `formula` and `operations` say where it comes from.
    """

    expression: IntExpr
    meaning: str
    formula: str
    operations: tuple[str, ...]

    def __str__(self) -> str:
        return f"at most {self.expression}"


@dataclass(frozen=True)
class DataSymbol:
    """A number that data decides: `table[last] - table[first]`, from 0 to `upper` where that is known."""

    name: str
    table: str
    first: IntExpr
    last: IntExpr
    upper: IntExpr | None

    @property
    def symbol(self) -> Symbol:
        return Symbol(self.name)


Quantity: TypeAlias = Exact | Unknown

NOTHING = Exact(IntExpr.of(0))


def add(one: Quantity, other: Quantity) -> Quantity:
    if isinstance(one, Exact) and isinstance(other, Exact):
        return Exact(one.expression + other.expression, _basis(one, other))
    first, second = greatest(one), greatest(other)
    return Unknown(_reason(one, other), None if first is None or second is None else first + second)


def times(one: Quantity, factor: IntExpr | int) -> Quantity:
    """So many times the number; the factor is not negative."""
    match one:
        case Exact():
            return Exact(one.expression * factor, one.basis)
        case Unknown():
            return Unknown(one.reason, None if one.upper is None else one.upper * factor)


def greatest(one: Quantity) -> IntExpr | None:
    """What the number is at most."""
    return one.expression if isinstance(one, Exact) else one.upper


def _basis(one: Exact, other: Exact) -> Basis:
    return Basis.ACTIVE if one.basis is other.basis is Basis.ACTIVE else Basis.ALL


def _reason(one: Quantity, other: Quantity) -> str:
    reasons = (side.reason for side in (one, other) if isinstance(side, Unknown))
    return next(reasons)
