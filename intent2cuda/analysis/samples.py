"""Sizes and coordinates that are possible: an expression that is negative at one of them is not worth a proof."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from intent2cuda.analysis.limits import Bounds
from intent2cuda.base.intexpr import IntExpr, Symbol, evaluate, symbols

EXTENTS = ((1, 1, 1), (4, 4, 4), (3, 5, 7), (7, 5, 3), (2, 9, 4), (24, 1, 12)) * 3
"""What extents of the signature are at each point; three of them take turns by name."""

FREE = (0, 1, 9, -3, 5, 2, 14)
WIDE = 1000


class Samples:
    """Points within the bounds of all symbols at which every one of `positive` is at least 1, made when asked for."""

    def __init__(self, bounds: Callable[[Symbol], Bounds], positive: Iterable[IntExpr]) -> None:
        self._bounds = bounds
        self._positive = tuple(positive)
        self._points: list[_Point] | None = None

    def refute(self, expression: IntExpr) -> bool:
        """Whether the expression is negative at a possible point."""
        if self._points is None:
            points = [_Point(number, self._bounds) for number in range(len(EXTENTS))]
            self._points = [p for p in points if all(p.at_least(1, e) for e in self._positive)]
        return any(not point.at_least(0, expression) for point in self._points)


class _Point:
    def __init__(self, number: int, bounds: Callable[[Symbol], Bounds]) -> None:
        self._number = number
        self._bounds = bounds
        self._values: dict[Symbol, int] = {}

    def at_least(self, least: int, expression: IntExpr) -> bool:
        """Whether the expression is that large here; also true where its symbols have no possible value."""
        try:
            return self._value(expression) >= least
        except (_ImpossibleError, ZeroDivisionError):
            return True

    def _value(self, expression: IntExpr) -> int:
        for symbol in symbols(expression):
            if symbol not in self._values:
                self._values[symbol] = self._choose(symbol)
        return evaluate(expression, self._values)

    def _choose(self, symbol: Symbol) -> int:
        if symbol.serial == 0:
            return EXTENTS[self._number][sum(map(ord, symbol.name)) % 3]
        found = self._bounds(symbol)
        lower = max(map(self._value, found.lower), default=None)
        upper = min(map(self._value, found.upper), default=None)
        free = FREE[(self._number + 1) * (symbol.serial + len(symbol.name)) % len(FREE)]
        if lower is None:
            return free if upper is None else upper - abs(free)
        if upper is None:
            return lower + abs(free)
        if lower > upper:
            raise _ImpossibleError
        if lower <= free <= upper and upper - lower > WIDE:
            return free
        return (lower, upper, (lower + upper) // 2)[(self._number + symbol.serial) % 3]


class _ImpossibleError(Exception):
    """The bounds of a symbol exclude each other at this point."""
