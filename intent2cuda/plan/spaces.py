"""How many points a set of integers has: loops and coordinates within each other, under conditions on them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import combinations
from math import prod
from typing import TypeAlias

from intent2cuda.analysis.expressions import Choice, Comparison, Condition, Connective, Expression, Opaque
from intent2cuda.analysis.limits import Bounds
from intent2cuda.analysis.ranges import factor
from intent2cuda.analysis.surroundings import INVERSE
from intent2cuda.base.intexpr import IntExpr, Operation, Symbol, ceiling, minimum
from intent2cuda.plan.sums import Quotient, mentions, replaced, slope, total
from intent2cuda.plan.tables import Given, Proofs

Rules: TypeAlias = tuple[IntExpr, ...]
"""Expressions that are at least 0, all of them."""

Cases: TypeAlias = tuple[Rules, ...]
"""One of them holds. `((),)` is always so, `()` never."""

ALWAYS: Cases = ((),)
MOST_CASES = 4

ZERO, ONE = IntExpr.of(0), IntExpr.of(1)


@dataclass(frozen=True)
class Variable:
    """0 <= `symbol` < `extent`; nothing where the extent is negative. `forward`: the extent is promised not to be."""

    symbol: Symbol
    extent: IntExpr
    forward: bool = False


Variables: TypeAlias = tuple[Variable, ...]
"""Outermost first: an extent may mention the variables before it."""


class UncountableError(Exception):
    """A condition has too many cases."""


def cases(condition: Condition, decided: Callable[[Comparison], bool], holds: bool = True) -> Cases:
    """When a condition is as said. What is not decided counts as always being so, whichever way it is asked for.

    Raises: UncountableError.
    """
    match condition:
        case Opaque():
            return ALWAYS
        case Comparison():
            fn = condition.fn if holds else INVERSE[condition.fn]
            return _compared(fn, condition.lhs, condition.rhs, decided) if decided(condition) else ALWAYS
        case Connective(fn="not"):
            return cases(condition.args[0], decided, not holds)
        case Connective():
            join = both if (condition.fn == "and") == holds else either
            return reduce(join, (cases(part, decided, holds) for part in condition.args))


def both(one: Cases, other: Cases) -> Cases:
    return _tidy(tuple(dict.fromkeys((*a, *b))) for a in one for b in other)


def either(one: Cases, other: Cases) -> Cases:
    return _tidy((*one, *other))


def _tidy(found: Iterable[Rules]) -> Cases:
    """The cases without impossible ones, and without those that another one includes."""
    possible = [case for case in dict.fromkeys(found) if not _contradicts_itself(case)]
    kept = tuple(case for case in possible if not any(set(other) < set(case) for other in possible))
    if len(kept) > MOST_CASES:
        raise UncountableError
    return kept


def _contradicts_itself(case: Rules) -> bool:
    pairs = (*combinations(case, 2), *((rule, ZERO) for rule in case))
    return any(((one + other).constant or 0) < 0 for one, other in pairs)


def _compared(fn: str, lhs: Expression, rhs: Expression, decided: Callable[[Comparison], bool]) -> Cases:
    for side, other, turned in ((lhs, rhs, False), (rhs, lhs, True)):
        if isinstance(side, Choice):
            found: list[Cases] = []
            for chosen, holds in ((side.when_true, True), (side.when_false, False)):
                sides = (other, chosen) if turned else (chosen, other)
                found.append(both(cases(side.condition, decided, holds), _compared(fn, *sides, decided)))
            return either(*found)
    assert isinstance(lhs, IntExpr) and isinstance(rhs, IntExpr)
    match fn:
        case "lt":
            return _tidy([(rhs - lhs - 1,)])
        case "le":
            return _tidy([(rhs - lhs,)])
        case "gt":
            return _tidy([(lhs - rhs - 1,)])
        case "ge":
            return _tidy([(lhs - rhs,)])
        case "eq":
            return _tidy([(lhs - rhs, rhs - lhs)])
        case _:
            return _tidy([(lhs - rhs - 1,), (rhs - lhs - 1,)])


def points(variables: Variables, where: Cases, given: Given) -> IntExpr | None:
    """The number of points at which one of the cases holds; None where no closed form is found."""
    count = ZERO
    for size in range(1, len(where) + 1):
        for chosen in combinations(where, size):
            rules = tuple(dict.fromkeys(rule for case in chosen for rule in case))
            if _contradicts_itself(rules):
                continue
            part = _points(variables, rules, given)
            if part is None:
                return None
            count = count + part * (1 if size % 2 else -1)
    return count


def _points(variables: Variables, rules: Rules, given: Given) -> IntExpr | None:
    """The number of points of all rules: that of the variables which stand alone, times that of the others."""
    everywhere = given.everywhere
    factor, together = ONE, list[Variable]()
    bounds = (*(v.extent for v in variables), *rules)
    for variable in variables:
        alone = not any(mentions(e, variable.symbol) for e in bounds)
        if alone and not any(mentions(variable.extent, other.symbol) for other in variables):
            factor = factor * (variable.extent if variable.forward else everywhere.larger(variable.extent, ZERO))
        else:
            together.append(variable)
    rest = _together(tuple(together), rules, given)
    return None if rest is None else factor * everywhere.tidy(rest)


def _together(variables: Variables, rules: Rules, given: Given) -> IntExpr | None:
    summand = Quotient(ONE)
    left = list(rules)
    for number in reversed(range(len(variables))):
        variable, outer = variables[number], variables[:number]
        limits = limits_of(variable, left)
        if limits is None:
            return None
        inner = _within(summand, variable, limits, outer, proofs_of(outer, limits.others, given))
        if inner is None:
            return None
        summand, left = inner, list(limits.others)
    proofs = given.everywhere
    return prod((indicator(rule, proofs) for rule in left if not proofs.nonneg(rule)), start=summand.whole)


def _within(summand: Quotient, variable: Variable, limits: Limits, outer: Variables, proofs: Proofs) -> Quotient | None:
    """The sum between limits: of what is below the end, without what is below the first value too."""
    if variable.forward and len(limits.first) == len(limits.end) == 1:
        return total(summand, variable.symbol, ZERO, variable.extent, proofs)
    end = _extreme(limits.end, outer, proofs.smaller)
    whole = total(summand, variable.symbol, ZERO, proofs.larger(end, ZERO), proofs)
    if len(limits.first) == 1 or whole is None:
        return whole
    first = _extreme(limits.first[1:], outer, proofs.larger)
    cut = proofs.larger(_extreme((*limits.end, first), outer, proofs.smaller), ZERO)
    left_out = total(summand, variable.symbol, ZERO, cut, proofs)
    return None if left_out is None else whole + Quotient(left_out.numerator * -1, left_out.denominator)


def _extreme(
    expressions: Sequence[IntExpr], variables: Variables, choose: Callable[[IntExpr, IntExpr], IntExpr]
) -> IntExpr:
    """The least or the greatest of expressions; those that move alike with the variables are compared first."""
    alike: dict[IntExpr, IntExpr] = {}
    for expression in expressions:
        moving = IntExpr(
            tuple(t for t in expression.terms if any(mentions(IntExpr((t,)), v.symbol) for v in variables))
        )
        rest = expression - moving
        alike[moving] = choose(alike[moving], rest) if moving in alike else rest
    return reduce(choose, (moving + rest for moving, rest in alike.items()))


def indicator(rule: IntExpr, proofs: Proofs) -> IntExpr:
    """1 where the expression is at least 0, else 0."""
    return minimum(ONE, proofs.larger(ZERO, rule + 1))


@dataclass(frozen=True)
class Limits:
    """The values of a variable: from every one of `first` to before every one of `end`, where `others` hold."""

    first: tuple[IntExpr, ...]
    end: tuple[IntExpr, ...]
    others: Rules


def limits_of(variable: Variable, rules: Sequence[IntExpr]) -> Limits | None:
    """What rules say of a variable; None where one is not linear in it."""
    first, end, others = [ZERO], [variable.extent], list[IntExpr]()
    pending = list(rules)
    while pending:
        rule = pending.pop(0)
        if not mentions(rule, variable.symbol):
            others.append(rule)
            continue
        share = slope(rule, variable.symbol)
        if share is None:
            parts = _parts(rule)
            if parts is None:
                return None
            pending += parts
            continue
        rest = rule - IntExpr.of(share) * IntExpr((((variable.symbol,), 1),))
        if share > 0:
            first.append(ceiling(-rest, share))
        elif share < 0:
            end.append(rest // -share + 1)
        else:
            others.append(rest)
    return Limits(tuple(dict.fromkeys(first)), tuple(dict.fromkeys(end)), tuple(others))


def _parts(rule: IntExpr) -> Rules | None:
    """Two rules for one that holds for the smaller, or against the larger, of two sides."""
    for atom in dict.fromkeys(atom for monomial, _ in rule.terms for atom in monomial):
        share = factor(rule, atom).constant
        if share and isinstance(atom, Operation) and atom.kind == ("min" if share > 0 else "max"):
            return replaced(rule, atom, atom.lhs), replaced(rule, atom, atom.rhs)
    return None


def proofs_of(variables: Variables, rules: Rules, given: Given) -> Proofs:
    """What holds at every point of some loops at which the rules do."""
    if not variables and not rules:
        return given.everywhere
    bounds = {v.symbol: Bounds((ZERO,), (v.extent - 1,)) for v in variables}
    return given.proofs(bounds, (*(v.extent for v in variables), *(rule + 1 for rule in rules)))
