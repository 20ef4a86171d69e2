"""Symbolic integer expressions in a normal form, so that equal ones compare equal.

An expression is a polynomial with integer coefficients over atoms; an atom is a symbol or an operation that a
polynomial
cannot hold (floor and ceiling division, remainder, minimum, maximum). `begin + 4 - begin` is therefore `4`, and `M*N`
is `N*M`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TypeAlias

from intent2cuda.base.integers import ceil_div, floor_div, floor_mod


@dataclass(frozen=True, order=True)
class Symbol:
    """A named integer: an extent of the signature (`serial` 0) or the value of an SSA scalar (`serial` of that
    value)."""

    name: str
    serial: int = 0


@dataclass(frozen=True)
class Operation:
    """`floordiv`, `ceildiv`, `mod`, `min` or `max` of two expressions."""

    kind: str
    lhs: IntExpr
    rhs: IntExpr

    @cached_property
    def text(self) -> str:
        return f"{self.kind}({self.lhs}, {self.rhs})"

    @cached_property
    def _hash(self) -> int:
        return hash((self.kind, self.lhs, self.rhs))

    def __hash__(self) -> int:
        return self._hash


Atom: TypeAlias = Symbol | Operation
Monomial: TypeAlias = tuple[Atom, ...]
IntLike: TypeAlias = "IntExpr | int"

_FOLD: Mapping[str, Callable[[int, int], int]] = {
    "floordiv": floor_div,
    "ceildiv": ceil_div,
    "mod": floor_mod,
    "min": min,
    "max": max,
}


@dataclass(frozen=True)
class IntExpr:
    """A sum of `coefficient * product of atoms`; the terms are sorted and no coefficient is zero."""

    terms: tuple[tuple[Monomial, int], ...]

    @cached_property
    def _hash(self) -> int:
        return hash(self.terms)

    def __hash__(self) -> int:
        return self._hash

    @staticmethod
    def of(value: IntLike) -> IntExpr:
        if isinstance(value, IntExpr):
            return value
        return IntExpr((((), value),) if value else ())

    @staticmethod
    def symbol(name: str, serial: int = 0) -> IntExpr:
        return IntExpr((((Symbol(name, serial),), 1),))

    @property
    def constant(self) -> int | None:
        """The value when no symbol is left, else None."""
        if not self.terms:
            return 0
        if len(self.terms) == 1 and self.terms[0][0] == ():
            return self.terms[0][1]
        return None

    @property
    def as_symbol(self) -> Symbol | None:
        """The symbol when the expression is nothing else."""
        if len(self.terms) == 1 and self.terms[0][1] == 1 and len(self.terms[0][0]) == 1:
            atom = self.terms[0][0][0]
            return atom if isinstance(atom, Symbol) else None
        return None

    @property
    def as_operation(self) -> Operation | None:
        """The operation when the expression is nothing else."""
        if len(self.terms) == 1 and self.terms[0][1] == 1 and len(self.terms[0][0]) == 1:
            atom = self.terms[0][0][0]
            return atom if isinstance(atom, Operation) else None
        return None

    def __add__(self, other: IntLike) -> IntExpr:
        terms = IntExpr.of(other).terms
        return _collect([*self.terms, *terms]) if self.terms and terms else IntExpr(self.terms or terms)

    def __sub__(self, other: IntLike) -> IntExpr:
        return self + IntExpr.of(other) * -1

    def __mul__(self, other: IntLike) -> IntExpr:
        number = other if isinstance(other, int) else other.constant
        if number is not None:
            return IntExpr(tuple((monomial, c * number) for monomial, c in self.terms) if number else ())
        return _collect(
            (tuple(sorted((*a, *b), key=_atom_key)), m * n) for a, m in self.terms for b, n in IntExpr.of(other).terms
        )

    def __radd__(self, other: int) -> IntExpr:
        return self + other

    def __rsub__(self, other: int) -> IntExpr:
        return IntExpr.of(other) - self

    def __rmul__(self, other: int) -> IntExpr:
        return self * other

    def __neg__(self) -> IntExpr:
        return self * -1

    def __floordiv__(self, other: IntLike) -> IntExpr:
        return _operation("floordiv", self, IntExpr.of(other))

    def __mod__(self, other: IntLike) -> IntExpr:
        return _operation("mod", self, IntExpr.of(other))

    def __str__(self) -> str:
        if not self.terms:
            return "0"
        text = ""
        for monomial, coefficient in self.terms:
            sign = ("-" if coefficient < 0 else "") if not text else (" - " if coefficient < 0 else " + ")
            factors = [str_of_atom(atom) for atom in monomial]
            if abs(coefficient) != 1 or not factors:
                factors.insert(0, str(abs(coefficient)))
            text += sign + "*".join(factors)
        return text


NAMELESS = IntExpr(())
"""Where an expression could stand that says something in other names, and none is known: a zero needs none."""


def minimum(lhs: IntLike, rhs: IntLike) -> IntExpr:
    return _operation("min", IntExpr.of(lhs), IntExpr.of(rhs))


def maximum(lhs: IntLike, rhs: IntLike) -> IntExpr:
    return _operation("max", IntExpr.of(lhs), IntExpr.of(rhs))


def ceiling(lhs: IntLike, rhs: IntLike) -> IntExpr:
    """The quotient rounded up."""
    return _operation("ceildiv", IntExpr.of(lhs), IntExpr.of(rhs))


def symbols(expression: IntExpr) -> Iterator[Symbol]:
    """Every symbol of an expression, in order of first appearance, with repeats."""
    for monomial, _ in expression.terms:
        for atom in monomial:
            match atom:
                case Symbol():
                    yield atom
                case Operation():
                    yield from symbols(atom.lhs)
                    yield from symbols(atom.rhs)


def evaluate(expression: IntExpr, values: Mapping[Symbol, int]) -> int:
    """The value for given symbols. Raises KeyError for a missing one, ZeroDivisionError as the division would."""
    total = 0
    for monomial, coefficient in expression.terms:
        product = coefficient
        for atom in monomial:
            match atom:
                case Symbol():
                    product *= values[atom]
                case Operation():
                    product *= _FOLD[atom.kind](evaluate(atom.lhs, values), evaluate(atom.rhs, values))
        total += product
    return total


def substitute(expression: IntExpr, values: Mapping[Symbol, IntExpr]) -> IntExpr:
    """The expression with some symbols replaced."""
    result = IntExpr(())
    for monomial, coefficient in expression.terms:
        product = IntExpr.of(coefficient)
        for atom in monomial:
            match atom:
                case Symbol():
                    product = product * values.get(atom, IntExpr((((atom,), 1),)))
                case Operation():
                    product = product * _operation(
                        atom.kind, substitute(atom.lhs, values), substitute(atom.rhs, values)
                    )
        result = result + product
    return result


def with_atom(expression: IntExpr, old: Atom, new: Symbol) -> IntExpr:
    """The expression with a symbol in the place of an operation, wherever that stands."""

    def replaced(atom: Atom) -> Atom:
        if atom == old:
            return new
        if isinstance(atom, Symbol):
            return atom
        return Operation(atom.kind, with_atom(atom.lhs, old, new), with_atom(atom.rhs, old, new))

    terms = ((tuple(map(replaced, monomial)), c) for monomial, c in expression.terms)
    return _collect((tuple(sorted(monomial, key=_atom_key)), c) for monomial, c in terms)


def renamed(expression: IntExpr, names: Mapping[Symbol, Symbol]) -> IntExpr:
    """The expression with symbols under other names; different ones stay different."""
    known: dict[Operation, IntExpr] = {}

    def whole(inner: IntExpr) -> IntExpr:
        return _collect(one(monomial, coefficient) for monomial, coefficient in inner.terms)

    def one(monomial: Monomial, coefficient: int) -> tuple[Monomial, int]:
        atoms: list[Atom] = []
        for atom in monomial:
            if isinstance(atom, Symbol):
                atoms.append(names.get(atom, atom))
                continue
            if atom not in known:
                known[atom] = _operation(atom.kind, whole(atom.lhs), whole(atom.rhs))
            atoms += known[atom].terms[0][0]
        return tuple(sorted(atoms, key=_atom_key)), coefficient

    return whole(expression)


def str_of_atom(atom: Atom) -> str:
    match atom:
        case Symbol():
            return atom.name if not atom.serial else f"{atom.name}%{atom.serial}"
        case Operation():
            return atom.text


def _operation(kind: str, lhs: IntExpr, rhs: IntExpr) -> IntExpr:
    a, b = lhs.constant, rhs.constant
    if a is not None and b is not None and not (b == 0 and kind in ("floordiv", "ceildiv", "mod")):
        return IntExpr.of(_FOLD[kind](a, b))
    if kind in ("min", "max"):
        if lhs == rhs:
            return lhs
        if _absorbs(kind, lhs, rhs):
            return lhs
        if _absorbs(kind, rhs, lhs):
            return rhs
        lhs, rhs = sorted((lhs, rhs), key=str)
    if b == 1:
        return lhs if kind in ("floordiv", "ceildiv") else IntExpr(()) if kind == "mod" else _atom(kind, lhs, rhs)
    if b and kind in ("floordiv", "ceildiv", "mod") and all(c % b == 0 for _, c in lhs.terms):
        return IntExpr(()) if kind == "mod" else IntExpr(tuple((m, c // b) for m, c in lhs.terms))
    return _atom(kind, lhs, rhs)


def _absorbs(kind: str, one: IntExpr, other: IntExpr) -> bool:
    """Whether `max(one, other)` is `one` since the other is `min(one, ...)`, or the other way round."""
    inner, opposite = other.as_operation, "min" if kind == "max" else "max"
    return inner is not None and inner.kind == opposite and one in (inner.lhs, inner.rhs)


def _atom(kind: str, lhs: IntExpr, rhs: IntExpr) -> IntExpr:
    return IntExpr((((Operation(kind, lhs, rhs),), 1),))


def _collect(terms: Iterable[tuple[Monomial, int]]) -> IntExpr:
    totals: dict[Monomial, int] = {}
    for monomial, coefficient in terms:
        totals[monomial] = totals.get(monomial, 0) + coefficient
    kept = [(m, c) for m, c in totals.items() if c]
    if len(kept) > 1:
        kept.sort(key=lambda term: _monomial_key(term[0]))
    return IntExpr(tuple(kept))


@lru_cache(maxsize=4096)
def _monomial_key(monomial: Monomial) -> tuple[int, tuple[tuple[int, str, int], ...]]:
    return -len(monomial), tuple(map(_atom_key, monomial))


def _atom_key(atom: Atom) -> tuple[int, str, int]:
    match atom:
        case Symbol():
            return (0, atom.name, atom.serial)
        case Operation():
            return (1, str_of_atom(atom), 0)
