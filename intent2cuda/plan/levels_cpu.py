"""Who runs what on a cpu: threads share the outermost loop, vector lanes the innermost, one thread does the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import assert_never

from intent2cuda.ir.ops import ArgReduce
from intent2cuda.plan.patterns import Patterns, simple
from intent2cuda.plan.stage import (
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

MAP = Implementation("cpu.pointwise.map")
MAP_ROW = Implementation("cpu.pointwise.map_row")
SIMD = Implementation("cpu.pointwise.simd")
TEAM_SIMD = Implementation("cpu.pointwise.team_simd")
TEAM = Implementation("cpu.points.team")
SERIAL = Implementation("cpu.points.serial")
FOLD = Implementation("cpu.reduce.lanes")
TEAM_FOLD = Implementation("cpu.reduce.team")
COLUMNS = Implementation("cpu.reduce.columns")
ARG_MAX = Implementation("cpu.reduce.arg_max")
PRODUCT = Implementation("cpu.contract.fma_tile")

ROWS = "the threads share the members: each is independent of the others"
LANES = "contiguous and free of branches: one member a vector lane"
ONE = "one thread runs what belongs to one member"


@dataclass(frozen=True)
class CpuLevels:
    patterns: Patterns

    def stages(self, stages: Sequence[Stage], team: bool) -> tuple[Stage, ...]:
        """The stages with levels. `team`: a surrounding loop is already shared by the threads."""
        return tuple(self.stage(stage, team) for stage in stages)

    def stage(self, stage: Stage, team: bool) -> Stage:
        match stage:
            case Points():
                return self.inner_points(stage) if team else self.team_points(stage)
            case Fold():
                return self.fold(stage, team)
            case Product():
                level = Level.SERIAL if team else Level.TEAM
                return replace(stage, level=level, implementation=PRODUCT)
            case Loop():
                start, body, test = (self.stages(part, team) for part in (stage.start, stage.body, stage.test))
                return replace(stage, start=start, body=body, test=test)
            case Branch():
                then_body, else_body = (self.stages(part, team) for part in (stage.then_body, stage.else_body))
                return replace(stage, then_body=then_body, else_body=else_body)
            case Effect() | Let() | Keep() | Allocation() | Sync() | Check():
                return stage
            case _:
                assert_never(stage)

    def fold(self, stage: Fold, team: bool) -> Fold:
        prefetch = team and not stage.over and self.patterns.transcendental(stage)
        if isinstance(stage.op, ArgReduce):
            return replace(stage, level=Level.SERIAL, implementation=ARG_MAX, prefetch=False)
        if stage.over:
            return replace(stage, level=Level.SERIAL if team else Level.TEAM, implementation=COLUMNS)
        if team:
            return replace(stage, level=Level.SERIAL, implementation=FOLD, prefetch=prefetch)
        return replace(stage, level=Level.TEAM, implementation=TEAM_FOLD)

    def team_points(self, stage: Points) -> Points:
        """The outermost loop: its first axis is shared; the last one gets a loop of its own when the body is pointwise."""
        first, *others = stage.axes
        if not simple(stage.body):
            axes = (_level(first, Level.TEAM, ROWS), *(_level(axis, Level.SERIAL, ONE) for axis in others))
            return replace(stage, axes=axes, body=self.stages(stage.body, team=True), implementation=TEAM)
        if others:
            inner = replace(
                stage, id=f"{stage.id}.row", axes=(others[-1],), op=None, work=self.patterns.row_work(stage)
            )
            axes = (_level(first, Level.TEAM, ROWS), *(_level(axis, Level.SERIAL, ONE) for axis in others[:-1]))
            return replace(stage, axes=axes, body=(self.inner_points(inner),), implementation=TEAM)
        mapped = len(stage.body) == 1 and self.patterns.contiguous_store(stage, first.axis)
        implementation = MAP if mapped else TEAM_SIMD
        return replace(stage, axes=(_level(first, Level.TEAM, ROWS),), implementation=implementation, stream=mapped)

    def inner_points(self, stage: Points) -> Points:
        """A loop inside a shared one: its last axis is the vector axis when the body is pointwise."""
        *others, last = stage.axes
        if not simple(stage.body):
            axes = tuple(_level(axis, Level.SERIAL, ONE) for axis in stage.axes)
            return replace(stage, axes=axes, body=self.stages(stage.body, team=True), implementation=SERIAL)
        if others:
            inner = replace(stage, id=f"{stage.id}.row", axes=(last,), op=None, work=self.patterns.row_work(stage))
            axes = tuple(_level(axis, Level.SERIAL, ONE) for axis in others)
            return replace(stage, axes=axes, body=(self.inner_points(inner),), implementation=SERIAL)
        stream = len(stage.body) == 1 and self.patterns.streams(stage, last.axis)
        implementation = MAP_ROW if stream else SIMD
        return replace(stage, axes=(_level(last, Level.SIMD, LANES),), implementation=implementation, stream=stream)


def _level(bound: BoundAxis, level: Level, reason: str) -> BoundAxis:
    return BoundAxis(bound.axis, level, reason)
