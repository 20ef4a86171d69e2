"""Parallel loops as long as data say: where all points of one go is looked at before the first of them.

    parallel %all body(%i: index) {          asked before the loop, of %all as a whole:
      store %y[2*%i + %k], %value                0 <= 2*begin + %k, and so on to the last point

No point can end the loop for the others, and there may be very many of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import prod

from intent2cuda.analysis.relations import Relations
from intent2cuda.analysis.structure import structure
from intent2cuda.analysis.unproved import Unproved
from intent2cuda.base.intexpr import IntExpr, symbols
from intent2cuda.ir.infer import selected_shape
from intent2cuda.ir.kernel import Kernel
from intent2cuda.ir.ops import AssumeInBounds, Load, Parallel, Store, Subregion
from intent2cuda.ir.terms import Point


@dataclass(frozen=True)
class Span:
    """The positions on an axis of an access at all points of a loop: `begin`, and from there on with a positive step.

    `times`: how often each of them is met; where it is 0, the access has no elements or the loop has no points.
    """

    access: Load | Store
    axis: int
    begin: IntExpr
    count: IntExpr
    step: IntExpr
    times: IntExpr


class Spans:
    """The spans of the loops of a kernel whose author's promises are not believed."""

    def __init__(self, kernel: Kernel, found: Unproved) -> None:
        self._structure = replace(structure(kernel), promises={})
        self._relations = Relations(self._structure)
        self._open = found

    def of_loop(self, loop: Parallel) -> tuple[Span, ...]:
        """Those of the accesses that every point makes first, in order: whatever breaks a rule later is told later."""
        found: list[Span] = []
        for op in loop.body.ops:
            if isinstance(op, AssumeInBounds) or (isinstance(op, Subregion) and op in self._open.parts):
                break
            if isinstance(op, Load | Store) and op.valid is None:
                found += self._of_access(op, loop)
        return tuple(found)

    def _of_access(self, op: Load | Store, loop: Parallel) -> Iterator[Span]:
        shape = op.resource.resource.shape
        for axis in self._open.axes.get(op, ()):
            term = op.terms[axis]
            if not isinstance(term, Point):
                continue
            for number, coordinate in enumerate(loop.body.args):
                domain = loop.domains[number].domain
                if not any(symbol.serial for symbol in symbols(domain.extent)):
                    continue
                step, begin = _split(self._relations.scalar(term.index), coordinate.as_symbol)
                others = [d.domain.extent for k, d in enumerate(loop.domains) if k != number]
                times = prod((*others, *selected_shape(shape, op.terms)), start=IntExpr.of(1))
                outside = all(self._is_outside(e, loop) for e in (begin, times, shape[axis]))
                if step > 0 and outside:
                    first = begin + step * domain.begin
                    yield Span(op, axis, first, domain.extent, step * domain.step, times)

    def _is_outside(self, expression: IntExpr, loop: Parallel) -> bool:
        values = (self._structure.by_serial.get(s.serial) for s in symbols(expression) if s.serial)
        return all(value is not None and not self._structure.is_inside(value, loop) for value in values)


def _split(expression: IntExpr, coordinate: IntExpr) -> tuple[int, IntExpr]:
    """How often a coordinate is added in an expression, and the rest, which may still hold it."""
    times = sum(factor for monomial, factor in expression.terms if monomial == (coordinate.as_symbol,))
    return times, expression - coordinate * times
