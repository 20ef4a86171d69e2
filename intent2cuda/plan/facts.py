"""How much work a loop nest is: the number of element visits of its largest sweep, as an expression of the call's
extents.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from intent2cuda.base.intexpr import IntExpr, Symbol
from intent2cuda.ir.kernel import Kernel
from intent2cuda.ir.ops import For
from intent2cuda.plan.bounds import Bounds
from intent2cuda.plan.stage import Axis, Fold, Loop, Points, Product, Stage
from intent2cuda.plan.trees import inside


class Sizes:
    """Counts element visits. What only the inside of the kernel knows is replaced by an upper bound, or left out."""

    def __init__(self, kernel: Kernel) -> None:
        self._bounds = Bounds(kernel)

    def nest(self, axes: Sequence[Axis], body: Sequence[Stage]) -> IntExpr:
        """The visits of a nest with this body."""
        return self._product(axes) * self.body(body)

    def body(self, body: Sequence[Stage]) -> IntExpr:
        """The visits of the largest sweeps in a body, those of other extents added up; one when it has none."""
        found = [self.own(stage) * self.body(inside(stage)) for stage in body]
        largest = max(found, key=_degree, default=IntExpr.of(1))
        added = [largest]
        for visits in found:
            if _is_plain(largest, visits) and not any(_is_within(visits, other) for other in added):
                added = [*(other for other in added if not _is_within(other, visits)), visits]
        return sum(added, IntExpr.of(0))

    def own(self, stage: Stage) -> IntExpr:
        """How often the inside of a stage runs each time that the stage does."""
        match stage:
            case Points():
                return self._product([bound.axis for bound in stage.axes])
            case Fold():
                return self._product((*stage.over, *stage.axes))
            case Product():
                return self._product((stage.rows, stage.columns, stage.depth))
            case Loop():
                return self.known(stage.op.domain.domain.extent) if isinstance(stage.op, For) else IntExpr.of(1)
            case _:
                return IntExpr.of(1)

    def _product(self, axes: Sequence[Axis]) -> IntExpr:
        return prod((self.known(axis.extent) for axis in axes), start=IntExpr.of(1))

    def known(self, extent: IntExpr) -> IntExpr:
        """The extent, or an upper bound that the call knows, or one."""
        bound = self._bounds.upper(extent)
        return IntExpr.of(1) if bound is None else bound


def _degree(expression: IntExpr) -> tuple[int, int]:
    """Products of more extents are larger; among constants the greater one."""
    return max((len(monomial) for monomial, _ in expression.terms), default=0), expression.constant or 0


def _is_plain(largest: IntExpr, other: IntExpr) -> bool:
    """Whether both are products of as many extents, none of them of a part of an axis: of those one stands for all."""
    atoms = (atom for expression in (largest, other) for monomial, _ in expression.terms for atom in monomial)
    return _degree(largest) == _degree(other) and all(isinstance(atom, Symbol) for atom in atoms)


def _is_within(one: IntExpr, other: IntExpr) -> bool:
    """Whether one is seen to be no more than the other, for extents of any size."""
    return all(count >= 0 for _, count in (other - one).terms)
