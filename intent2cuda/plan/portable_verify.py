"""Invariants of a portable plan: what it names is there, tasks are in order, nothing of its sources is lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from intent2cuda.base.diagnostics import Diagnostic
from intent2cuda.base.report import Assurance, Report, report
from intent2cuda.plan.forbidden import forbidden
from intent2cuda.plan.portable import PlanTask, PortablePlan, Status, content_digest
from intent2cuda.plan.portable_memory import memory_findings
from intent2cuda.plan.portable_numbers import number_findings
from intent2cuda.plan.worksets import Worksets

OBJECTIVES, DIRECTIONS = ("latency", "peak_memory"), ("minimise", "maximise")


def portable_report(plan: PortablePlan) -> Report:
    """What does not fit together in a plan."""

    def findings() -> Iterator[Diagnostic]:
        yield from _header(plan)
        yield from _references(plan)
        yield from _order(plan)
        yield from _data(plan)
        yield from _groups(plan)
        yield from memory_findings(plan)
        yield from number_findings(plan)
        yield from forbidden(plan)

    return report(Assurance.STRUCTURAL, findings())


def sealed_report(plan: PortablePlan) -> Report:
    """The same, and whether the plan is the one that its digest names."""
    found = portable_report(plan)
    if plan.digest == content_digest(plan):
        return found
    message = f"its digest is {plan.digest[:12]}, which is that of another plan"
    return report(found.level, (*found.findings, Diagnostic("portable.digest", message, subject=plan.kernel)))


def lineage_report(whole: Worksets, plan: PortablePlan) -> Report:
    """What a plan lost or invented of the worksets that it was made from."""
    return report(Assurance.CONSERVATION, _lineage(whole, plan))


def _header(plan: PortablePlan) -> Iterator[Diagnostic]:
    yield from _status(plan.status, plan)
    kinds = [objective.kind for objective in plan.objectives]
    if len(set(kinds)) < len(kinds):
        yield Diagnostic("portable.objective.duplicate", "a plan has one objective of a kind", subject=plan.kernel)
    for objective in plan.objectives:
        if objective.kind not in OBJECTIVES or objective.direction not in DIRECTIONS:
            message = f"{objective.direction} {objective.kind} is no objective"
            yield Diagnostic("portable.objective.kind", message, subject=objective.kind)
        if type(objective.weight) is not int or objective.weight <= 0:
            message = f"{objective.weight} is no weight: a whole number from 1 on"
            yield Diagnostic("portable.objective.weight", message, subject=objective.kind)
    for name, count in Counter(constraint.id for constraint in plan.constraints).items():
        if count > 1 or not name:
            yield Diagnostic("portable.constraint.identity", f"{count} constraints have this name", subject=name)


def _status(status: object, plan: PortablePlan) -> Iterator[Diagnostic]:
    if not isinstance(status, Status) or not plan.strategy_fingerprint:
        yield Diagnostic("portable.status", "a plan says what it is and by which strategy", subject=plan.kernel)


def _references(plan: PortablePlan) -> Iterator[Diagnostic]:
    known = {buffer.id for buffer in plan.buffers}
    for what in (plan.tasks, plan.buffers, plan.decisions, plan.obligations):
        for name, count in Counter(each.id for each in what).items():
            if count > 1 or not name:
                yield Diagnostic("portable.reference.duplicate", f"{count} things have this name", subject=name)
    for task in plan.tasks:
        used = (*task.inputs, *task.outputs, *(effect.buffer for effect in task.effects))
        for name in dict.fromkeys(name for name in used if name not in known):
            yield Diagnostic("portable.reference.unknown", f"{name} is no buffer of the plan", subject=task.id)
        for effect in task.effects:
            if effect.buffer not in task.outputs:
                message = f"it changes {effect.buffer}, which is none of its outputs"
                yield Diagnostic("portable.reference.effect", message, subject=task.id)


def _order(plan: PortablePlan) -> Iterator[Diagnostic]:
    before: set[str] = set()
    tasks = {task.id: task for task in plan.tasks}
    for task in plan.tasks:
        for other in task.dependencies:
            if other == task.id:
                yield Diagnostic("portable.dag.self", "the task waits for itself", subject=task.id)
            elif other not in tasks:
                yield Diagnostic("portable.reference.unknown", f"{other} is no task of the plan", subject=task.id)
            elif task.id in _ancestors(tasks, other):
                yield Diagnostic("portable.dag.cycle", f"the task and {other} wait for each other", subject=task.id)
            elif other not in before:
                yield Diagnostic("portable.dag.not_topological", f"{other} comes later in the list", subject=task.id)
        before.add(task.id)


def _ancestors(tasks: Mapping[str, PlanTask], name: str) -> set[str]:
    """The tasks for which one waits, also by way of others."""
    found: set[str] = set()
    pending = list(tasks[name].dependencies)
    while pending:
        other = pending.pop()
        if other in tasks and other not in found:
            found.add(other)
            pending += tasks[other].dependencies
    return found


def _data(plan: PortablePlan) -> Iterator[Diagnostic]:
    """Every task waits for what writes the memory that it touches before."""
    tasks = {task.id: task for task in plan.tasks}
    for number, task in enumerate(plan.tasks):
        ancestors = _ancestors(tasks, task.id)
        for earlier in plan.tasks[:number]:
            shared = set(earlier.outputs).intersection((*task.inputs, *task.outputs))
            shared |= set(earlier.inputs).intersection(task.outputs)
            if shared and earlier.id not in ancestors:
                message = f"it does not wait for {earlier.id}, though both touch {', '.join(sorted(shared))}"
                yield Diagnostic("portable.missing_data_dependency", message, subject=task.id)


def _groups(plan: PortablePlan) -> Iterator[Diagnostic]:
    tasks = {task.id: task for task in plan.tasks}
    for task in plan.tasks:
        for name in _ancestors(tasks, task.id) if task.group else ():
            if tasks[name].group == task.group:
                message = f"it comes after {name}, with which it may run at the same time"
                yield Diagnostic("portable.group.conflict", message, subject=task.id)


def _lineage(whole: Worksets, plan: PortablePlan) -> Iterator[Diagnostic]:
    parents = dict(plan.provenance.parents)
    if (parents.get("kir"), parents.get("worksets")) != (whole.parent, whole.digest):
        yield Diagnostic("portable.parent_digest", "the plan is made from something else", subject=plan.kernel)
    groups = {group.id: {name for name, _ in group.ops} for group in whole.groups}
    covered = {name for task in plan.tasks for name in task.lineage.operations}
    for task in plan.tasks:
        for name in task.lineage.worksets:
            if name not in groups or groups[name].isdisjoint(task.lineage.operations):
                yield Diagnostic(
                    "portable.lineage.dangling", f"{name} is no workset that it takes part in", subject=task.id
                )
        if not task.lineage.operations or task.body != task.lineage.operations:
            yield Diagnostic("portable.lineage.dangling", "it comes from no operations", subject=task.id)
    effects = Counter(effect.operation for task in plan.tasks for effect in task.effects)
    for group in whole.groups:
        for name, kind in group.ops:
            if name not in covered:
                yield Diagnostic("portable.lineage.uncovered", f"no task does this {kind}", subject=name)
        for name in group.effects:
            if effects[name] != 1:
                yield Diagnostic("portable.lineage.uncovered", f"{effects[name]} tasks have this effect", subject=name)
    known = {name for group in whole.groups for name, _ in group.ops} | covered
    for buffer in plan.buffers:
        for name in buffer.lineage:
            if name not in known:
                yield Diagnostic(
                    "portable.lineage.dangling", f"{name} is no operation of the kernel", subject=buffer.id
                )
