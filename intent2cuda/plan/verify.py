"""Everything that holds of a concrete plan, found out from the plan itself, whoever built it.

A finding is a fault of the planner, never of the author.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from intent2cuda.base.diagnostics import Diagnostic
from intent2cuda.base.report import Assurance, Report
from intent2cuda.base.report import report as report_of
from intent2cuda.plan.binding_verify import binding_findings
from intent2cuda.plan.building import sealed
from intent2cuda.plan.capacity import capacity_findings
from intent2cuda.plan.concrete import ConcretePlan
from intent2cuda.plan.coordination_verify import coordination_report
from intent2cuda.plan.identity import Identities
from intent2cuda.plan.memory_verify import Steps
from intent2cuda.plan.portable import PortablePlan
from intent2cuda.plan.schedules_verify import schedule_findings
from intent2cuda.plan.stage import Stage, Sync
from intent2cuda.plan.stage_identity import StageIds, parts
from intent2cuda.plan.stages_verify import stage_findings
from intent2cuda.plan.staging import Draft
from intent2cuda.target.deployment import Deployment
from intent2cuda.target.profile import Profile


@dataclass(frozen=True, eq=False)
class Made:
    """What a plan was made from. `identities` name its operations."""

    draft: Draft
    identities: Identities


def report(
    plan: ConcretePlan, made: Made, portable: PortablePlan, target: Profile, machine: Deployment | None = None
) -> Report:
    """What is wrong with a plan for the target, of a portable plan and of a structure of the same kernel; with a
    machine also whether it has the memory.
    """
    ids = StageIds(plan.stages, made.identities)
    steps = _steps(plan, ids)
    waits = [steps[ids.of(stage)][0] for stage in _every(plan.stages) if isinstance(stage, Sync)]

    def ends_before(one: str, other: str, per: str) -> bool:
        """Whether one thread runs both, in this order, or a barrier stands between them."""
        ended, begins = steps[one][1], steps[other][0]
        return ended < begins if per == "thread" else any(ended < wait < begins for wait in waits)

    def findings() -> Iterator[Diagnostic]:
        yield from stage_findings(plan, made.draft)
        yield from coordination_report(plan.coordination, steps, ends_before).findings
        yield from schedule_findings(plan, ids, target)
        yield from capacity_findings(plan, target, machine)
        yield from binding_findings(plan, ids, portable, target)

    return report_of(Assurance.CONSERVATION, findings())


def sealed_report(plan: ConcretePlan, identities: Identities, portable: PortablePlan) -> Report:
    """Whether a plan is the one that its digest names, bound from this portable plan."""

    def findings() -> Iterator[Diagnostic]:
        if plan.digest != sealed(plan, identities).digest:
            message = f"its digest is {plan.digest[:12]}, which is that of another plan"
            yield Diagnostic("concrete.digest", message, subject=plan.kernel.name)
        if plan.origin.portable != portable.digest:
            message = f"bound from {plan.origin.portable[:12]}, not from {portable.digest[:12]}"
            yield Diagnostic("concrete.fingerprint.mismatch", message, subject="portable")

    return report_of(Assurance.STRUCTURAL, findings())


def _every(stages: Sequence[Stage]) -> Iterator[Stage]:
    for stage in stages:
        yield stage
        yield from _every(parts(stage))


def _steps(plan: ConcretePlan, ids: StageIds) -> Steps:
    """When each stage begins and ends, counted over the whole tree; the launch is all of it."""
    found: dict[str, tuple[int, int]] = {}
    count = 0

    def walk(stages: Sequence[Stage]) -> None:
        nonlocal count
        for stage in stages:
            begin, count = count, count + 1
            walk(parts(stage))
            found[ids.of(stage)] = (begin, count - 1)

    walk(plan.stages)
    return {**found, **{command.id: (0, max(count - 1, 0)) for command in plan.coordination.commands}}
