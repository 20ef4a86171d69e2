"""How much work a loop nest is: the number of element visits of its largest sweep, as an expression of the call's
extents.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import prod

from intent2cuda.base.intexpr import IntExpr, Monomial, Operation, Symbol, minimum
from intent2cuda.ir.kernel import Kernel
from intent2cuda.ir.ops import For
from intent2cuda.plan.bounds import Bounds
from intent2cuda.plan.stage import Axis, Fold, Loop, Points, Product, Stage
from intent2cuda.plan.trees import inside

_FEW = 16  # extents are longer, or what is left out is soon done


class Sizes:
    """Counts element visits. What only the inside of the kernel knows is replaced by an upper bound, or left out."""

    def __init__(self, kernel: Kernel) -> None:
        self._bounds = Bounds(kernel)

    def nest(self, axes: Sequence[Axis], body: Sequence[Stage]) -> IntExpr:
        """About how many visits a nest with this body has."""
        return _about(self._product(axes) * self.body(body))

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


def _about(count: IntExpr) -> IntExpr:
    """The count where every part of an axis is full, without what is little beside a product of more of the same."""
    terms = sum((_in_full(monomial) * number for monomial, number in count.terms), IntExpr.of(0)).terms
    kept = [term for term in terms if not any(_is_little(term, other) for other in terms)]
    return IntExpr(tuple(kept))


def _in_full(monomial: Monomial) -> IntExpr:
    """The product, with `n` for `ceil_div(n, size) * min(size, n)`."""
    parts = [atom for atom in monomial if isinstance(atom, Operation) and atom.kind == "ceildiv"]
    for part in parts:
        taken = minimum(part.rhs, part.lhs).terms
        for length in (atom for atom in monomial if taken == (((atom,), 1),)):
            rest = list(monomial)
            rest.remove(part)
            rest.remove(length)
            return part.lhs * _in_full(tuple(rest))
    return IntExpr(((monomial, 1),))


def _is_little(term: tuple[Monomial, int], other: tuple[Monomial, int]) -> bool:
    """Whether another term has all the factors of one and more, and it is not there many times as often."""
    (factors, number), (more, often) = term, other
    return len(more) > len(factors) and not Counter(factors) - Counter(more) and often > 0 and number <= _FEW * often
