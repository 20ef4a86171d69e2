"""Where the threads of a block must wait for each other, and why."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import assert_never

from intent2cuda.plan.stage import (
    Allocation,
    Axis,
    Branch,
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


@dataclass(frozen=True)
class Owned:
    """A touch and who makes it: each member of `axis` its own thread, one thread (`once`), or every thread."""

    touch: Touch
    axis: Axis | None = None
    once: bool = False


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
                return [*self.before(Owned(touch, axis) for touch in self.touching.all((stage,))), stage]
            case Points():
                independent = any(bound.level is Level.GRID for bound in stage.axes)
                return [replace(stage, body=self.rounds((stage.body,), independent)[0])]
            case Loop():
                start = self.stages(stage.start)
                head = self.before(Owned(touch) for touch in self.touching.own(stage))
                test, body = self.rounds((stage.test, stage.body), independent=False)
                return [*head, replace(stage, start=start, test=test, body=body)]
            case Branch():
                head = self.before(Owned(touch) for touch in self.touching.own(stage))
                return [*head, self.branch(stage)]
            case Fold():
                head = self.before(Owned(touch, stage.axes[0]) for touch in self.touching.own(stage))
                self.pending = ()  # the threads wait for each other to combine what they found
                return [*head, stage]
            case Effect() | Keep():
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

    def rounds(self, parts: Sequence[Sequence[Stage]], independent: bool) -> list[tuple[Stage, ...]]:
        """The parts of a round that follows itself. `independent` rounds share nothing but the buffers of the block."""
        entry = self.pending
        for part in parts:
            self.stages(part)
        again = [owned for owned in self.pending if not independent or not owned.touch.of_view]
        self.pending = _merged(entry, again)
        return [self.stages(part) for part in parts]

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
    if mine is None or other is None or not (_plain(mine) and _plain(other)) or mine.extent != other.extent:
        return False
    positions = {position for position, axis in earlier.touch.along if axis.id == mine.id}
    return any(position in positions and axis.id == other.id for position, axis in later.touch.along)


def _plain(axis: Axis) -> bool:
    return axis.begin.constant == 0 and axis.step.constant == 1
