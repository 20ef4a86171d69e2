"""cuda: the launch as three named values."""

from __future__ import annotations

from intent2cuda.base.diagnostics import InternalError
from intent2cuda.base.intexpr import IntExpr
from intent2cuda.lower.launcher import Launcher
from intent2cuda.machine.expressions import Call, Cast, Expression, Integer, Name
from intent2cuda.machine.statements import Declare
from intent2cuda.machine.types import IndexT, Named
from intent2cuda.plan.concrete import ConcretePlan

_LIMITS = (2**31 - 1, 65535, 65535)


def grid_statements(launcher: Launcher, plan: ConcretePlan) -> None:
    """`grid`: at least one block, because a grid without blocks is a launch error, and no more than the device takes."""
    if plan.launch is None:
        raise InternalError("a cuda plan has no launch")
    used = list(plan.launch.grid)
    while len(used) > 1 and used[-1].constant == 1:
        used.pop()
    counts = tuple(_count(launcher, extent, limit) for extent, limit in zip(used, _LIMITS, strict=False))
    launcher.append(Declare(Named("dim3"), "grid", Call("dim3", counts)))


def launch_statements(launcher: Launcher, plan: ConcretePlan) -> None:
    """`grid`, `block` and `shared_bytes`, directly above the launch."""
    grid_statements(launcher, plan)
    launcher.append(Declare(Named("dim3"), "block", Call("dim3", (Name("kThreads"),))))
    launcher.append(Declare(Named("std::size_t"), "shared_bytes", Integer(0)))


def _count(launcher: Launcher, extent: IntExpr, limit: int) -> Expression:
    if extent.constant is not None:
        return Integer(max(1, min(extent.constant, limit)))
    inner = Call("intent::minimum", (launcher.text(extent), Integer(limit)), (IndexT(),))
    return Cast(Named("unsigned"), Call("intent::maximum", (inner, Integer(1)), (IndexT(),)))
