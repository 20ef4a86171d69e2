"""Reductions that vector lanes run abreast: each lane reduces for a member of its own of the loop around."""

from __future__ import annotations

from math import prod

from intent2cuda.base.intexpr import IntExpr, symbols
from intent2cuda.ir.ops import Reduce
from intent2cuda.plan.access import Access
from intent2cuda.plan.checks import known_at_call
from intent2cuda.plan.patterns import Patterns
from intent2cuda.plan.stage import Axis, Effect, Fold, Keep, Let, Points

FEW = 32
"""So many members are combined by straight code at most."""

LANES = 16
"""A loop of fewer members, known in number, leaves lanes idle."""


def runs_abreast(stage: Points, patterns: Patterns) -> bool:
    """Whether the members along the last axis of a nest are one reduction each and element work with what it finds,
    all they read lies side by side, and all axes of the reduction but the first are short.
    """
    fold, *rest = stage.body
    member = stage.axes[-1].axis
    if not isinstance(fold, Fold) or not all(isinstance(other, Effect | Keep | Let) for other in rest) or not rest:
        return False
    if not isinstance(fold.op, Reduce) or fold.keeps or fold.over or fold.beside:
        return False
    if member.begin.constant != 0 or member.step.constant != 1 or (member.extent.constant or LANES) < LANES:
        return False
    few = prod((axis.extent for axis in fold.axes[1:]), start=IntExpr.of(1)).constant
    if few is None or not 1 <= few <= FEW:
        return False
    known = all(known_at_call(patterns.kernel, axis.extent) for axis in (*fold.axes, member))
    return known and _side_by_side(fold, member, patterns)


def _side_by_side(fold: Fold, member: Axis, patterns: Patterns) -> bool:
    """Whether what a reduction reads is the same for all members, or stands side by side in memory for neighbours."""
    axes = (*fold.at, *fold.axes)
    seen = [patterns.demand.seen(root) for root in patterns.roots(fold)]
    kept = [[axes[token] for token in tokens if token is not None] for each in seen for _, tokens in each.leaves]
    if any(member in along[:-1] for along in kept):
        return False
    moves = [_moves(access, axes, member, patterns) for each in seen for access in each.accesses]
    return None not in moves and any(moves)


def _moves(access: Access, axes: tuple[Axis, ...], member: Axis, patterns: Patterns) -> bool | None:
    """Whether a load is of the next element of memory for the next member; None where it may be of one elsewhere."""
    positions = dict(access.points)
    by_member: list[int] = []
    for token, number, begin, step in access.ties:
        if step.constant == 0 or (axes[token] is member and step.constant != 1):
            return None
        positions[number] = begin
        by_member += [number] if axes[token] is member else []
    for number, position in positions.items():
        if _rests_on(position, member, patterns):
            if member.point is None or _rests_on(position - member.point.as_symbol, member, patterns):
                return None
            by_member.append(number)
    if len(positions) < access.rank or by_member not in ([], [access.rank - 1]):
        return None
    return bool(by_member)


def _rests_on(position: IntExpr, member: Axis, patterns: Patterns) -> bool:
    """Whether a position may be another one for another member of the author's loop."""
    values = (patterns.demand.by_serial[symbol.serial] for symbol in symbols(position) if symbol.serial)
    return member.point is not None and any(patterns.demand.rests_on(value, member.point) for value in values)
