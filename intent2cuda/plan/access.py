"""Which memory a root touches, and which of its coordinates decide the position along each axis of that memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from intent2cuda.base.intexpr import IntExpr
from intent2cuda.ir.op import Op
from intent2cuda.ir.ops import Constant, Dim, Load
from intent2cuda.ir.terms import Along, Lanes, Point, Slice, Term, Whole
from intent2cuda.ir.value import Value
from intent2cuda.plan.axes import selection_axes
from intent2cuda.plan.effects import ATOMICS, EffectOp
from intent2cuda.plan.roots import Tokens

Tie: TypeAlias = tuple[int, int, IntExpr, IntExpr]
"""(token, memory axis, begin, step): along this axis the position is `begin + step * coordinate` of the token.

A step of 0 stands for a selection by an index tensor of rank one: `begin` is then the tensor's symbol. Plain stores
select distinct elements (the author vouches for it), so equal elements mean equal coordinates there too.
"""


@dataclass(frozen=True)
class Access:
    """One load or store of a root. `points` are the axes with one fixed position, as far as it is known."""

    resource: Value
    store: bool
    ties: tuple[Tie, ...]
    points: tuple[tuple[int, IntExpr], ...]
    rank: int

    @property
    def last_token(self) -> int | None:
        """The coordinate that runs along the last memory axis, if it is a plain one."""
        last = [tie[0] for tie in self.ties if tie[1] == self.rank - 1 and tie[3].constant != 0]
        return last[0] if last else None


def access_of(op: Load | EffectOp, tokens: Tokens, producers: dict[Value, Op]) -> Access:
    ties: list[Tie] = []
    points: list[tuple[int, IntExpr]] = []
    for axis, (term, axes) in enumerate(zip(op.terms, selection_axes(op.terms), strict=True)):
        if isinstance(term, Point):
            points.append((axis, expression_of(term.index, producers)))
            continue
        start = _start(term, producers) or _selected(op, term)
        token = tokens[axes[0]] if axes else None
        if start is not None and token is not None:
            ties.append((token, axis, *start))
    return Access(op.resource, not isinstance(op, Load), tuple(ties), tuple(points), len(op.terms))


def _start(term: Term, producers: dict[Value, Op]) -> tuple[IntExpr, IntExpr] | None:
    match term:
        case Whole():
            return IntExpr.of(0), IntExpr.of(1)
        case Slice():
            return expression_of(term.begin, producers), IntExpr.of(1)
        case Along():
            return term.domain.domain.begin, term.domain.domain.step
        case _:
            return None


def _selected(op: Load | EffectOp, term: Term) -> tuple[IntExpr, IntExpr] | None:
    """The only index tensor of an access, when it has one axis. Atomic accesses may meet: it ties nothing there."""
    if isinstance(op, ATOMICS):
        return None
    lanes = [other for other in op.terms if isinstance(other, Lanes)]
    if isinstance(term, Lanes) and len(lanes) == 1 and term.index.tensor.rank == 1:
        return term.index.as_symbol, IntExpr.of(0)
    return None


def expression_of(scalar: Value, producers: dict[Value, Op]) -> IntExpr:
    """What is known of an integer scalar: the expression of a constant or `Dim`, else its symbol."""
    match producers.get(scalar):
        case Constant(value=value):
            return IntExpr.of(int(value))
        case Dim(expression=expression):
            return expression
        case _:
            return scalar.as_symbol


def apart(one: Access, other: Access) -> bool:
    """Whether two accesses of one resource never touch the same element, whatever the coordinates."""
    positions = dict(other.points)
    for axis, position in one.points:
        if axis in positions:
            distance = (position - positions[axis]).constant
            if distance not in (None, 0):
                return True
    return False


def same_element_only(one: Access, other: Access, token: int, other_token: int) -> bool:
    """Whether touching the same element means that the two coordinates are equal."""
    forms = {tie[1:] for tie in one.ties if tie[0] == token}
    return any(tie[0] == other_token and tie[1:] in forms for tie in other.ties)
