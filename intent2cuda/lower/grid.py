"""cuda: the launch as three named values."""

from __future__ import annotations

from collections.abc import Iterator

from intent2cuda.base.diagnostics import InternalError
from intent2cuda.lower.launcher import Launcher
from intent2cuda.machine.expressions import Call, Expression, Integer, Name
from intent2cuda.machine.statements import Declare
from intent2cuda.machine.types import Named
from intent2cuda.machine.walk import rebuild
from intent2cuda.plan.concrete import ConcretePlan
from intent2cuda.plan.stage import Branch, Level, Loop, Points, Product, Stage

MOST_BLOCKS = "kMostBlocks"
_TILES = ("tile_n", "tile_m")
"""The tile parameters that the blocks along x and y are counted in."""


def grid_statements(launcher: Launcher, plan: ConcretePlan) -> str:
    """Declares the blocks that the largest loop along each axis can use; returns the name, `grid` where it is free."""
    if plan.launch is None:
        raise InternalError("a cuda plan has no launch")
    used = list(plan.launch.grid)
    while len(used) > 1 and used[-1].constant == 1:
        used.pop()
    tiles = {name: value for stage in _products(plan.stages) for name, value, _ in stage.implementation.parameters}
    counts: list[Expression] = []
    for axis, blocks in enumerate(used):
        named = {plan.launch.threads: "kThreads"}
        if axis < len(_TILES) and _TILES[axis] in tiles:
            named[tiles[_TILES[axis]]] = f"kTile{_TILES[axis][-1].upper()}"
        counts.append(_with_names(launcher.text(blocks), named))
    grid = Call("intent::grid_of", tuple(counts))
    if plan.launch.most:
        grid = Call("intent::grid_of_at_most", (Name(MOST_BLOCKS), *counts))
    return _declare(launcher, Named("dim3"), "grid", grid)


def launch_statements(launcher: Launcher, plan: ConcretePlan) -> tuple[str, str, str]:
    """Declares `grid`, `block` and `shared_bytes`, directly above the launch; returns their names."""
    grid = grid_statements(launcher, plan)
    block = _declare(launcher, Named("dim3"), "block", Call("dim3", (Name("kThreads"),)))
    return grid, block, _declare(launcher, Named("std::size_t"), "shared_bytes", Integer(0))


def _declare(launcher: Launcher, kind: Named, name: str, value: Expression) -> str:
    chosen = launcher.blocks.name((name, f"launch_{name}"))
    launcher.append(Declare(kind, chosen, value))
    return chosen


def _with_names(blocks: Expression, named: dict[int, str]) -> Expression:
    """The counts of members that a block takes by the names of their constants."""

    def change(node: Expression) -> Expression:
        if not isinstance(node, Call) or node.function != "intent::ceil_div":
            return node
        members, size = node.args
        if isinstance(size, Integer) and size.value in named:
            return Call(node.function, (members, Name(named[size.value])), node.template)
        return node

    return rebuild(blocks, change)


def _products(stages: tuple[Stage, ...]) -> Iterator[Product]:
    """The products whose tiles are laid over the grid."""
    for stage in stages:
        match stage:
            case Product(level=Level.GRID):
                yield stage
            case Points():
                yield from _products(stage.body)
            case Loop():
                yield from _products((*stage.start, *stage.body, *stage.test))
            case Branch():
                yield from _products((*stage.then_body, *stage.else_body))
            case _:
                pass
