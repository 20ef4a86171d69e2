"""Binding: from the structure of a kernel to everything that one target needs to know."""

from __future__ import annotations

from intent2cuda.ir.kernel import Kernel
from intent2cuda.plan.checks import host_checks
from intent2cuda.plan.concrete import ConcretePlan, UnitAxis
from intent2cuda.plan.levels_cpu import CpuLevels
from intent2cuda.plan.overlaps import overlap_rules
from intent2cuda.plan.patterns import Patterns
from intent2cuda.plan.staging import draft
from intent2cuda.target.profile import CpuProfile
from intent2cuda.types.value_type import ViewType


def bind_cpu(kernel: Kernel, profile: CpuProfile) -> ConcretePlan:
    made = draft(kernel, keep=True)
    stages = CpuLevels(Patterns(kernel)).stages(made.stages, team=False)
    units = [
        UnitAxis(p, len(p.type.shape) - 1) for p in kernel.parameters if isinstance(p.type, ViewType) and p.type.shape
    ]
    return ConcretePlan(
        kernel, "cpu", stages, made.buffers, host_checks(kernel), overlap_rules(kernel), tuple(units), None, "", ""
    )
