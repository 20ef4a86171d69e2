"""Whether two views may be one memory, seen from the stages alone: for loops whose members touch one element each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from intent2cuda.base.intexpr import IntExpr
from intent2cuda.ir.value import Value
from intent2cuda.plan.access import Access
from intent2cuda.plan.covering import own_roots
from intent2cuda.plan.stage import Axis, Effect, Let, Points
from intent2cuda.plan.staging import Draft

Place = tuple[tuple[int, str, IntExpr, IntExpr], ...]
"""For each axis of the memory the loop axis along which the position moves, where it begins and how it steps."""


def in_step(draft: Draft, written: Value, other: Value) -> bool:
    """Whether the kernel is one loop of plain stores, each member touches the same element of both views and of no
    other member, and nothing reads `other` once `written` is stored.
    """
    match draft.stages:
        case (Points(axes=axes, body=body),) if all(isinstance(stage, Let | Effect) for stage in body):
            nest = [bound.axis for bound in axes]
        case _:
            return False
    places: set[Place] = set()
    stored = False
    for stage in body:
        assert isinstance(stage, Let | Effect)
        touched = [a for root in own_roots(stage, draft.demand) for a in draft.demand.seen(root).accesses]
        if stored and any(a.resource is other and not a.store for a in touched):
            return False
        mine = [a for a in touched if a.resource in (written, other)]
        places |= {_place(access, stage.at, nest) for access in mine}
        stored = stored or any(a.resource is written and a.store for a in mine)
    if len(places) != 1:
        return False
    (place,) = places
    return {axis for _, axis, _, _ in place} == {axis.id for axis in nest} and len(place) == len(written.resource.shape)


def _place(access: Access, at: Sequence[Axis], nest: Sequence[Axis]) -> Place:
    """The parts of a position that a loop axis decides."""
    along = ((axis, at[token].id, begin, step) for token, axis, begin, step in access.ties if step.constant != 0)
    return tuple(sorted((*along, *_points(access, nest)), key=lambda part: part[0]))


def _points(access: Access, nest: Sequence[Axis]) -> Iterator[tuple[int, str, IntExpr, IntExpr]]:
    """Positions at the point of an author's loop."""
    for axis, position in access.points:
        for loop in nest:
            if loop.point is not None and position == loop.point.as_symbol:
                yield axis, loop.id, loop.begin, loop.step
