"""Ordered loops of sweeps over rows, of which several rounds may be done while rows are in the caches (time tiling).

What a sweep does in a row must be independent of what another sweep does in every row more than `reach` away. Then a
sweep may run ahead in the rows in front, with those behind it following `reach` rows apart, and each element is
computed from the same ones as before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum
from math import prod
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
    if any(_depth(sweep) < 2 for sweep in sweeps):
        return Obstacle.ELEMENTS
    nests = [inner for inner in every(sweeps) if isinstance(inner, Points)]
    bounds = [part for nest in nests for bound in nest.axes for part in _members(bound.axis)]
    if not _are_alike(sweeps, 0) or not known_at_call(kernel, *bounds):
        return Obstacle.ROWS
    rows = _placed(sweeps, 0, demand, kernel)
    written = {access.resource for access, _ in rows if access.store}
    if any(access.resource in written for inner in shared for access in _accesses(inner, demand)):
        return Obstacle.READS
    reach = _reach(rows, written)
    if isinstance(reach, Obstacle):
        return reach
    if not any(access.resource in written and not access.store for access, _ in rows):
        return Obstacle.NOTHING_READ
    if _may_be_one(kernel, written, {access.resource for access, _ in rows}):
        return Obstacle.SHARED
    return _with_planes(sweeps, rows, reach, demand, kernel)


def _with_planes(sweeps: Sequence[Points], rows: list[Placed], reach: int, demand: Demand, kernel: Kernel) -> TimeTiles:
    """Along the first axis alone, or along two where all sweeps have both in common and one more inside."""
    deep = all(len(sweep.axes) > 1 and _depth(sweep) > 2 for sweep in sweeps)
    if deep and _are_alike(sweeps, 1):
        inner = _placed(sweeps, 1, demand, kernel)
        further = _reach(inner, {access.resource for access, _ in inner if access.store})
        if isinstance(further, int):
            return TimeTiles((reach, further), _row_bytes((rows, inner), kernel))
    return TimeTiles((reach,), _row_bytes((rows,), kernel))


def parted(stage: Loop) -> tuple[tuple[Let, ...], tuple[Points, ...]]:
    """The scalars of a round that stand before its sweeps, and the sweeps; no sweeps where there is anything else."""
    lets = [inner for inner in stage.body if isinstance(inner, Let)]
    sweeps = [inner for inner in stage.body if isinstance(inner, Points)]
    in_order = stage.body == (*lets, *sweeps) and not any(let.at for let in lets)
    return (tuple(lets), tuple(sweeps)) if in_order else ((), ())


def _depth(sweep: Points) -> int:
    """How many loops a sweep is, also those inside."""
    return sum(len(stage.axes) for stage in every((sweep,)) if isinstance(stage, Points))


def _members(axis: Axis) -> tuple[IntExpr, IntExpr, IntExpr]:
    return axis.begin, axis.extent, axis.step


def _are_alike(sweeps: Sequence[Points], number: int) -> bool:
    """Whether the loops of all sweeps have the same members along an axis, one after the other."""
    members = {_members(sweep.axes[number].axis) for sweep in sweeps}
    return len(members) == 1 and all(step.constant == 1 for _, _, step in members)


def _placed(sweeps: Sequence[Points], number: int, demand: Demand, kernel: Kernel) -> list[Placed]:
    """Everything that sweeps touch, as it lies along one of their axes."""
    return [
        (access, dict(_rows(access, stage, sweep.axes[number].axis, kernel)))
        for sweep in sweeps
        for stage in every((sweep,))
        for access in _accesses(stage, demand)
    ]


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


def _reach(rows: Sequence[Placed], written: set[Value]) -> int | Obstacle:
    """How far from the row that is written a row of the same memory is read at most."""
    apart = [_reach_in([found for found in rows if found[0].resource is memory]) for memory in written]
    numbers = [number for number in apart if isinstance(number, int)]
    if len(numbers) == len(apart):
        return max(numbers, default=0)
    return Obstacle.WRITES if Obstacle.WRITES in apart else Obstacle.READS


def _reach_in(accesses: Sequence[Placed]) -> int | Obstacle:
    """The same in one memory."""
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


def _row_bytes(found: Sequence[Sequence[Placed]], kernel: Kernel) -> IntExpr:
    """What the elements of a row take in all memories that have rows. `found`: what is touched, along each axis."""
    axes: dict[Value, set[int]] = {}
    for rows in found:
        along = {access.resource: axis for access, places in reversed(rows) for axis in sorted(places)[:1]}
        for memory, axis in along.items():
            axes.setdefault(memory, set()).add(axis)
    sizes = list[IntExpr]()
    for memory, own in axes.items():
        extents = (extent for number, extent in enumerate(memory.resource.shape) if number not in own)
        sizes.append(prod(extents, start=IntExpr.of(memory.resource.dtype.bytes)))
    return sum((size for size in sizes if known_at_call(kernel, size)), start=IntExpr.of(0))
