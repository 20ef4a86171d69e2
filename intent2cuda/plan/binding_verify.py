"""The relation of a concrete plan to what it was bound from: the portable plan and the profile."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import fields

from intent2cuda.base.diagnostics import Diagnostic
from intent2cuda.plan.building import facts_of
from intent2cuda.plan.catalogue import TABLES
from intent2cuda.plan.concrete import ConcretePlan
from intent2cuda.plan.coordination import PlacedBuffer, Size
from intent2cuda.plan.portable import BufferRole, PortablePlan
from intent2cuda.plan.stage_identity import StageIds, every_part
from intent2cuda.target.profile import Profile, fingerprint, kind_of

ENTRIES = {entry.name: entry for table in TABLES for entry in table}


def binding_findings(
    plan: ConcretePlan, ids: StageIds, portable: PortablePlan, target: Profile
) -> Iterator[Diagnostic]:
    """What a plan lost or invented of the portable plan that it was bound from."""
    yield from _origin(plan, portable, target)
    yield from _facts(plan, portable)
    yield from _tasks(plan, ids, portable)
    yield from _implementations(plan, ids, target)
    yield from _resources(plan, portable)
    yield from _workspaces(plan, portable)
    yield from _parameters(plan, portable)


def _origin(plan: ConcretePlan, portable: PortablePlan, target: Profile) -> Iterator[Diagnostic]:
    origin = plan.origin
    empty = [f.name for f in fields(origin) if f.name != "evidence" and not getattr(origin, f.name)]
    if empty:
        yield Diagnostic("concrete.identity", f"it does not say its {', '.join(empty)}", subject=plan.kernel.name)
    if not origin.evidence.snapshot:
        message = "it does not say by what evidence it was chosen"
        yield Diagnostic("concrete.planning_evidence.missing", message, subject=plan.kernel.name)
    wanted = {"target": fingerprint(target), "abi": fingerprint(target.abi), "portable": portable.digest}
    for name, value in wanted.items():
        if getattr(origin, name) != value:
            message = f"its {name} is {getattr(origin, name)[:12]}, bound to {value[:12]}"
            yield Diagnostic("concrete.fingerprint.mismatch", message, subject=name)
    if plan.target != kind_of(target):
        message = f"a plan for {plan.target}, and a profile of {kind_of(target)}"
        yield Diagnostic("concrete.fingerprint.mismatch", message, subject=plan.target)


def _facts(plan: ConcretePlan, portable: PortablePlan) -> Iterator[Diagnostic]:
    """The work of every task is what the portable plan says."""
    have, want = dict(plan.facts), dict(facts_of(portable))
    for task in sorted(have.keys() | want.keys()):
        if have.get(task) != want.get(task):
            yield Diagnostic("gate.facts.changed", "its work is not that of the portable plan", subject=task)


def _tasks(plan: ConcretePlan, ids: StageIds, portable: PortablePlan) -> Iterator[Diagnostic]:
    """Every task is carried out by one command and some stages; every stage and command carries out tasks."""
    known = {task.id for task in portable.tasks}
    by_command = Counter(task for command in plan.coordination.commands for task in command.tasks)
    by_stage = {task for _, tasks in plan.realises for task in tasks}
    for task in sorted(known):
        if by_command[task] != 1 or task not in by_stage:
            message = f"{by_command[task]} commands and {'some' if task in by_stage else 'no'} stages carry it out"
            code = "concrete.implementation.extra" if by_command[task] > 1 else "concrete.implementation.missing"
            yield Diagnostic(code, message, subject=task)
    for task in sorted((by_command.keys() | by_stage) - known):
        yield Diagnostic("concrete.lineage.dangling", "the portable plan has no such task", subject=task)
    stages = [ids.of(stage) for stage in every_part(plan.stages)]
    listed = dict(plan.realises)
    for name in stages:
        if not listed.get(name) and known:
            yield Diagnostic("concrete.lineage.uncovered", "it carries out no task", subject=name)
    for name in sorted(listed.keys() - set(stages)):
        yield Diagnostic("concrete.lineage.dangling", "there is no such stage", subject=name)
    for command in plan.coordination.commands:
        touched = {*command.reads, *command.writes}
        for task in portable.tasks:
            external = {b.id for b in portable.buffers if b.storage == "external"}
            missing = ({*task.inputs, *task.outputs} & external) - touched
            if task.id in command.tasks and missing:
                message = f"task {task.id} touches {', '.join(sorted(missing))}, the command does not"
                yield Diagnostic("concrete.lineage.accesses", message, subject=command.id)


def _implementations(plan: ConcretePlan, ids: StageIds, target: Profile) -> Iterator[Diagnostic]:
    chosen = {selected.stage: selected for selected in plan.selection}
    for stage in every_part(plan.stages):
        implementation = getattr(stage, "implementation", None)
        if implementation is None:
            continue
        name = ids.of(stage)
        entry = ENTRIES.get(implementation.name)
        selected = chosen.get(name)
        if entry is None or not implementation.name.startswith(f"{plan.target}."):
            message = f"{implementation.name} is no implementation for {plan.target}"
            yield Diagnostic("concrete.implementation.missing", message, subject=name)
        elif not isinstance(stage, entry.realises):
            message = f"{entry.name} runs a {entry.realises.__name__}, not a {type(stage).__name__}"
            yield Diagnostic("concrete.implementation.wrong_operation", message, subject=name)
        elif selected is not None and selected.implementation.name != implementation.name:
            message = f"{selected.implementation.name} was chosen, the stage has {implementation.name}"
            yield Diagnostic("concrete.implementation.wrong_operation", message, subject=name)
    refs = [s.implementation for s in plan.selection]
    refs += [c.implementation for c in plan.coordination.commands if c.implementation is not None]
    for ref in refs:
        if ref.abi != target.abi.name:
            yield Diagnostic("concrete.fingerprint.mismatch", f"{ref.name} is for {ref.abi}", subject=ref.name)


def _resources(plan: ConcretePlan, portable: PortablePlan) -> Iterator[Diagnostic]:
    """Each resource that a task asks for is met once."""
    need = Counter((task.id, r.kind, r.scope) for task in portable.tasks for r in task.resources)
    have = Counter((r.task, r.kind, r.scope) for r in plan.resources if r.by)
    for asked in sorted(need.keys() | have.keys()):
        task, kind, scope = asked
        if need[asked] != have[asked]:
            message = f"{kind} {scope} is asked for {need[asked]} times, met {have[asked]} times"
            yield Diagnostic("gate.resource.unmapped", message, subject=task)


def _workspaces(plan: ConcretePlan, portable: PortablePlan) -> Iterator[Diagnostic]:
    """No upper bound is left: a buffer of exact size takes its place, or it is proved to need none."""
    placed = {buffer.id: buffer for buffer in plan.coordination.buffers}
    for buffer in plan.buffers:
        place = placed.get(buffer.id)
        if place is None:
            yield Diagnostic("gate.placement.unresolved", f"{buffer.name} has no place", subject=buffer.id)
        elif not _in_space(plan, place, buffer.space.value):
            message = f"{buffer.name} is in {place.region}, its stages use {buffer.space.value}"
            yield Diagnostic("gate.placement.unresolved", message, subject=buffer.id)
        elif not place.replaces or place.size not in (Size.EXACT, Size.GUARDED):
            message = f"{buffer.name} does not say whose bound it takes the place of"
            yield Diagnostic("concrete.workspace.unreplaced", message, subject=buffer.id)
    replaced = {buffer.replaces for buffer in placed.values()} | {name for name, _ in plan.unneeded}
    for buffer in portable.buffers:
        if buffer.role is BufferRole.WORKSPACE and buffer.id not in replaced:
            message = "nothing takes the place of its bound"
            yield Diagnostic("concrete.workspace.unreplaced", message, subject=buffer.id)
        if buffer.storage == "external" and buffer.id not in placed:
            yield Diagnostic("gate.placement.unresolved", "the view has no place", subject=buffer.id)


def _in_space(plan: ConcretePlan, place: PlacedBuffer, space: str) -> bool:
    return any(region.id == place.region and region.space == space for region in plan.coordination.regions)


def _parameters(plan: ConcretePlan, portable: PortablePlan) -> Iterator[Diagnostic]:
    """Every symbol that the portable plan leaves open is a number here, in its range."""
    values = {parameter.symbol: parameter.value for parameter in plan.parameters}
    for parameter in portable.parameters:
        if values.get(parameter.symbol, 0) < parameter.least:
            message = f"{parameter.symbol} is {values.get(parameter.symbol)}, at least {parameter.least} is asked for"
            yield Diagnostic("concrete.parameter.unbound", message, subject=parameter.symbol)
