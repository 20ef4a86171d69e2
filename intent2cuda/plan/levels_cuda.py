"""Who runs what on a gpu: blocks take members of the outer loops, the threads of a block share the inner ones.

At the top level every block runs what is only computed (each for itself), and shares the loops that write memory of the
caller. When such loops depend on each other the whole kernel runs in one block, because blocks cannot wait for each
other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import assert_never

from intent2cuda.ir.ops import ArgReduce
from intent2cuda.plan.catalogue import CUDA_FOLDS, CUDA_POINTS, CUDA_PRODUCTS, Situation
from intent2cuda.plan.choosing import Chooser
from intent2cuda.plan.stage import (
    Access,
    Allocation,
    BoundAxis,
    Branch,
    Check,
    Effect,
    Fold,
    Implementation,
    Keep,
    Let,
    Level,
    Loop,
    Points,
    Product,
    Stage,
    Sync,
)

A_THREAD = "neighbouring threads take neighbouring members"
A_BLOCK = "a block takes a member: its threads share the work inside"
ALL_TURNS = "the block takes one member after another: its threads share the work inside"
ONE_THREAD = "one thread does all that belongs to its member"


@dataclass(frozen=True)
class CudaLevels:
    """`single`: the whole kernel runs in one block. `by_thread`: the loops whose members are each one thread's work."""

    single: bool
    by_thread: frozenset[str]
    chooser: Chooser

    def top(self, stages: Sequence[Stage], on_grid: frozenset[str]) -> tuple[Stage, ...]:
        """`on_grid`: the loops that the blocks share; every block runs the others for itself."""
        return tuple(self.top_stage(stage, on_grid) for stage in stages)

    def top_stage(self, stage: Stage, on_grid: frozenset[str]) -> Stage:
        match stage:
            case Points() if stage.id in on_grid and not self.single:
                return self.grid_points(stage)
            case Product() if stage.id in on_grid and not self.single:
                return replace(stage, level=Level.GRID, implementation=self.product(stage))
            case Loop():
                start, body, test = (self.top(part, on_grid) for part in (stage.start, stage.body, stage.test))
                return replace(stage, start=start, body=body, test=test)
            case Branch():
                then_body, else_body = (self.top(part, on_grid) for part in (stage.then_body, stage.else_body))
                return replace(stage, then_body=then_body, else_body=else_body)
            case _:
                return self.block_stage(stage)

    def grid_points(self, stage: Points) -> Points:
        *others, last = stage.axes
        implementation = self.points(stage, grid=True)
        if stage.id in self.by_thread:
            axes = (*_outer(others, 1, A_BLOCK), BoundAxis(last.axis, Level.GRID_LANE, A_THREAD))
            return replace(stage, axes=axes, body=self.thread(stage.body), implementation=implementation)
        axes = _outer(stage.axes, 0, A_BLOCK)
        return replace(stage, axes=axes, body=self.block(stage.body), implementation=implementation)

    def block(self, stages: Sequence[Stage]) -> tuple[Stage, ...]:
        """What the threads of one block run together."""
        return tuple(self.block_stage(stage) for stage in stages)

    def block_stage(self, stage: Stage) -> Stage:
        match stage:
            case Points():
                return self.block_points(stage)
            case Fold():
                return replace(stage, level=Level.THREADS, implementation=self.fold(stage, False))
            case Product():
                return replace(stage, level=Level.THREADS, implementation=self.product(stage))
            case Effect() | Access() | Keep():
                return replace(stage, once=True)
            case Loop():
                start, body, test = (self.block(part) for part in (stage.start, stage.body, stage.test))
                return replace(stage, start=start, body=body, test=test)
            case Branch():
                then_body, else_body = self.block(stage.then_body), self.block(stage.else_body)
                return replace(stage, then_body=then_body, else_body=else_body)
            case Let() | Allocation() | Sync() | Check():
                return stage
            case _:
                assert_never(stage)

    def block_points(self, stage: Points) -> Points:
        *others, last = stage.axes
        implementation = self.points(stage, grid=False)
        if stage.id in self.by_thread:
            serial = (BoundAxis(bound.axis, Level.SERIAL, ALL_TURNS) for bound in others)
            axes = (*serial, BoundAxis(last.axis, Level.THREADS, A_THREAD))
            return replace(stage, axes=axes, body=self.thread(stage.body), implementation=implementation)
        axes = tuple(BoundAxis(bound.axis, Level.SERIAL, ALL_TURNS) for bound in stage.axes)
        return replace(stage, axes=axes, body=self.block(stage.body), implementation=implementation)

    def thread(self, stages: Sequence[Stage]) -> tuple[Stage, ...]:
        """What one thread runs by itself."""
        return tuple(self.thread_stage(stage) for stage in stages)

    def thread_stage(self, stage: Stage) -> Stage:
        match stage:
            case Points():
                axes = tuple(BoundAxis(bound.axis, Level.SERIAL, ONE_THREAD) for bound in stage.axes)
                implementation = self.chooser.take(stage.id, CUDA_POINTS, Situation(inside_thread=True))
                return replace(stage, axes=axes, body=self.thread(stage.body), implementation=implementation)
            case Fold():
                return replace(stage, level=Level.SERIAL, implementation=self.fold(stage, True))
            case Loop():
                start, body, test = (self.thread(part) for part in (stage.start, stage.body, stage.test))
                return replace(stage, start=start, body=body, test=test)
            case Branch():
                then_body, else_body = self.thread(stage.then_body), self.thread(stage.else_body)
                return replace(stage, then_body=then_body, else_body=else_body)
            case Product() | Effect() | Access() | Keep() | Let() | Allocation() | Sync() | Check():
                return stage
            case _:
                assert_never(stage)

    def points(self, stage: Points, grid: bool) -> Implementation:
        situation = Situation(axes=len(stage.axes), grid=grid, by_thread=stage.id in self.by_thread)
        return self.chooser.take(stage.id, CUDA_POINTS, situation)

    def fold(self, stage: Fold, inside_thread: bool) -> Implementation:
        situation = Situation(greatest=isinstance(stage.op, ArgReduce), inside_thread=inside_thread)
        return self.chooser.take(stage.id, CUDA_FOLDS, situation)

    def product(self, stage: Product) -> Implementation:
        return self.chooser.take(stage.id, CUDA_PRODUCTS, Situation())


def _outer(axes: Sequence[BoundAxis], used: int, reason: str) -> tuple[BoundAxis, ...]:
    """The innermost axes that a grid has room for are laid over it; those further out run in turns."""
    turns = max(0, len(axes) - (3 - used))
    serial = tuple(BoundAxis(bound.axis, Level.SERIAL, "a grid has three axes") for bound in axes[:turns])
    return (*serial, *(BoundAxis(bound.axis, Level.GRID, reason) for bound in axes[turns:]))
