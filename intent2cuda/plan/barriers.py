"""Where the threads of a block must wait for each other, and why."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import assert_never

from intent2cuda.plan.stage import (
    Access,
    Allocation,
    Axis,
    Branch,
    Carry,
    Check,
    Effect,
    Fold,
    Keep,
    Let,
    Level,
    Loop,
    Points,
    Product,
    Stage,
    Sync,
)
from intent2cuda.plan.touching import Touch, Touching
from intent2cuda.plan.trees import every


@dataclass(frozen=True)
class Owned:
    """A touch and who makes it: each member of `axis` its own thread, one thread (`once`), or every thread.

    `grid`: the members of the axis are dealt out to the threads of all blocks, else to those of one.
    """

    touch: Touch
    axis: Axis | None = None
    once: bool = False
    grid: bool = False


class Barriers:
    """Walks code that all threads of a block run together; `pending` is what was touched since they last waited."""

    def __init__(self, touching: Touching) -> None:
        self.touching = touching
        self.pending: tuple[Owned, ...] = ()

    def stages(self, stages: Sequence[Stage]) -> tuple[Stage, ...]:
        return tuple(made for stage in stages for made in self.stage(stage))

    def stage(self, stage: Stage) -> list[Stage]:
        match stage:
            case Points() if (axis := shared_axis(stage)) is not None:
                grid = any(bound.level is Level.GRID_LANE for bound in stage.axes)
                return [*self.before(Owned(touch, axis, grid=grid) for touch in self.touching.all((stage,))), stage]
            case Points():
                independent = any(bound.level is Level.GRID for bound in stage.axes)
                head, (body,) = self.rounds((stage.body,), (), independent)
                return [*head, replace(stage, body=body)]
            case Loop():
                start = self.stages(stage.start)
                bounds = self.before(Owned(touch) for touch in self.touching.own(stage))
                head, (test, body) = self.rounds((stage.test, stage.body), stage.carries, independent=False)
                self.pending = _merged(self.pending, [Owned(touch) for touch in self.touching.all(stage.test)])
                return [replace(stage, start=(*start, *bounds, *head), test=test, body=body)]
            case Branch():
                head = self.before(Owned(touch) for touch in self.touching.own(stage))
                return [*head, self.branch(stage)]
            case Fold():
                head = self.before(Owned(touch, stage.axes[0]) for touch in self.touching.own(stage))
                self.pending = ()  # the threads wait for each other to combine what they found
                return [*head, stage]
            case Effect() | Access() | Keep():
                return [*self.before(Owned(touch, once=stage.once) for touch in self.touching.own(stage)), stage]
            case Product() | Let():
                return [*self.before(Owned(touch) for touch in self.touching.own(stage)), stage]
            case Sync():
                self.pending = ()
                return [stage]
            case Allocation() | Check():
                return [stage]
            case _:
                assert_never(stage)

    def before(self, touched: Iterable[Owned]) -> list[Stage]:
        """A barrier when one of the touches must wait for a pending one; then they are pending themselves."""
        owned = tuple(touched)
        reason = next((why for one in owned for other in self.pending if (why := _waits(other, one))), "")
        self.pending = owned if reason else _merged(self.pending, owned)
        return [Sync(reason)] if reason else []

    def rounds(
        self, parts: Sequence[Sequence[Stage]], carries: Sequence[Carry], independent: bool
    ) -> tuple[list[Stage], list[tuple[Stage, ...]]]:
        """The parts of a round that follows itself, and what must stand before the first round.

        `independent` rounds share nothing but the buffers of the block.
        """
        entry = self.pending
        self.run(parts, carries)
        again = tuple(owned for owned in self.pending if not independent or not owned.touch.of_view)
        self.pending = again
        alone = self.run(parts, carries)
        after = self.pending
        self.pending = _merged(entry, again)
        whole = self.run(parts, carries)
        first = next((stage for stage in every([s for part in whole for s in part]) if isinstance(stage, Sync)), None)
        if first is None or _barriers(whole) == _barriers(alone):
            self.pending = _merged(entry, self.pending)  # there may be no round
            return [], whole
        self.pending = after
        return [first], alone

    def run(self, parts: Sequence[Sequence[Stage]], carries: Sequence[Carry]) -> list[tuple[Stage, ...]]:
        """One round; at its end the two buffers of a carry change places."""
        made = [self.stages(part) for part in parts]
        places = {one.buffer.id: one.spare.id for one in carries if one.buffer and one.spare}
        places |= {spare: buffer for buffer, spare in places.items()}
        renamed = (replace(o, touch=replace(o.touch, key=places.get(o.touch.key, o.touch.key))) for o in self.pending)
        self.pending = tuple(renamed)
        return made

    def branch(self, stage: Branch) -> Branch:
        entry = self.pending
        then_body = self.stages(stage.then_body)
        then_end, self.pending = self.pending, entry
        else_body = self.stages(stage.else_body)
        self.pending = _merged(then_end, self.pending)
        return replace(stage, then_body=then_body, else_body=else_body)


def shared_axis(stage: Points) -> Axis | None:
    """The axis whose members the threads of a block, or of the grid, share."""
    found = [bound.axis for bound in stage.axes if bound.level in (Level.THREADS, Level.GRID_LANE)]
    return found[-1] if found else None


def _barriers(parts: Sequence[Sequence[Stage]]) -> int:
    return sum(isinstance(stage, Sync) for part in parts for stage in every(part))


def _merged(one: Sequence[Owned], other: Sequence[Owned]) -> tuple[Owned, ...]:
    return tuple(dict.fromkeys((*one, *other)))


def _waits(earlier: Owned, later: Owned) -> str:
    """Why the later touch must wait, in the author's names; empty when it need not."""
    one, other = earlier.touch, later.touch
    if one.key != other.key or not (one.write or other.write) or _one_thread(earlier, later):
        return ""
    if one.write and other.write:
        return f"{one.name} is written again"
    return f"{one.name} is complete before it is read" if one.write else f"{one.name} is read before it is overwritten"


def _one_thread(earlier: Owned, later: Owned) -> bool:
    """Whether the same thread makes both touches of an element."""
    if earlier.once or later.once:
        return earlier.once and later.once
    mine, other = earlier.axis, later.axis
    if (
        mine is None
        or other is None
        or earlier.grid != later.grid
        or not (_plain(mine) and _plain(other))
        or mine.extent != other.extent
    ):
        return False
    positions = {position for position, axis in earlier.touch.along if axis.id == mine.id}
    return any(position in positions and axis.id == other.id for position, axis in later.touch.along)


def _plain(axis: Axis) -> bool:
    return axis.begin.constant == 0 and axis.step.constant == 1
