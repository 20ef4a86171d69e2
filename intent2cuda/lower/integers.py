"""Integer expressions as C++: in the author's names, plain operators where no operand can be negative."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from intent2cuda.base.intexpr import Atom, IntExpr, Monomial, Operation, Symbol
from intent2cuda.machine.expressions import Binary, Call, Expression, Integer, Unary
from intent2cuda.machine.types import IndexT

_EXTREMES = {"min": "intent::minimum", "max": "intent::maximum"}
_DIVISIONS = {"floordiv": ("/", "intent::floor_div"), "mod": ("%", "intent::floor_mod")}


@dataclass(frozen=True)
class Integers:
    """How symbols are written, which of them are never negative, and the name of the number in an operation, if it has
    one."""

    symbol: Callable[[Symbol], Expression]
    natural: Callable[[Symbol], bool]
    number: Callable[[Operation], Expression | None]

    def text(self, expression: IntExpr) -> Expression:
        """The sum with its first positive term in front, so that no text begins with a minus without need."""
        ordered = sorted(expression.terms, key=lambda term: term[1] < 0)
        if not ordered:
            return Integer(0)
        result: Expression | None = None
        for monomial, coefficient in ordered:
            if result is None:
                first = self._product(monomial, abs(coefficient))
                result = first if coefficient > 0 else _negated(first)
            else:
                result = Binary("-" if coefficient < 0 else "+", result, self._product(monomial, abs(coefficient)))
        assert result is not None
        return result

    def _product(self, monomial: Monomial, coefficient: int) -> Expression:
        ordered = sorted(monomial, key=lambda atom: isinstance(atom, Symbol) and atom.serial == 0)
        factors = [self._atom(atom) for atom in ordered]  # `row * N`: what varies stands before extents
        if coefficient != 1 or not factors:
            factors.insert(0, Integer(coefficient))
        result = factors[0]
        for factor in factors[1:]:
            result = Binary("*", result, factor)
        return result

    def _atom(self, atom: Atom) -> Expression:
        if isinstance(atom, Symbol):
            return self.symbol(atom)
        number = self.number(atom)
        lhs, rhs = (
            number if number is not None and side.constant is not None else self.text(side)
            for side in (atom.lhs, atom.rhs)
        )
        if atom.kind in _EXTREMES:
            return Call(_EXTREMES[atom.kind], (lhs, rhs), (IndexT(),))
        if atom.kind == "ceildiv":
            return Call("intent::ceil_div", (lhs, rhs), (IndexT(),))
        operator, function = _DIVISIONS[atom.kind]
        if self.is_natural(atom.lhs) and self._is_positive(atom.rhs):
            return Binary(operator, lhs, rhs)
        return Call(function, (lhs, rhs), (IndexT(),))

    def is_natural(self, expression: IntExpr) -> bool:
        """Whether the expression is certainly not negative: no term of it is."""
        return all(c > 0 and all(self._is_natural_atom(a) for a in monomial) for monomial, c in expression.terms)

    def _is_natural_atom(self, atom: Atom) -> bool:
        match atom:
            case Symbol():
                return self.natural(atom)
            case Operation(kind="max"):
                return self.is_natural(atom.lhs) or self.is_natural(atom.rhs)
            case Operation(kind="min"):
                return self.is_natural(atom.lhs) and self.is_natural(atom.rhs)
            case Operation(kind="mod"):
                return self._is_positive(atom.rhs)
            case Operation():
                return self.is_natural(atom.lhs) and self._is_positive(atom.rhs)

    def _is_positive(self, expression: IntExpr) -> bool:
        """Divisors: constants, and extents (an empty axis has no elements whose coordinates would be divided)."""
        constant = expression.constant
        return constant > 0 if constant is not None else self.is_natural(expression)


def _negated(expression: Expression) -> Expression:
    return Integer(-expression.value) if isinstance(expression, Integer) else Unary("-", expression)


def size(expression: IntExpr) -> int:
    """How much there is to read in an expression."""
    inner = [a for monomial, _ in expression.terms for a in monomial if isinstance(a, Operation)]
    own = sum((abs(coefficient) != 1 or not monomial) + len(monomial) for monomial, coefficient in expression.terms)
    return own + sum(size(a.lhs) + size(a.rhs) for a in inner)


def is_short(expression: IntExpr) -> bool:
    atoms = [atom for monomial, _ in expression.terms for atom in monomial]
    return len(expression.terms) <= 2 and len(atoms) <= 2 and all(isinstance(atom, Symbol) for atom in atoms)
