"""cuda: which loops the blocks share, which ones run thread by thread, and when a kernel must stay in one block."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

from intent2cuda.base.intexpr import IntExpr
from intent2cuda.ir.op import results
from intent2cuda.plan.patterns import Patterns, inner_sweeps
from intent2cuda.plan.stage import Access, Axis, Branch, Effect, Fold, Keep, Loop, Points, Product, Stage
from intent2cuda.plan.staging import Draft
from intent2cuda.plan.touching import Touch, Touching
from intent2cuda.plan.trees import inside
from intent2cuda.types.value_type import BufferType

SHORT = 32
"""A sweep of at most as many members, known in number, is left to one thread."""


@dataclass(frozen=True)
class Unit:
    """A top-level stage; `repeats` when a loop around it comes back to it."""

    stage: Stage
    touches: tuple[Touch, ...]
    repeats: bool


@dataclass(frozen=True)
class Sharing:
    """`on_grid`: the loops that blocks share. `by_thread`: loops whose members are one thread's work.

    `single`: why one block only. `repeated`: every block runs sweeps for itself.
    """

    on_grid: frozenset[str]
    by_thread: frozenset[str]
    single: str
    repeated: bool


def sharing(draft: Draft, touching: Touching, patterns: Patterns, local_elements: int) -> Sharing:
    by_thread = frozenset(_by_thread(draft, draft.stages, patterns, local_elements))
    units = list(_units(draft.stages, touching, repeats=False))
    writing = [unit for unit in units if _writes_outside(unit)]
    on_grid = frozenset(unit.stage.id for unit in writing if isinstance(unit.stage, Points | Product))
    wide = [b.name for b in draft.buffers if b.shared_by_team and sum(e.constant is None for e in b.extents) > 1]
    author = [b.name for b in draft.buffers if b.shared_by_team and isinstance(b.value.type, BufferType)]
    through = author[0] if author else _told(units) or _dependence(units, writing, on_grid, by_thread)
    single = f"parts of it depend on each other through {through}, and blocks cannot wait" if through else ""
    if wide and on_grid and not single:
        single = f"every block would need storage of its own for {wide[0]}"
    alone = [unit for unit in units if unit not in writing and isinstance(unit.stage, Points | Product | Fold)]
    return Sharing(on_grid, by_thread, single, bool(alone))


def _units(stages: Sequence[Stage], touching: Touching, repeats: bool) -> Iterator[Unit]:
    for stage in stages:
        if isinstance(stage, Loop):
            yield Unit(stage, tuple(touching.own(stage)), repeats)
            yield from _units(stage.start, touching, repeats)
            yield from _units((*stage.test, *stage.body), touching, repeats=True)
        elif isinstance(stage, Branch):
            yield Unit(stage, tuple(touching.own(stage)), repeats)
            yield from _units(inside(stage), touching, repeats)
        else:
            yield Unit(stage, tuple(touching.all((stage,))), repeats)


def _writes_outside(unit: Unit) -> bool:
    return any(touch.write and touch.of_view for touch in unit.touches)


def _dependence(
    units: Sequence[Unit], writing: Sequence[Unit], on_grid: frozenset[str], by_thread: frozenset[str]
) -> str:
    """Which memory one block writes and another one touches; empty when there is none."""
    for unit in writing:
        for other in units:
            if unit is other and not unit.repeats:
                continue
            if not on_grid & {_id(unit.stage), _id(other.stage)} and not _by_all(other.stage):
                continue
            for one in unit.touches:
                for two in other.touches:
                    if (
                        one.write
                        and one.key == two.key
                        and (one.of_view or not two.write)  # each block fills its own copy of a buffer
                        and not _one_thread(unit.stage, one, other.stage, two, by_thread & on_grid)
                    ):
                        return one.name
    return ""


def _told(units: Sequence[Unit]) -> str:
    """The memory whose old elements an atomic access gives to code that every block runs; empty when there is none."""
    accesses = (unit.stage for unit in units if isinstance(unit.stage, Access))
    return next((access.op.resource.name for access in accesses if results(access.op)), "")


def _by_all(stage: Stage) -> bool:
    """Whether every block runs the stage, not one thread of one block."""
    return not isinstance(stage, Effect | Access | Keep)


def _id(stage: Stage) -> str:
    return stage.id if isinstance(stage, Points | Product | Fold | Loop | Branch) else ""


def _one_thread(unit: Stage, one: Touch, other: Stage, two: Touch, by_thread: frozenset[str]) -> bool:
    """Whether one thread of the grid makes both touches of an element: the two loops are laid over the grid alike."""
    if not isinstance(unit, Points) or not isinstance(other, Points) or not {unit.id, other.id} <= by_thread:
        return False
    if len(unit.axes) != len(other.axes):
        return False
    return all(
        _tied(one.along, first.axis) & _tied(two.along, second.axis) and _alike(first.axis, second.axis)
        for first, second in zip(unit.axes, other.axes, strict=True)
    )


def _tied(along: Sequence[tuple[int, Axis]], axis: Axis) -> set[int]:
    return {position for position, other in along if other.id == axis.id}


def _alike(one: Axis, other: Axis) -> bool:
    return (one.begin, one.extent, one.step) == (other.begin, other.extent, other.step)


def _by_thread(draft: Draft, stages: Sequence[Stage], patterns: Patterns, local_elements: int) -> Iterator[str]:
    for stage in stages:
        if isinstance(stage, Points) and _fits_thread(draft, stage, patterns, local_elements):
            yield stage.id
        yield from _by_thread(draft, inside(stage), patterns, local_elements)


def _fits_thread(draft: Draft, stage: Points, patterns: Patterns, local_elements: int) -> bool:
    own = [b for b in draft.buffers if stage.id in b.inside]
    if any(not is_small(buffer.extents, local_elements) for buffer in own):
        return False
    return all(_short(sweep) or patterns.side_by_side(stage, sweep) for sweep in inner_sweeps(stage.body))


def _short(sweep: Stage) -> bool:
    match sweep:
        case Points():
            return is_small([bound.axis.extent for bound in sweep.axes], SHORT)
        case Fold():
            return is_small([axis.extent for axis in (*sweep.axes, *sweep.over)], SHORT)
        case _:
            return False


def is_small(extents: Sequence[IntExpr], limit: int) -> bool:
    count = prod(extents, start=IntExpr.of(1)).constant
    return count is not None and count <= limit
