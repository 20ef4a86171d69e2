"""Invariants of schedules: in the words and limits of the target, and about every command and stage of the plan."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import assert_never

from intent2cuda.base.diagnostics import Diagnostic
from intent2cuda.plan.concrete import ConcretePlan
from intent2cuda.plan.schedules import (
    TARGETS,
    CpuKernelSchedule,
    CudaKernelSchedule,
    SyncRecord,
    VirtualSlotSchedule,
)
from intent2cuda.plan.scheduling import axis_maps, block_barriers, team_joins
from intent2cuda.plan.stage_identity import StageIds
from intent2cuda.target.profile import CudaProfile, Profile

LEVELS = {
    CpuKernelSchedule: ("team", "simd", "tile", "serial"),
    CudaKernelSchedule: ("grid.x", "grid.y", "grid.z", "cluster", "block", "warp", "lane", "tile", "serial"),
    VirtualSlotSchedule: ("slot",),
}


def schedule_findings(plan: ConcretePlan, ids: StageIds, target: Profile) -> Iterator[Diagnostic]:
    schedule = plan.schedule
    if TARGETS.get(type(schedule)) != plan.target:
        message = f"a {type(schedule).__name__} is no schedule for {plan.target}"
        yield Diagnostic("concrete.extension.unknown", message, subject=plan.target)
        return
    commands = [command.id for command in plan.coordination.commands]
    if sorted(schedule.covers) != sorted(commands):
        message = f"it covers {', '.join(schedule.covers) or 'nothing'}, the commands are {', '.join(commands)}"
        yield Diagnostic("concrete.extension.coverage", message, subject=plan.target)
    match schedule:
        case CpuKernelSchedule():
            yield from _maps(plan, schedule, ids)
            yield from _records(schedule.joins, team_joins(plan.stages, ids))
            yield from _cpu(plan, schedule)
        case CudaKernelSchedule():
            yield from _maps(plan, schedule, ids)
            yield from _records(schedule.barriers, block_barriers(plan.stages, ids))
            yield from _cuda(schedule, target)
        case VirtualSlotSchedule():
            yield from slot_findings(plan, schedule)
        case _:
            assert_never(schedule)


def _maps(plan: ConcretePlan, schedule: CpuKernelSchedule | CudaKernelSchedule, ids: StageIds) -> Iterator[Diagnostic]:
    """The maps are those of the stages, and their levels words of the target."""
    known = LEVELS[type(schedule)]
    for each in schedule.maps:
        for level in each.chain:
            if level.partition("(")[0] not in known:
                message = f"{level} is no level of {plan.target}"
                yield Diagnostic("concrete.placement.level", message, subject=f"{each.stage} {each.axis}")
    have, need = (
        {replace(m, reason="") for m in maps} for maps in (schedule.maps, axis_maps(plan.stages, ids, plan.target))
    )
    for each in sorted(need - have, key=lambda m: (m.stage, m.axis)):
        message = f"axis {each.axis} runs by {' '.join(each.chain)} in the stages, and not so in the schedule"
        yield Diagnostic("concrete.extension.coverage", message, subject=each.stage)
    for each in sorted(have - need, key=lambda m: (m.stage, m.axis)):
        message = f"the schedule maps axis {each.axis}, which the stage does not have like that"
        yield Diagnostic("concrete.extension.rule", message, subject=each.stage)


def _records(have: tuple[SyncRecord, ...], need: tuple[SyncRecord, ...]) -> Iterator[Diagnostic]:
    """Every place where threads wait is recorded, and nothing else is."""
    for record in need:
        if record not in have:
            message = f"{record.participants} wait, which is not recorded: {record.orders}"
            yield Diagnostic("concrete.extension.coverage", message, subject=record.stage)
    for record in have:
        if record not in need:
            yield Diagnostic("concrete.extension.rule", f"nobody waits there: {record.orders}", subject=record.stage)
        if not record.orders:
            yield Diagnostic("concrete.extension.rule", "a wait without a reason", subject=record.stage)


def _cpu(plan: ConcretePlan, schedule: CpuKernelSchedule) -> Iterator[Diagnostic]:
    queued = [c.id for c in plan.coordination.commands if c.queue is not None]
    if queued or plan.coordination.queues:
        message = f"calls of a cpu fork and join, there is no queue for {', '.join(queued) or 'anything'}"
        yield Diagnostic("concrete.extension.queue_free_has_queue", message, subject=plan.target)
    if schedule.share not in ("static", "dynamic"):
        yield Diagnostic("concrete.extension.rule", f"there is no schedule {schedule.share}", subject=plan.target)


def _cuda(schedule: CudaKernelSchedule, target: Profile) -> Iterator[Diagnostic]:
    if not isinstance(target, CudaProfile):
        return
    threads = schedule.launch.threads
    if threads < 1 or (threads > 1 and threads % target.warp):
        yield Diagnostic("concrete.extension.rule", f"{threads} threads are no whole warps", subject="cuda")
    needs = [
        (schedule.copies, "cp.async"), (schedule.tensor_maps, "cp.async.bulk.tensor"),
        (schedule.cluster != (1, 1, 1), "cluster"),
    ]  # fmt: skip
    for used, instruction in needs:
        if used and instruction not in target.instructions:
            yield Diagnostic("concrete.extension.rule", f"{target.name} has no {instruction}", subject="cuda")
    if schedule.phases and "mbarrier" not in target.barriers:
        yield Diagnostic("concrete.extension.rule", f"{target.name} has no barriers in memory", subject="cuda")


def slot_findings(plan: ConcretePlan, schedule: VirtualSlotSchedule) -> Iterator[Diagnostic]:
    """Slots are typed: a clock, a cycle for every command, in the order of dependencies, and what a miss means."""
    if not schedule.clock or not schedule.on_miss:
        yield Diagnostic("concrete.slot.untyped", "a slot needs a clock and a rule for a miss", subject=plan.target)
    cycles = {slot.command: slot.cycle for slot in schedule.slots}
    for command in plan.coordination.commands:
        if command.id not in cycles:
            yield Diagnostic("concrete.extension.coverage", "it has no slot", subject=command.id)
        elif any(cycles.get(other, -1) >= cycles[command.id] for other in command.dependencies):
            yield Diagnostic("concrete.extension.rule", "its slot is not after what it depends on", subject=command.id)
