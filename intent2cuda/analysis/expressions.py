"""Typed expressions of indices over the coordinates of a result, and of conditions on them.

`coordinate(k)` is the position along result axis k. An expression that a polynomial cannot hold because it chooses by a
condition is a `Choice`; a condition that comes from data is `Opaque`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from math import prod
from typing import TypeAlias, assert_never

from intent2cuda.base.intexpr import (
    Atom,
    IntExpr,
    Operation,
    Symbol,
    ceiling,
    maximum,
    minimum,
    substitute,
)
from intent2cuda.ir.value import Value

MOST_ATOMS = 64


@dataclass(frozen=True)
class Comparison:
    """`fn` is eq, ne, lt, le, gt or ge."""

    fn: str
    lhs: Expression
    rhs: Expression


@dataclass(frozen=True)
class Connective:
    """`fn` is and, or, not."""

    fn: str
    args: tuple[Condition, ...]


@dataclass(frozen=True)
class Opaque:
    """A bool value that depends on more than coordinates, at a position of its own axes."""

    value: Value
    at: tuple[IntExpr, ...]


@dataclass(frozen=True)
class Choice:
    condition: Condition
    when_true: Expression
    when_false: Expression


@dataclass(frozen=True)
class Unknown:
    """No exact expression exists."""

    reason: str


Condition: TypeAlias = Comparison | Connective | Opaque
Expression: TypeAlias = IntExpr | Choice


def coordinate(axis: int) -> IntExpr:
    return IntExpr.symbol(f"#{axis}", -1 - axis)


def coordinate_axis(symbol: Symbol) -> int | None:
    """The result axis that a symbol stands for, None for any other symbol."""
    return -1 - symbol.serial if symbol.serial < 0 else None


def opaque(value: Value) -> Opaque:
    """A bool value as a condition on its own coordinates."""
    return Opaque(value, tuple(map(coordinate, range(value.tensor.rank))))


def leaves(expression: Expression) -> Iterator[IntExpr]:
    """The expressions that a choice may come to."""
    match expression:
        case IntExpr():
            yield expression
        case Choice():
            yield from leaves(expression.when_true)
            yield from leaves(expression.when_false)
        case _:
            assert_never(expression)


def parts(expression: Expression) -> Iterator[IntExpr]:
    """Every leaf and everything that the conditions compare."""
    match expression:
        case IntExpr():
            yield expression
        case Choice():
            yield from condition_parts(expression.condition)
            yield from parts(expression.when_true)
            yield from parts(expression.when_false)
        case _:
            assert_never(expression)


def condition_parts(condition: Condition) -> Iterator[IntExpr]:
    """Everything that a condition compares; what it reads from data has none."""
    match condition:
        case Comparison():
            yield from (*parts(condition.lhs), *parts(condition.rhs))
        case Connective():
            for part in condition.args:
                yield from condition_parts(part)
        case Opaque():
            return
        case _:
            assert_never(condition)


def apply(function: Callable[[IntExpr, IntExpr], IntExpr], lhs: Expression, rhs: Expression) -> Expression:
    """A binary function of two expressions, inside their choices."""
    if isinstance(lhs, Choice):
        return Choice(lhs.condition, apply(function, lhs.when_true, rhs), apply(function, lhs.when_false, rhs))
    if isinstance(rhs, Choice):
        return Choice(rhs.condition, apply(function, lhs, rhs.when_true), apply(function, lhs, rhs.when_false))
    return function(lhs, rhs)


def map_leaves(expression: Expression, change: Callable[[IntExpr], IntExpr]) -> Expression:
    """The expression with each leaf changed; conditions stay."""
    match expression:
        case IntExpr():
            return change(expression)
        case Choice():
            sides = (map_leaves(side, change) for side in (expression.when_true, expression.when_false))
            return Choice(expression.condition, *sides)
        case _:
            assert_never(expression)


def is_short(expression: IntExpr) -> bool:
    """Whether an expression is worth a proof."""
    return sum(1 for _ in islice(inner_atoms(expression), MOST_ATOMS + 1)) <= MOST_ATOMS


def replace(expression: Expression, values: Mapping[Symbol, IntExpr]) -> Expression:
    """The expression with some symbols replaced, in conditions too."""
    match expression:
        case IntExpr():
            return substitute(expression, values)
        case Choice():
            condition = replace_in_condition(expression.condition, values)
            return Choice(condition, replace(expression.when_true, values), replace(expression.when_false, values))
        case _:
            assert_never(expression)


def replace_in_condition(condition: Condition, values: Mapping[Symbol, IntExpr]) -> Condition:
    match condition:
        case Comparison():
            return Comparison(condition.fn, replace(condition.lhs, values), replace(condition.rhs, values))
        case Connective():
            return Connective(condition.fn, tuple(replace_in_condition(c, values) for c in condition.args))
        case Opaque():
            return Opaque(condition.value, tuple(substitute(position, values) for position in condition.at))
        case _:
            assert_never(condition)


def number_of_leaves(expression: Expression) -> int:
    match expression:
        case IntExpr():
            return 1
        case Choice():
            return number_of_leaves(expression.when_true) + number_of_leaves(expression.when_false)
        case _:
            assert_never(expression)


def size(condition: Condition) -> int:
    """The number of comparisons, with one for each choice of what they compare, and of opaque parts."""
    match condition:
        case Comparison():
            return number_of_leaves(condition.lhs) + number_of_leaves(condition.rhs) - 1
        case Connective():
            return sum(map(size, condition.args))
        case Opaque():
            return 1
        case _:
            assert_never(condition)


def growth(expression: Expression, values: Mapping[Symbol, IntExpr]) -> int:
    """How many terms the largest part may get when the symbols are replaced."""
    return max(sum(prod(_terms(atom, values) for atom in m) for m, _ in part.terms) for part in parts(expression))


def _terms(atom: Atom, values: Mapping[Symbol, IntExpr]) -> int:
    return len(values[atom].terms) if isinstance(atom, Symbol) and atom in values else 1


def of_atom(atom: Atom) -> IntExpr:
    return IntExpr((((atom,), 1),))


def rebuild(expression: IntExpr, change: Callable[[Atom], IntExpr]) -> IntExpr:
    """The expression with every outermost atom replaced by what `change` makes of it."""
    total = IntExpr(())
    for monomial, coefficient in expression.terms:
        product = IntExpr.of(coefficient)
        for atom in monomial:
            product = product * change(atom)
        total = total + product
    return total


def operation(kind: str, lhs: IntExpr, rhs: IntExpr) -> IntExpr:
    match kind:
        case "floordiv":
            return lhs // rhs
        case "mod":
            return lhs % rhs
        case "ceildiv":
            return ceiling(lhs, rhs)
        case "min":
            return minimum(lhs, rhs)
        case "max":
            return maximum(lhs, rhs)
        case _:
            raise ValueError(kind)


def inner_atoms(expression: IntExpr) -> Iterator[Atom]:
    """Every atom of an expression and, after an operation, those of its operands."""
    for monomial, _ in expression.terms:
        for atom in monomial:
            yield atom
            if isinstance(atom, Operation):
                yield from inner_atoms(atom.lhs)
                yield from inner_atoms(atom.rhs)
