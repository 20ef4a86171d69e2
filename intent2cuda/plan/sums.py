"""Sums of integer expressions over the values of a variable, in closed form.

Polynomials are summed by Faulhaber's formulas. A minimum or maximum cuts the range where its sides cross, a division by
a small constant cuts it into the remainders, and differences of consecutive elements of a table telescope.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import gcd, lcm

from intent2cuda.analysis.expressions import inner_atoms, of_atom, operation, rebuild
from intent2cuda.analysis.ranges import factor
from intent2cuda.base.intexpr import Atom, IntExpr, Operation, Symbol, ceiling, str_of_atom, substitute
from intent2cuda.plan.tables import AT, Proofs, rebuilt

MOST_REMAINDERS = 8
"""A division by more than this is not summed: each remainder is a sum of its own."""

ZERO = IntExpr.of(0)


@dataclass(frozen=True)
class Quotient:
    """`numerator / denominator`: a whole number for all values of its symbols."""

    numerator: IntExpr
    denominator: int = 1

    def __add__(self, other: Quotient) -> Quotient:
        common = lcm(self.denominator, other.denominator)
        mine, others = common // self.denominator, common // other.denominator
        return _reduced(self.numerator * mine + other.numerator * others, common)

    @property
    def whole(self) -> IntExpr:
        return self.numerator // self.denominator


def mentions(expression: IntExpr, symbol: Symbol) -> bool:
    return any(atom == symbol for atom in inner_atoms(expression))


def slope(expression: IntExpr, symbol: Symbol) -> int | None:
    """The constant factor of a symbol in an expression that is linear in it, else None."""
    share = factor(expression, symbol)
    if share.constant is None or mentions(expression - share * of_atom(symbol), symbol):
        return None
    return share.constant


def total(summand: Quotient, symbol: Symbol, first: IntExpr, end: IntExpr, proofs: Proofs) -> Quotient | None:
    """The sum for `first <= symbol < end`, where `first <= end`; None where no closed form is found."""
    found = _Sum(symbol, proofs).over(summand.numerator, first, end)
    return None if found is None else _reduced(found.numerator, found.denominator * summand.denominator)


class _Sum:
    def __init__(self, symbol: Symbol, proofs: Proofs) -> None:
        self.symbol = symbol
        self.proofs = proofs

    def over(self, summand: IntExpr, first: IntExpr, end: IntExpr) -> Quotient | None:
        """The sum of the parts that hold different operations, each by itself, so that their borders do not mix."""
        if first == end:
            return Quotient(ZERO)
        parts: dict[str, IntExpr] = {}
        for term in summand.terms:
            alone = IntExpr((term,))
            key = " ".join(str_of_atom(atom) for atom in self._moving(alone) if atom.kind != AT)
            parts[key] = parts.get(key, ZERO) + alone
        result = Quotient(ZERO)
        for part in parts.values():
            found = self._part(part, first, end)
            if found is None:
                return None
            result = result + found
        return result

    def _part(self, summand: IntExpr, first: IntExpr, end: IntExpr) -> Quotient | None:
        found = next(self._moving(summand), None)
        if found is None:
            return self._polynomial(summand, first, end)
        match found.kind:
            case "min" | "max":
                return self._pieces(summand, found, first, end)
            case "floordiv" | "ceildiv" | "mod" if found.rhs.constant:
                return self._remainders(summand, found, first, end)
            case _ if found.kind == AT:
                return self._telescope(summand, first, end)
            case _:
                return None

    def _moving(self, summand: IntExpr) -> Iterator[Operation]:
        """The operations that depend on the variable, those first that hold no other such operation."""
        atoms = (atom for atom in dict.fromkeys(inner_atoms(summand)) if isinstance(atom, Operation))
        found = [atom for atom in atoms if mentions(of_atom(atom), self.symbol)]
        yield from sorted(found, key=lambda atom: sum(other in inner_atoms(of_atom(atom)) for other in found))

    def _pieces(self, summand: IntExpr, found: Operation, first: IntExpr, end: IntExpr) -> Quotient | None:
        """The sum in two pieces: on one the left side is the smaller, on the other the right one."""
        gap = slope(found.lhs - found.rhs, self.symbol)
        if gap is None:
            return None
        if gap == 0:
            common = factor(found.lhs, self.symbol) * of_atom(self.symbol)
            inner = operation(found.kind, found.lhs - common, found.rhs - common)
            return self.over(replaced(summand, found, common + inner), first, end)
        rest = found.lhs - found.rhs - of_atom(self.symbol) * gap
        smaller, larger = (found.lhs, found.rhs) if found.kind == "min" else (found.rhs, found.lhs)
        if gap > 0:
            border, before, after = -rest // gap + 1, smaller, larger
        else:
            border, before, after = ceiling(rest, -gap), larger, smaller
        border = self._within(border, first, end)
        lower = self.over(replaced(summand, found, before), first, border)
        upper = self.over(replaced(summand, found, after), border, end)
        return None if lower is None or upper is None else lower + upper

    def _within(self, border: IntExpr, first: IntExpr, end: IntExpr) -> IntExpr:
        return self.proofs.smaller(self.proofs.larger(border, first), end)

    def _remainders(self, summand: IntExpr, found: Operation, first: IntExpr, end: IntExpr) -> Quotient | None:
        """A sum for each remainder of the variable on which the division depends."""
        divisor, share = found.rhs.constant or 0, slope(found.lhs, self.symbol)
        period = abs(divisor) // gcd(divisor, share or 0)
        if share is None or period > MOST_REMAINDERS:
            return None
        result = Quotient(ZERO)
        for rest in range(period):
            moved = {self.symbol: first + of_atom(self.symbol) * period + rest}
            rounds = ceiling(end - first - rest, period)
            part = self.over(with_constant_divisions(substitute(summand, moved)), ZERO, rounds)
            if part is None:
                return None
            result = result + part
        return result

    def _telescope(self, summand: IntExpr, first: IntExpr, end: IntExpr) -> Quotient | None:
        """The sum where elements of tables occur as differences of neighbours, times what does not move."""
        rest, border = summand, ZERO
        for atom in list(self._moving(summand)):
            share = factor(rest, atom)
            if atom.kind != AT or slope(atom.rhs, self.symbol) != 1 or mentions(share, self.symbol):
                return None
            if share == ZERO:
                continue
            before = Operation(AT, atom.lhs, atom.rhs - 1)
            if factor(rest, before) == share * -1:
                last, start = (substitute(of_atom(before), {self.symbol: at}) for at in (end, first))
                border = border + share * (last - start)
                rest = rest - share * of_atom(atom) + share * of_atom(before)
        if any(True for _ in self._moving(rest)):
            return None
        found = self._polynomial(rest, first, end)
        return None if found is None else found + Quotient(border)

    def _polynomial(self, summand: IntExpr, first: IntExpr, end: IntExpr) -> Quotient | None:
        by_degree: dict[int, IntExpr] = {}
        for monomial, coefficient in summand.terms:
            degree = sum(atom == self.symbol for atom in monomial)
            others = tuple(atom for atom in monomial if atom != self.symbol)
            by_degree[degree] = by_degree.get(degree, ZERO) + IntExpr(((others, coefficient),))
        result = Quotient(ZERO)
        for degree, share in by_degree.items():
            powers = [_powers(degree, border) for border in (end, first)]
            if powers[0] is None or powers[1] is None:
                return None
            difference = powers[0].numerator - powers[1].numerator
            result = result + _reduced(share * difference, powers[0].denominator)
        return result


def _powers(degree: int, n: IntExpr) -> Quotient | None:
    """The sum of `i ** degree` for i from 0 to before n."""
    match degree:
        case 0:
            return Quotient(n)
        case 1:
            return Quotient(n * (n - 1), 2)
        case 2:
            return Quotient(n * (n - 1) * (n * 2 - 1), 6)
        case 3:
            return Quotient(n * n * (n - 1) * (n - 1), 4)
        case 4:
            return Quotient(n * (n - 1) * (n * 2 - 1) * (n * n * 3 - n * 3 - 1), 30)
        case _:
            return None


def _reduced(numerator: IntExpr, denominator: int) -> Quotient:
    common = gcd(denominator, *(coefficient for _, coefficient in numerator.terms))
    return Quotient(IntExpr(tuple((m, c // common) for m, c in numerator.terms)), denominator // common)


def replaced(expression: IntExpr, old: Operation, new: IntExpr) -> IntExpr:
    """The expression with an operation replaced, also inside other operations."""

    def change(atom: Atom) -> IntExpr:
        if atom == old:
            return new
        if isinstance(atom, Symbol):
            return of_atom(atom)
        return rebuilt(atom, rebuild(atom.lhs, change), rebuild(atom.rhs, change))

    return rebuild(expression, change)


def with_constant_divisions(expression: IntExpr) -> IntExpr:
    """An equal expression in which divisions by constants hold no multiples of the divisor."""

    def change(atom: Atom) -> IntExpr:
        if isinstance(atom, Symbol):
            return of_atom(atom)
        lhs, rhs = rebuild(atom.lhs, change), rebuild(atom.rhs, change)
        divisor = rhs.constant
        if atom.kind not in ("floordiv", "ceildiv", "mod") or not divisor:
            return rebuilt(atom, lhs, rhs)
        multiple = IntExpr(tuple((m, c // divisor) for m, c in lhs.terms if c // divisor))
        tail = operation(atom.kind, lhs - multiple * divisor, rhs)
        return tail if atom.kind == "mod" else multiple + tail

    return rebuild(expression, change)
