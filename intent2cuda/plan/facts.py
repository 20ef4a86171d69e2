"""How much work a loop nest is, as an expression of extents."""

from __future__ import annotations

from collections.abc import Sequence

from intent2cuda.base.intexpr import IntExpr
from intent2cuda.plan.demand import Demand
from intent2cuda.plan.stage import Axis, Stage


def nest_work(axes: Sequence[Axis], body: Sequence[Stage], demand: Demand) -> IntExpr:
    total = IntExpr.of(1)
    for axis in axes:
        total = total * axis.extent
    return total
