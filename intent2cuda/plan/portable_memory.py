"""Invariants of the memory of a portable plan: who makes and reads it, how long it lives, what is known of its size."""

from __future__ import annotations

from collections.abc import Iterator

from intent2cuda.base.diagnostics import Diagnostic
from intent2cuda.plan.portable import BufferRole, PlanBuffer, PortablePlan
from intent2cuda.plan.quantity import Exact, Unknown, UpperBound

STORAGE = {
    BufferRole.INPUT: "external",
    BufferRole.OUTPUT: "external",
    BufferRole.STATE: "external",
    BufferRole.WORKSPACE: "transient",
}


def memory_findings(plan: PortablePlan) -> Iterator[Diagnostic]:
    for buffer in plan.buffers:
        yield from _users(plan, buffer)
        yield from _life(plan, buffer)
        yield from _size(plan, buffer)
    for obligation in plan.obligations:
        bounded = any(b.id == obligation.subject and b.role is BufferRole.WORKSPACE for b in plan.buffers)
        if obligation.kind != "replace_bound" or not bounded:
            message = f"{obligation.subject} is no workspace with a bound"
            yield Diagnostic("portable.obligation.unknown", message, subject=obligation.id)


def _users(plan: PortablePlan, buffer: PlanBuffer) -> Iterator[Diagnostic]:
    tasks = {task.id: task for task in plan.tasks}
    writers = [task.id for task in plan.tasks if buffer.id in task.outputs]
    readers = [task.id for task in plan.tasks if buffer.id in task.inputs]
    working = buffer.role is BufferRole.WORKSPACE and not writers and not readers
    if buffer.producer and buffer.producer not in tasks:
        yield Diagnostic("portable.reference.unknown", f"{buffer.producer} is no task of the plan", subject=buffer.id)
    elif buffer.producer and not working and buffer.producer not in writers:
        message = f"{buffer.producer} does not write it"
        yield Diagnostic("portable.reference.producer_mismatch", message, subject=buffer.id)
    elif writers and buffer.producer != writers[0]:
        yield Diagnostic("portable.reference.producer_mismatch", f"{writers[0]} writes it first", subject=buffer.id)
    if any(consumer not in tasks for consumer in buffer.consumers):
        yield Diagnostic("portable.reference.unknown", "something that reads it is no task", subject=buffer.id)
    elif not working and set(buffer.consumers) != set(readers):
        yield Diagnostic("portable.reference.consumer_mismatch", "other tasks read it", subject=buffer.id)
    if len(set(buffer.consumers)) < len(buffer.consumers):
        yield Diagnostic("portable.buffer.consumers", "a task reads it twice", subject=buffer.id)


def _life(plan: PortablePlan, buffer: PlanBuffer) -> Iterator[Diagnostic]:
    if buffer.storage != STORAGE[buffer.role]:
        code = "portable.workspace.storage" if buffer.role is BufferRole.WORKSPACE else "portable.buffer.storage"
        yield Diagnostic(
            code, f"{buffer.role.value} is {STORAGE[buffer.role]}, not {buffer.storage}", subject=buffer.id
        )
    order = {task.id: number for number, task in enumerate(plan.tasks)}
    using = [order[name] for name in (buffer.producer, *buffer.consumers) if name in order]
    using += [order[task.id] for task in plan.tasks if buffer.id in task.outputs]
    first, last = buffer.lifetime
    if using and (order.get(first, len(order)) > min(using) or order.get(last, -1) < max(using)):
        yield Diagnostic("portable.buffer.lifetime", "it is used before or after its life", subject=buffer.id)
    if buffer.role in (BufferRole.OUTPUT, BufferRole.WORKSPACE):
        if not buffer.producer and buffer.consumers:
            yield Diagnostic("portable.buffer.producer", "it is read and nothing writes it", subject=buffer.id)
        elif buffer.producer in order and any(
            order[c] < order[buffer.producer] for c in buffer.consumers if c in order
        ):
            yield Diagnostic("portable.buffer.read_before_write", "it is read before it is written", subject=buffer.id)


def _size(plan: PortablePlan, buffer: PlanBuffer) -> Iterator[Diagnostic]:
    match buffer.size:
        case Exact():
            if buffer.role is BufferRole.WORKSPACE:
                message = "before an implementation is chosen only a bound of it is known"
                yield Diagnostic("portable.workspace.bound_missing", message, subject=buffer.id)
        case UpperBound() as bound:
            if buffer.role is not BufferRole.WORKSPACE:
                yield Diagnostic("portable.bound_as_exact", "the size of a view is exact", subject=buffer.id)
            if not bound.meaning:
                yield Diagnostic(
                    "portable.workspace.semantic_missing", "the bound does not say of what", subject=buffer.id
                )
            known = {name for task in plan.tasks for name in task.lineage.operations}
            if not bound.formula or not bound.operations or not known.issuperset(bound.operations):
                message = "the bound follows from no operations of the kernel"
                yield Diagnostic("portable.workspace.untraceable", message, subject=buffer.id)
            if not any(obligation.subject == buffer.id for obligation in plan.obligations):
                yield Diagnostic("portable.workspace.unreplaced", "nothing replaces the bound", subject=buffer.id)
        case Unknown(reason=reason) if reason and buffer.role is BufferRole.WORKSPACE:
            pass
        case _:
            yield Diagnostic("portable.workspace.bound_missing", "it has no size", subject=buffer.id)
