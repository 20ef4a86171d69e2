"""Ordered loops of sweeps over rows, of which several rounds may be done while rows are in the caches (time tiling).

What a sweep does in a row must be independent of what another sweep does in every row more than `reach` away. Then a
sweep may run ahead in the rows in front, with those behind it following `reach` rows apart, and each element is
computed from the same ones as before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum
from typing import TypeAlias

from intent2cuda.analysis.alias import Tolerance, overlaps
from intent2cuda.base.intexpr import IntExpr
from intent2cuda.ir.kernel import Kernel, walk
from intent2cuda.ir.ops import For, Inspect
from intent2cuda.ir.value import Value
from intent2cuda.plan.access import Access
from intent2cuda.plan.axes import yielded
from intent2cuda.plan.checks import known_at_call
from intent2cuda.plan.covering import own_roots
from intent2cuda.plan.demand import Demand
from intent2cuda.plan.stage import Axis, Effect, Let, Loop, Points, Stage, TimeTiles
from intent2cuda.plan.trees import every
from intent2cuda.types.value_type import ViewType

Placed: TypeAlias = tuple[Access, dict[int, IntExpr]]
"""An access with the axes of its memory along which it is at the row of the member, and how far from it."""

TIME_TILES = "cpu.loop.time_tiles"


class Obstacle(Enum):
    """Why the rounds of a loop run one after the other."""

    OTHER_WORK = "a round hands on values, or does more than to store elements in loops over all rows"
    INSPECTED = "what a round does is inspected while it runs"
    STEPS = "its rounds are not for one member after the other"
    ELEMENTS = "a row is one element"
    ROWS = "its sweeps have different rows, or bounds that are known only inside the kernel"
    WRITES = "memory is written at a row other than that of the member, or not always along the same axis"
    READS = "what a sweep writes is read at rows that are not a known number apart"
    NOTHING_READ = "no sweep reads what one wrote"
    SHARED = "memory that it writes may be the same as other memory that it touches"


def is_of_sweeps(stage: Loop) -> bool:
    """Whether a round of the author's is a loop over elements at least, so that rounds could run together."""
    return isinstance(stage.op, For) and any(isinstance(inner, Points) for inner in stage.body)


def time_tiles(stage: Loop, kernel: Kernel, demand: Demand) -> TimeTiles | Obstacle:
    """The rows of the sweeps that make up a loop, or why its rounds stay apart."""
    op = stage.op
    if not isinstance(op, For) or stage.carries or stage.start or yielded(op.body).stop is not None:
        return Obstacle.OTHER_WORK
    shared, sweeps = parted(stage)
    if not sweeps or not all(isinstance(inner, Points | Let | Effect) for inner in every(stage.body)):
        return Obstacle.OTHER_WORK
    if any(isinstance(inner, Inspect) for inner in walk(op.body)):
        return Obstacle.INSPECTED
    if op.domain.domain.step.constant != 1:
        return Obstacle.STEPS
    if any(sum(len(inner.axes) for inner in every((sweep,)) if isinstance(inner, Points)) < 2 for sweep in sweeps):
        return Obstacle.ELEMENTS
    if not _have_same_rows(sweeps, kernel):
        return Obstacle.ROWS
    rows = [found for sweep in sweeps for found in _placed(sweep, demand, kernel)]
    written = {access.resource for access, _ in rows if access.store}
    if any(access.resource in written for inner in shared for access in _accesses(inner, demand)):
        return Obstacle.READS
    apart = [_reach([found for found in rows if found[0].resource is memory]) for memory in written]
    numbers = [number for number in apart if isinstance(number, int)]
    if len(numbers) < len(apart):
        return Obstacle.WRITES if Obstacle.WRITES in apart else Obstacle.READS
    if not any(access.resource in written and not access.store for access, _ in rows):
        return Obstacle.NOTHING_READ
    if _may_be_one(kernel, written, {access.resource for access, _ in rows}):
        return Obstacle.SHARED
    return TimeTiles(max(numbers), _row_bytes(rows, kernel))


