"""Whether two accesses can meet: do equal positions force equal loop variables and coordinates?

The two executions are told apart by a prime on every symbol that may differ between them. A difference of positions
that must be zero is taken apart from its largest stride down (mixed radix): if `c * (v - v')` is the only part that can
reach `c`, then `v = v'`, and what is left must be zero too. Equal `e // c` and `e % c` make `e` equal.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from math import gcd
from typing import TypeAlias

from intent2cuda.analysis.expressions import inner_atoms, of_atom, operation, rebuild
from intent2cuda.analysis.limits import Bounds
from intent2cuda.analysis.ranges import Facts, factor
from intent2cuda.base.intexpr import Atom, IntExpr, Operation, Symbol, substitute

Division: TypeAlias = tuple[IntExpr, IntExpr]


class Meeting(Enum):
    """NEVER: no position is touched by both. SAME: only where the goal symbols are equal. UNKNOWN: not proved."""

    NEVER = "never"
    SAME = "same"
    UNKNOWN = "unknown"


def primed(symbol: Symbol) -> Symbol:
    return Symbol(symbol.name + "'", symbol.serial)


class Separation:
    """One question. `varying` are the symbols that may differ between the executions, with what bounds them."""

    def __init__(self, facts: Facts, varying: Mapping[Symbol, Bounds], others: Mapping[Symbol, Bounds]) -> None:
        """`varying` holds for the first execution, `others` (unprimed) for the second."""
        self._primes = {symbol: of_atom(primed(symbol)) for symbol in (*varying, *others)}
        second = {
            primed(symbol): Bounds(tuple(map(self._prime, found.lower)), tuple(map(self._prime, found.upper)))
            for symbol, found in others.items()
        }
        self._facts = facts.with_bounds({**varying, **second})
        self._equal: dict[Atom, Atom] = {}

    def assume(self, first: Iterable[IntExpr], second: Iterable[IntExpr]) -> None:
        """Expressions that are at least 1 in the first execution, and such of the second."""
        self._facts = self._facts.with_bounds({}, [*first, *map(self._prime, second)])

    def assume_order(self, ordered: Iterable[tuple[IntExpr, IntExpr]]) -> None:
        """Pairs of an expression of the first execution and one of the second that is not less."""
        self._facts = self._facts.with_bounds({}, [self._prime(second) - first + 1 for first, second in ordered])

    def meeting(self, pairs: Iterable[tuple[IntExpr, IntExpr]], goal: Iterable[Symbol] | None) -> Meeting:
        """How accesses meet whose positions are `pairs`; without a goal the answer is never SAME."""
        differences = [first - self._prime(second) for first, second in pairs]
        targets = None if goal is None else tuple(goal)
        progress = True
        while progress:
            differences = [self._facts.simplify(self._unified(d)) for d in differences]
            if any(_is_impossible(d) for d in differences):
                return Meeting.NEVER
            known = len(self._equal)
            for difference in differences:
                self._equal.update(self._forced(self._unified(difference)))
            more = [d for d in self._recombined() if d not in differences]
            if targets is not None and all(self._is_settled(symbol) for symbol in targets):
                return Meeting.SAME
            differences += more
            progress = len(self._equal) > known or bool(more)
        return Meeting.NEVER if any(map(self._is_nonzero, differences)) else Meeting.UNKNOWN

    def _prime(self, expression: IntExpr) -> IntExpr:
        return substitute(expression, self._primes)

    def _is_settled(self, symbol: Symbol) -> bool:
        if primed(symbol) in self._equal:
            return True
        found = [self._facts.bounds(s) for s in (symbol, primed(symbol))]
        return all(b.lower and b.upper and b.lower[0] == b.upper[0] == found[0].lower[0] for b in found)

    def _unified(self, expression: IntExpr) -> IntExpr:
        """The expression with every primed atom that is known to be equal written without its prime."""
        return rebuild(expression, self._unified_atom) if self._equal else expression

    def _unified_atom(self, atom: Atom) -> IntExpr:
        if atom in self._equal:
            return of_atom(self._equal[atom])
        if isinstance(atom, Symbol):
            return of_atom(atom)
        inner = operation(atom.kind, self._unified(atom.lhs), self._unified(atom.rhs))
        again = _single(inner)
        return of_atom(self._equal[again]) if again in self._equal else inner

    def _is_nonzero(self, difference: IntExpr) -> bool:
        return self._facts.nonneg(difference - 1) or self._facts.nonneg(-difference - 1)

    def _forced(self, difference: IntExpr) -> dict[Atom, Atom]:
        """Equalities of atoms without which the difference cannot be zero."""
        found: dict[Atom, Atom] = {}
        rest = difference
        while True:
            step = next(self._candidates(rest), None)
            if step is None:
                return found
            atom, twin, stride = step
            found[twin] = atom
            rest = rest - stride * (of_atom(atom) - of_atom(twin))

    def _candidates(self, difference: IntExpr) -> Iterator[tuple[Atom, Atom, IntExpr]]:
        for atom in dict.fromkeys(a for monomial, _ in difference.terms for a in monomial):
            twin = self._twin(atom)
            stride = factor(difference, atom)
            if twin is None or factor(difference, twin) != -stride:
                continue
            rest = difference - stride * (of_atom(atom) - of_atom(twin))
            size = stride if self._facts.nonneg(stride - 1) else -stride
            if (
                self._facts.nonneg(size - 1)
                and self._facts.nonneg(size - 1 - rest)
                and self._facts.nonneg(size - 1 + rest)
            ):
                yield atom, twin, stride

    def _twin(self, atom: Atom) -> Atom | None:
        """The atom of the second execution; None for what is the same in both."""
        twin = _single(self._unified(self._prime(of_atom(atom))))
        return None if twin == atom else twin

    def _recombined(self) -> list[IntExpr]:
        """Differences that are zero because the remainders by one divisor are equal, and the quotients are too."""
        operations = [
            (twin, atom)
            for twin, atom in self._equal.items()
            if isinstance(atom, Operation) and isinstance(twin, Operation)
        ]
        quotients = {(atom.lhs, atom.rhs): twin for twin, atom in operations if atom.kind == "floordiv"}
        return [
            self._unified(atom.lhs - twin.lhs)
            for twin, atom in operations
            if atom.kind == "mod" and atom.rhs == self._unified(twin.rhs)
            if self._is_one_turn(atom, twin) or self._agree(quotients, atom, twin)
        ]

    def _is_one_turn(self, remainder: Operation, twin: Operation) -> bool:
        """Whether the dividends are less than a divisor apart, so that equal remainders make them equal."""
        difference, limit = self._unified(remainder.lhs - twin.lhs), remainder.rhs - 1
        return self._facts.nonneg(limit - difference) and self._facts.nonneg(limit + difference)

    def _agree(self, quotients: Mapping[Division, Operation], remainder: Operation, twin: Operation) -> bool:
        """Whether the quotients of the same dividends and divisors are known to be equal."""
        for mine, (dividend, divisor) in zip(self._quotients(remainder), self._quotients(twin), strict=False):
            found = quotients.get(mine)
            if found is not None and self._unified(found.lhs) == self._unified(dividend):
                return self._unified(found.rhs) == self._unified(divisor)
        return False

    def _quotients(self, remainder: Operation) -> Iterator[Division]:
        """Dividend and divisor of the quotient beside a remainder: `a // b // c` is also `a // (b * c)`."""
        yield remainder.lhs, remainder.rhs
        inner = _single(remainder.lhs)
        if isinstance(inner, Operation) and inner.kind == "floordiv" and self._facts.nonneg(remainder.rhs - 1):
            yield inner.lhs, inner.rhs * remainder.rhs


def _is_impossible(difference: IntExpr) -> bool:
    """Whether the numbers alone show that the difference is never zero."""
    offset = sum(coefficient for monomial, coefficient in difference.terms if not monomial)
    divisor = gcd(*(coefficient for monomial, coefficient in difference.terms if monomial))
    return offset % divisor != 0 if divisor else offset != 0


def _single(expression: IntExpr) -> Atom | None:
    """The atom that an expression consists of, if it is one."""
    if len(expression.terms) != 1:
        return None
    monomial, coefficient = expression.terms[0]
    return monomial[0] if coefficient == 1 and len(monomial) == 1 else None


def mentioned(expressions: Iterable[IntExpr]) -> frozenset[Symbol]:
    """Every symbol that occurs in some expression."""
    return frozenset(a for e in expressions for a in inner_atoms(e) if isinstance(a, Symbol))
