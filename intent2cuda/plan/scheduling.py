"""The schedule of a kernel in the words of its target: by which levels each axis runs, and where threads wait."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import assert_never

from intent2cuda.ir.ops import For
from intent2cuda.plan.schedules import AxisMap, SyncRecord
from intent2cuda.plan.stage import (
    Axis,
    BoundAxis,
    Fold,
    Level,
    Loop,
    Points,
    Product,
    Stage,
    Sync,
)
from intent2cuda.plan.stage_identity import StageIds, every_part
from intent2cuda.plan.trees import goes_past_caches

PARALLEL_WORK = 32768
"""Scalar operations below which the threads of a cpu are not woken: `kParallelWork` of the runtime."""

EDGES = "rows at the edge of two tiles are swept when both tiles have got there, and before their next rounds"

GRID = ("grid.x", "grid.y", "grid.z")


def axis_maps(stages: Sequence[Stage], ids: StageIds, target: str) -> tuple[AxisMap, ...]:
    """A map for each axis of each stage, in the order of the stages."""
    return tuple(found for stage in every_part(stages) for found in _maps(stage, ids.of(stage), target))


def _maps(stage: Stage, name: str, target: str) -> Iterator[AxisMap]:
    match stage:
        case Points():
            grid = iter(GRID)
            along = {b.axis.id: next(grid) for b in reversed(stage.axes) if b.level in (Level.GRID, Level.GRID_LANE)}
            for bound in stage.axes:
                chain = _chain(bound, along.get(bound.axis.id, ""))
                yield AxisMap(name, bound.axis.id, bound.axis.extent, chain, bound.reason)
        case Fold():
            beside = "simd" if target == "cpu" else "block" if stage.level is Level.THREADS else "serial"
            for axis in stage.over:
                yield AxisMap(name, axis.id, axis.extent, (beside,), "the results stand side by side")
            for axis in stage.axes:
                yield AxisMap(name, axis.id, axis.extent, _fold_chain(stage), "members are combined in any order")
        case Product():
            for axis, level in _product_levels(stage):
                yield AxisMap(name, axis.id, axis.extent, level, "a matrix product routine runs it")
        case Loop() if isinstance(stage.op, For):
            yield AxisMap(name, stage.id, stage.op.domain.domain.extent, ("serial",), "rounds keep the author's order")
        case _:
            pass


def _chain(bound: BoundAxis, grid: str) -> tuple[str, ...]:
    match bound.level:
        case Level.TEAM:
            return ("team",)
        case Level.TILES:
            return ("team", "tile")
        case Level.SIMD:
            return ("simd",)
        case Level.GRID:
            return (grid,)
        case Level.GRID_LANE:
            return (grid, "block")
        case Level.THREADS:
            return ("block",)
        case Level.SERIAL:
            return ("serial",)
        case _:
            assert_never(bound.level)


def _fold_chain(stage: Fold) -> tuple[str, ...]:
    match stage.level:
        case Level.TEAM:
            return ("team", "simd")
        case Level.THREADS:
            return ("block", "warp", "lane")
        case _:
            return ("serial",)


def _product_levels(stage: Product) -> Iterator[tuple[Axis, tuple[str, ...]]]:
    tiles = {name: value for name, value, _ in stage.implementation.parameters}
    blocks = {Level.GRID: ("grid.y", "grid.x"), Level.TEAM: ("team", "serial")}.get(stage.level, ("serial", "serial"))
    names = ("tile_m", "tile_n", "tile_k")
    outer = (*blocks, "serial")
    for axis, level, name in zip((stage.rows, stage.columns, stage.depth), outer, names, strict=True):
        yield axis, (level, f"tile({tiles[name]})") if name in tiles else (level, "tile")


def block_barriers(stages: Sequence[Stage], ids: StageIds) -> tuple[SyncRecord, ...]:
    """Every barrier of the block, with what it orders."""
    waits = (stage for stage in every_part(stages) if isinstance(stage, Sync))
    return tuple(SyncRecord(ids.of(stage), "block", "all threads of the block", stage.reason) for stage in waits)


def team_joins(stages: Sequence[Stage], ids: StageIds) -> tuple[SyncRecord, ...]:
    """The end of each loop or sweep that the threads of a team share."""
    shared = (stage for stage in every_part(stages) if _is_shared(stage))
    why = "what its threads wrote is complete before anything behind it"
    return tuple(
        SyncRecord(ids.of(stage), "between tiles and at the end", "the team", EDGES)
        if isinstance(stage, Loop)
        else SyncRecord(ids.of(stage), "end of the parallel region", "the team", why)
        for stage in shared
    )


def streams(stages: Sequence[Stage], ids: StageIds) -> tuple[str, ...]:
    """The loops whose stores go past the caches."""
    return tuple(ids.of(stage) for stage in every_part(stages) if goes_past_caches(stage))


def _is_shared(stage: Stage) -> bool:
    if isinstance(stage, Points):
        return any(bound.level is Level.TEAM for bound in stage.axes)
    if isinstance(stage, Loop):
        return stage.tiles is not None
    return isinstance(stage, Fold | Product) and stage.level is Level.TEAM