def parted(stage: Loop) -> tuple[tuple[Let, ...], tuple[Points, ...]]:
    """The scalars of a round that stand before its sweeps, and the sweeps; no sweeps where there is anything else."""
    lets = [inner for inner in stage.body if isinstance(inner, Let)]
    sweeps = [inner for inner in stage.body if isinstance(inner, Points)]
    in_order = stage.body == (*lets, *sweeps) and not any(let.at for let in lets)
    return (tuple(lets), tuple(sweeps)) if in_order else ((), ())


def _have_same_rows(sweeps: Sequence[Points], kernel: Kernel) -> bool:
    """Whether the outermost loops of all sweeps have the same members, and all bounds are those of every round."""
    nests = [stage for stage in every(sweeps) if isinstance(stage, Points)]
    bounds = [(axis.begin, axis.extent, axis.step) for nest in nests for axis in (bound.axis for bound in nest.axes)]
    rows = [sweep.axes[0].axis for sweep in sweeps]
    alike = len({(row.begin, row.extent, row.step) for row in rows}) == 1 and rows[0].step.constant == 1
    return alike and all(known_at_call(kernel, *each) for each in bounds)


def _placed(sweep: Points, demand: Demand, kernel: Kernel) -> Iterator[Placed]:
    """Everything that a sweep touches."""
    row = sweep.axes[0].axis
    for stage in every((sweep,)):
        for access in _accesses(stage, demand):
            yield access, dict(_rows(access, stage, row, kernel))


def _accesses(stage: Stage, demand: Demand) -> Iterator[Access]:
    for root in own_roots(stage, demand):
        yield from demand.seen(root).accesses


def _rows(access: Access, stage: Stage, row: Axis, kernel: Kernel) -> Iterator[tuple[int, IntExpr]]:
    """The axes of memory along which an access is at the row of the member, with how far from it."""
    at = stage.at if isinstance(stage, Let | Effect) else ()
    for token, axis, begin, step in access.ties:
        if token < len(at) and at[token].id == row.id and step.constant == 1 and known_at_call(kernel, begin):
            yield axis, begin - row.begin
    for axis, position in access.points:
        if row.point is not None and known_at_call(kernel, position - row.point.as_symbol):
            yield axis, position - row.point.as_symbol


def _reach(accesses: Sequence[Placed]) -> int | Obstacle:
    """How far from the row that is written a row of the same memory is read at most."""
    written = [places for access, places in accesses if access.store]
    own = [axis for axis, place in written[0].items() if all(places.get(axis) == place for places in written)]
    if not own:
        return Obstacle.WRITES
    for axis in own:
        apart = [(places[axis] - written[0][axis]).constant for _, places in accesses if axis in places]
        numbers = [abs(number) for number in apart if number is not None]
        if len(numbers) == len(accesses):
            return max(numbers)
    return Obstacle.READS


def _may_be_one(kernel: Kernel, written: set[Value], touched: set[Value]) -> bool:
    """Whether a call may pass memory that is written as other memory too."""
    for pair in overlaps(kernel):
        views = {pair.written, pair.other}
        forbidden = any(isinstance(view.type, ViewType) and view.type.noalias for view in views)
        if pair.tolerance is not Tolerance.DISJOINT and not forbidden and written & views and views <= touched:
            return True
    return False


def _row_bytes(rows: Sequence[Placed], kernel: Kernel) -> IntExpr:
    """What the elements of a row take in all memories that have rows."""
    axes: dict[Value, int] = {}
    for access, places in rows:
        for axis in places:
            axes.setdefault(access.resource, axis)
    total = IntExpr.of(0)
    for memory, axis in axes.items():
        size = IntExpr.of(memory.resource.dtype.bytes)
        for number, extent in enumerate(memory.resource.shape):
            size = size if number == axis else size * extent
        total += size if known_at_call(kernel, size) else 0
    return total
