"""Who runs what on a cpu: threads share the outermost loop, vector lanes the innermost, one thread does the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import assert_never

from intent2cuda.ir.ops import ArgReduce, Reduce, ScanBy
from intent2cuda.plan.abreast import runs_abreast
from intent2cuda.plan.catalogue import (
    CPU_FOLDS,
    CPU_POINTS,
    CPU_PRODUCTS,
    CPU_ROUNDS,
    CPU_SCANS,
    CPU_SEARCHES,
    CPU_SWEEPS,
    Situation,
)
from intent2cuda.plan.choosing import Chooser
from intent2cuda.plan.draws import draw_of
from intent2cuda.plan.patterns import Patterns, inner_sweeps, simple
from intent2cuda.plan.prefixes import prefixes
from intent2cuda.plan.ragged import is_read, is_shared_part, offsets
from intent2cuda.plan.searches import is_guarded
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
    Prefetch,
    Product,
    Stage,
    Sync,
    TimeTiles,
)
from intent2cuda.plan.time_tiles import TIME_TILES, Obstacle, is_of_sweeps, time_tiles
from intent2cuda.plan.uneven import is_uneven

RANDOM_MAPS = ("cpu.random.map", "cpu.random.map_row")
STREAMED = (*RANDOM_MAPS, "cpu.pointwise.map", "cpu.pointwise.map_row")
SCATTER_ADD = "cpu.scatter.add"
RAGGED = "cpu.points.ragged"
RAGGED_FOLD = "cpu.reduce.ragged"
ABREAST = "cpu.points.abreast"
ROWS = "the threads share the members: each is independent of the others"
TILES = "the threads share tiles of rows: sweeps follow each other in a tile, as far apart as they reach"
TURNS = "a thread that is free takes the next member: later ones have more to do, or less"
PARTS = "the threads share the members, about as many elements each"
LANES = "contiguous and free of branches: one member a vector lane"
OWN = "each vector lane reduces for a member of its own"
COLUMNS = "contiguous: one column a vector lane"
ONE = "one thread runs what belongs to one member"
NO_PARTS = Situation()


@dataclass(frozen=True)
class CpuLevels:
    """`streams`: whether large outputs may go past the caches."""

    patterns: Patterns
    chooser: Chooser
    streams: bool = True

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
                implementation = self.chooser.take(stage.id, CPU_PRODUCTS, Situation(team=team))
                return replace(stage, level=level, implementation=implementation)
            case Loop():
                return self.loop(stage, team)
            case Branch():
                then_body, else_body = (self.stages(part, team) for part in (stage.then_body, stage.else_body))
                return replace(stage, then_body=then_body, else_body=else_body)
            case Effect() | Access() | Let() | Keep() | Allocation() | Sync() | Check():
                return stage
            case _:
                assert_never(stage)

    def loop(self, stage: Loop, team: bool) -> Loop:
        """A loop that leaves every prefix in memory is one call, one that may mostly do nothing looks ahead for rounds
        that do, and several rounds of sweeps over rows run together; any other runs round by round. Threads are not
        woken for each row of a scan: there may be many short ones.
        """
        found = prefixes(stage, self.patterns.demand)
        if found is not None:
            implementation = self.chooser.take(stage.id, CPU_SCANS, Situation(team=team))
            scans = replace(found, stream=self.patterns.streams_prefixes(stage))
            return replace(stage, implementation=implementation, scans=scans)
        alone = team or is_row_by_row(stage)
        if not alone and is_of_sweeps(stage):
            return self.sweeps(stage)
        start, body, test = (self.stages(part, alone) for part in (stage.start, stage.body, stage.test))
        implementation = self.chooser.take(stage.id, CPU_SEARCHES, Situation(team=team)) if is_guarded(stage) else None
        return replace(stage, start=start, body=body, test=test, implementation=implementation)

    def sweeps(self, stage: Loop) -> Loop:
        """A loop of sweeps over rows that threads share, several rounds together where that is legal."""
        tiles = time_tiles(stage, self.patterns.kernel, self.patterns.demand)
        apart = tiles if isinstance(tiles, Obstacle) else None
        implementation = self.chooser.take(stage.id, CPU_ROUNDS, Situation(rounds_apart=apart))
        if not isinstance(tiles, TimeTiles) or implementation.name != TIME_TILES:
            start, body = (self.stages(part, False) for part in (stage.start, stage.body))
            return replace(stage, start=start, body=body, implementation=implementation)
        near = replace(self, streams=False)  # what is stored is read soon, or is stored again
        along = len(tiles.reach)
        body = tuple(near.sweep(inner, along) if isinstance(inner, Points) else inner for inner in stage.body)
        return replace(stage, body=body, implementation=implementation, tiles=tiles)

    def sweep(self, stage: Points, along: int) -> Points:
        """A loop whose members along its first axes are the rows of a loop that does several rounds together."""
        shared, others = stage.axes[:along], stage.axes[along:]
        implementation = self.chooser.take(stage.id, CPU_SWEEPS, Situation())
        in_rows = simple(stage.body) and bool(others)
        serial = others[:-1] if in_rows else others
        axes = (
            *(_level(axis, Level.TILES, TILES) for axis in shared),
            *(_level(axis, Level.SERIAL, ONE) for axis in serial),
        )
        body = self.row(stage) if in_rows else self.stages(stage.body, team=True)
        return replace(stage, axes=axes, body=body, implementation=implementation)

    def fold(self, stage: Fold, team: bool, parts: Situation = NO_PARTS) -> Fold:
        """`parts`: what is known where the threads share the loop around by parts of its members."""
        greatest = isinstance(stage.op, ArgReduce)
        from_data = any(is_read(axis.extent, self.patterns.demand) for axis in stage.axes)
        situation = replace(parts, team=team, greatest=greatest, columns=bool(stage.over), from_data=from_data)
        implementation = self.chooser.take(stage.id, CPU_FOLDS, situation)
        level = Level.SERIAL if team or (greatest and not stage.over) else Level.TEAM
        prefetch = Prefetch.AHEAD if implementation.name == RAGGED_FOLD else self.prefetch(stage, team)
        return replace(stage, level=level, implementation=implementation, prefetch=prefetch)

    def prefetch(self, stage: Fold, team: bool) -> Prefetch | None:
        """Long arithmetic hides the fetch of the next row; rows that the data choose are known by number long before
        they are read.
        """
        if team and stage.over and isinstance(stage.op, Reduce) and self.patterns.picks_rows(stage):
            return Prefetch.PICKED
        alone = not stage.over and len(stage.axes) == 1 and isinstance(stage.op, Reduce)
        return Prefetch.ROW if team and alone and self.patterns.transcendental(stage) else None

    def team_points(self, stage: Points) -> Points:
        """The outermost loop: its axes are shared as one, so that few members along the first are no limit; the last
        axis gets a loop of its own when the body is pointwise.
        """
        first, *others = stage.axes
        rows = offsets(stage, self.patterns.demand)
        situation = replace(self.situation(stage, team=False), ragged=rows is not None)
        implementation = self.chooser.take(stage.id, CPU_POINTS, situation)
        if implementation.name == SCATTER_ADD:
            axes = (_level(first, Level.TEAM, ROWS), *(_level(axis, Level.SIMD, LANES) for axis in others))
            return replace(stage, axes=axes, implementation=implementation)
        if simple(stage.body) and not others:
            return self.call(stage, _level(first, Level.TEAM, ROWS), implementation)
        scan = self.scanned_columns(stage, team=bool(others))
        if scan is not None and not others:
            return replace(stage, axes=(_level(first, Level.TEAM, ROWS),), body=scan, implementation=implementation)
        if implementation.name == RAGGED:
            axes = (_level(first, Level.TEAM, PARTS),)
            return replace(stage, axes=axes, body=self.ragged_body(stage), implementation=implementation, offsets=rows)
        abreast = bool(others) and runs_abreast(stage, self.patterns)
        in_rows = simple(stage.body) or scan is not None or abreast
        outer = others[:-1] if in_rows else others
        shared = list(takewhile(self.patterns.is_known_at_call, outer))
        uneven = is_uneven(stage, self.patterns.demand)
        axes = (
            *(_level(axis, Level.TEAM, TURNS if uneven else ROWS) for axis in (first, *shared)),
            *(_level(axis, Level.SERIAL, ONE) for axis in outer[len(shared) :]),
        )
        body = self.row(stage) if in_rows else self.stages(stage.body, team=True)
        return replace(stage, axes=axes, body=body, implementation=implementation, in_turns=uneven)

    def scanned_columns(self, stage: Points, team: bool) -> tuple[Stage, ...] | None:
        """The body of a loop whose members are columns that one call scans side by side."""
        found = self.patterns.column_scan(stage)
        if found is None:
            return None
        loop, scans = found
        implementation = self.chooser.take(loop.id, CPU_SCANS, Situation(team=team, columns=True))
        return (replace(loop, implementation=implementation, scans=scans),)

    def ragged_body(self, stage: Points) -> tuple[Stage, ...]:
        """The body with folds that all threads share where a part is long, if there is nothing else long in it."""
        demand = self.patterns.demand
        shared = {sweep: is_shared_part(sweep, stage, demand) for sweep in inner_sweeps(stage.body)}
        parts = Situation(by_parts=True, alone=all(shared.values()))
        return tuple(
            self.fold(inner, True, replace(parts, ragged=shared[inner]))
            if isinstance(inner, Fold)
            else self.stage(inner, team=True)
            for inner in stage.body
        )

    def inner_points(self, stage: Points) -> Points:
        """A loop inside a shared one: its last axis is the vector axis when the body is pointwise."""
        *others, last = stage.axes
        implementation = self.chooser.take(stage.id, CPU_POINTS, self.situation(stage, team=True))
        if simple(stage.body) and not others:
            return self.call(stage, _level(last, Level.SIMD, LANES), implementation)
        scan = self.scanned_columns(stage, team=True)
        if scan is not None and not others:
            return replace(stage, axes=(_level(last, Level.SIMD, COLUMNS),), body=scan, implementation=implementation)
        if implementation.name == ABREAST:
            return self.abreast(stage, implementation)
        abreast = bool(others) and runs_abreast(stage, self.patterns)
        in_rows = simple(stage.body) or scan is not None or abreast
        serial = others if in_rows else stage.axes
        axes = tuple(_level(axis, Level.SERIAL, ONE) for axis in serial)
        body = self.row(stage) if in_rows else self.stages(stage.body, team=True)
        return replace(stage, axes=axes, body=body, implementation=implementation)

    def abreast(self, stage: Points, implementation: Implementation) -> Points:
        """A loop over one axis whose members are a reduction each, which lanes run abreast."""
        reduction, *rest = stage.body
        assert isinstance(reduction, Fold)
        reduced = self.fold(reduction, True, Situation(abreast=True))
        body = (replace(reduced, prefetch=None), *rest)
        axes = (_level(stage.axes[0], Level.SIMD, OWN),)
        return replace(stage, axes=axes, body=body, implementation=implementation)

    def call(self, stage: Points, axis: BoundAxis, implementation: Implementation) -> Points:
        """A pointwise loop over one axis, which the runtime may have as one call."""
        draw = draw_of(stage, axis.axis, self.patterns.demand) if implementation.name in RANDOM_MAPS else None
        stream = implementation.name in STREAMED
        return replace(stage, axes=(axis,), implementation=implementation, stream=stream, draw=draw)

    def row(self, stage: Points) -> tuple[Stage, ...]:
        """The loop over the last axis of a nest, as a loop of its own."""
        row = replace(stage, id=f"{stage.id}.row", axes=stage.axes[-1:], op=None, work=stage.axes[-1].axis.extent)
        return (self.inner_points(row),)

    def situation(self, stage: Points, team: bool) -> Situation:
        last = stage.axes[-1].axis
        return Situation(
            axes=len(stage.axes),
            team=team,
            straight=simple(stage.body),
            one_store=len(stage.body) == 1 and isinstance(stage.body[0], Effect),
            contiguous=self.patterns.contiguous_store(stage, last),
            inside=self.patterns.stores_inside(stage, last),
            write_only=self.streams and self.patterns.streams(stage),
            random=draw_of(stage, last, self.patterns.demand) is not None,
            scatter=self.patterns.scatters(stage),
            abreast=team and runs_abreast(stage, self.patterns),
        )


def is_row_by_row(stage: Loop) -> bool:
    """Whether each round of a loop scans one row with the author's combine."""
    rows = all(isinstance(inner, Points) and len(inner.axes) == 1 and simple(inner.body) for inner in stage.body)
    return isinstance(stage.op.origin, ScanBy) and rows


def _level(bound: BoundAxis, level: Level, reason: str) -> BoundAxis:
    return BoundAxis(bound.axis, level, reason)
