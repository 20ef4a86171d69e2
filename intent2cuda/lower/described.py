"""What the heads of files and kernels say about a plan."""

from __future__ import annotations

from collections.abc import Sequence

from intent2cuda.plan.concrete import ConcretePlan
from intent2cuda.plan.stage import Branch, Fold, Level, Loop, Points, Product, Stage
from intent2cuda.types.value_type import Access, ViewType

_USES = {Access.IN: "read", Access.OUT: "written", Access.INOUT: "read and written"}


def tensor_lines(plan: ConcretePlan) -> tuple[str, ...]:
    """One line for each tensor, in columns: name, shape, element type, use."""
    rows: list[tuple[str, str, str]] = []
    for value in plan.kernel.parameters:
        if isinstance(value.type, ViewType):
            shape = f"[{', '.join(str(extent) for extent in value.type.shape)}]"
            rows.append((value.name, shape, f"{value.type.dtype.name}, {_USES[value.type.access]}"))
    widths = [max((len(row[i]) for row in rows), default=0) for i in (0, 1)]
    return tuple(f"{name:{widths[0]}} {shape:{widths[1]}}  {use}" for name, shape, use in rows)


_SHARERS = {
    Level.TEAM: "the threads share",
    Level.TILES: "the threads share",
    Level.GRID: "the blocks share",
    Level.GRID_LANE: "the threads of all blocks share",
    Level.THREADS: "the threads of a block share",
}


def plan_line(plan: ConcretePlan) -> str:
    """One sentence: who does the outermost stages."""
    return "; ".join(_described(plan.stages)) or "one thread does all there is to do"


def _described(stages: Sequence[Stage]) -> list[str]:
    found: list[str] = []
    for stage in stages:
        match stage:
            case Points():
                shared = [bound for bound in stage.axes if bound.level in _SHARERS]
                who = _SHARERS[shared[-1].level] if shared else "one thread takes"
                found.append(f"{who} {_listed([b.axis.name for b in shared or stage.axes])}")
            case Fold():
                who = _SHARERS.get(stage.level, "one thread does")
                found.append(f"{who} the reduction over {_listed([axis.name for axis in stage.axes])}")
            case Product():
                who = _SHARERS.get(stage.level, "one thread starts")
                found.append(f"{who} a matrix product over {stage.depth.name}")
            case Loop():
                found.append("the threads share rows, several rounds at a time" if stage.tiles else "an ordered loop")
            case Branch():
                found.append("a branch")
            case _:
                pass
    return list(dict.fromkeys(found))


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
