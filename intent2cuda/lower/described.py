"""What the heads of files and kernels say about a plan."""

from __future__ import annotations

from collections.abc import Sequence

from intent2cuda.plan.concrete import ConcretePlan
from intent2cuda.plan.stage import Branch, Fold, Loop, Points, Product, Stage
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


def plan_line(plan: ConcretePlan) -> str:
    """One sentence: what the outermost stages are."""
    return "; ".join(_described(plan.stages)) or "nothing to do"


def _described(stages: Sequence[Stage]) -> list[str]:
    found: list[str] = []
    for stage in stages:
        match stage:
            case Points():
                axes = ", ".join(f"{b.axis.name} by {b.level.value.replace('_', ' ')}" for b in stage.axes)
                found.append(f"points ({axes})")
            case Fold():
                found.append(f"fold of {', '.join(a.name for a in stage.axes)} by {stage.level.value}")
            case Product():
                found.append("matrix product")
            case Loop():
                found.append("ordered loop")
            case Branch():
                found.append("branch")
            case _:
                pass
    return found
