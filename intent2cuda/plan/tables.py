"""Elements of integer tables in expressions, and proofs about expressions that hold some."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from intent2cuda.analysis.expressions import inner_atoms, of_atom, operation, rebuild
from intent2cuda.analysis.limits import Bounds
from intent2cuda.analysis.ranges import Facts
from intent2cuda.analysis.structure import Structure
from intent2cuda.base.intexpr import Atom, IntExpr, Operation, Symbol, maximum, minimum

AT = "at"
"""The kind of an operation that stands for an element of a table: its sides are the table and the position."""

HIDDEN = 1 << 62
"""A serial that no value has."""


def element(table: Symbol, position: IntExpr) -> IntExpr:
    """The element of a table at a position."""
    return of_atom(Operation(AT, of_atom(table), position))


def elements(expression: IntExpr) -> Iterator[Operation]:
    """The elements of tables that an expression mentions."""
    return (atom for atom in inner_atoms(expression) if isinstance(atom, Operation) and atom.kind == AT)


def rebuilt(atom: Operation, lhs: IntExpr, rhs: IntExpr) -> IntExpr:
    """The operation with other sides."""
    return of_atom(Operation(AT, lhs, rhs)) if atom.kind == AT else operation(atom.kind, lhs, rhs)


@dataclass(frozen=True)
class Given:
    """What holds everywhere in a kernel. `positive`: expressions that are at least 1 wherever something runs."""

    structure: Structure
    positive: tuple[IntExpr, ...] = ()

    @cached_property
    def everywhere(self) -> Proofs:
        """What holds wherever something runs."""
        return self.proofs({}, ())

    def proofs(self, bounds: Mapping[Symbol, Bounds], positive: Iterable[IntExpr]) -> Proofs:
        """Proofs where symbols have these bounds and more expressions are at least 1."""
        return Proofs(self.structure, bounds, (*self.positive, *positive))


class Proofs:
    """What is known of the sizes of expressions; elements of tables are numbers of which nothing is known."""

    def __init__(self, found: Structure, given: Mapping[Symbol, Bounds], positive: Iterable[IntExpr]) -> None:
        bounds = {s: Bounds(tuple(map(_hidden, b.lower)), tuple(map(_hidden, b.upper))) for s, b in given.items()}
        self._facts = Facts(found, bounds, map(_hidden, positive))
        self._tidy: dict[Operation, IntExpr] = {}

    def nonneg(self, expression: IntExpr) -> bool:
        """Whether the expression is proved to be at least 0."""
        return self._facts.nonneg(_hidden(expression))

    def uppers(self, expression: IntExpr) -> tuple[IntExpr, ...]:
        """What the expression is at most, by what is known of loops and coordinates."""
        return self._facts.extremes(_hidden(expression)).upper

    def tidy(self, expression: IntExpr) -> IntExpr:
        """An equal expression without minima and maxima that are proved to be one of their sides."""

        def change(atom: Atom) -> IntExpr:
            if isinstance(atom, Symbol):
                return of_atom(atom)
            if atom not in self._tidy:
                lhs, rhs = rebuild(atom.lhs, change), rebuild(atom.rhs, change)
                choose = {"min": self.smaller, "max": self.larger}.get(atom.kind)
                self._tidy[atom] = rebuilt(atom, lhs, rhs) if choose is None else choose(lhs, rhs)
            return self._tidy[atom]

        return rebuild(expression, change)

    def larger(self, one: IntExpr, other: IntExpr) -> IntExpr:
        """The maximum; one of the two where that is proved."""
        return one if self.nonneg(one - other) else other if self.nonneg(other - one) else maximum(one, other)

    def smaller(self, one: IntExpr, other: IntExpr) -> IntExpr:
        return one if self.nonneg(other - one) else other if self.nonneg(one - other) else minimum(one, other)


def _hidden(expression: IntExpr) -> IntExpr:
    """The expression with a symbol in the place of each element of a table."""

    def change(atom: Atom) -> IntExpr:
        if isinstance(atom, Symbol):
            return of_atom(atom)
        if atom.kind == AT:
            return IntExpr.symbol(f"{atom.lhs}[{atom.rhs}]", HIDDEN)
        return rebuilt(atom, rebuild(atom.lhs, change), rebuild(atom.rhs, change))

    return rebuild(expression, change) if any(elements(expression)) else expression
