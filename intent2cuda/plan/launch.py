"""cuda: how many blocks and threads a plan is launched with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from intent2cuda.base.intexpr import IntExpr, ceiling, maximum, minimum
from intent2cuda.ir.kernel import Kernel, walk
from intent2cuda.plan.checks import known_at_call
from intent2cuda.plan.patterns import inner_sweeps
from intent2cuda.plan.schedules import LaunchShape
from intent2cuda.plan.stage import Implementation, Level, Points, Product, Stage

FEW_BLOCKS = 128
"""Blocks of a kernel whose blocks all repeat a part of the work: about one for each multiprocessor."""
RESIDENT = 2
"""Blocks on a multiprocessor of a kernel with pieces of work of their own: long bodies need registers."""
WORKSPACE_BLOCKS = 2048
"""Blocks of a kernel whose blocks have memory of their own: enough for several on each multiprocessor of any device."""
UNKNOWN_BLOCKS = 1024
"""Blocks for a loop whose extent is known only inside the kernel: its members are taken in strides of the grid."""


def launch_shape(
    kernel: Kernel, stages: Sequence[Stage], threads: int, repeated: bool, has_workspace: bool
) -> LaunchShape:
    """Enough blocks for the largest loop along each axis of the grid; few when every block repeats some of the work,
    and no more than any device runs at once when each needs a part of the workspace.
    """
    sweeps = list(inner_sweeps(stages))
    if not sweeps:
        one = IntExpr.of(1)
        return LaunchShape((one, one, one), 1, "the kernel is a single thread's work")
    grid = [IntExpr.of(1)] * 3
    for sweep in sweeps:
        for axis, blocks in enumerate(_blocks(kernel, sweep, threads)):
            grid[axis] = blocks if grid[axis].constant == 1 else maximum(grid[axis], blocks)
    if repeated and any(blocks.constant != 1 for blocks in grid):
        grid = [minimum(grid[0], FEW_BLOCKS), IntExpr.of(1), IntExpr.of(1)]
    return LaunchShape(
        (grid[0], grid[1], grid[2]),
        threads,
        "enough warps to hide latency, few enough for any block limit",
        RESIDENT if any(op.routine for op in walk(kernel.body)) else 0,
        WORKSPACE_BLOCKS if has_workspace else 0,
    )


def _blocks(kernel: Kernel, stage: Stage, threads: int) -> Iterator[IntExpr]:
    """Blocks along x, y, z that a stage can use."""
    if isinstance(stage, Product) and stage.level is Level.GRID:
        tiles = tiles_of(stage.implementation)
        yield _known(kernel, ceiling(stage.columns.extent, tiles[1]))
        yield _known(kernel, ceiling(stage.rows.extent, tiles[0]))
    if isinstance(stage, Points):
        for bound in reversed(stage.axes):
            if bound.level is Level.GRID_LANE:
                yield _known(kernel, ceiling(bound.axis.extent, threads))
            elif bound.level is Level.GRID:
                yield _known(kernel, bound.axis.extent)


def tiles_of(implementation: Implementation) -> tuple[int, int]:
    """Rows and columns of a block's tile of a product."""
    found = {name: value for name, value, _ in implementation.parameters}
    return found["tile_m"], found["tile_n"]


def _known(kernel: Kernel, blocks: IntExpr) -> IntExpr:
    return blocks if known_at_call(kernel, blocks) else IntExpr.of(UNKNOWN_BLOCKS)
