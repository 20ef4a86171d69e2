"""Invariants of a portable plan: references, order, life of buffers, work, and the absence of anything that names a
target.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any, cast

from intent2cuda.base.intexpr import IntExpr
from intent2cuda.plan.portable import BufferRole, Count, PlanTask, PortablePlan

FORBIDDEN: dict[str, tuple[str, ...]] = {
    "implementation": ("simt", "wgmma", "mma_", "shuffle", "openmp", "simd"),
    "library": ("cublas", "cudnn", "cutlass", "mkl", "onednn", "nccl", "openblas"),
    "device": ("sm_", "nvidia", "x86", "avx", "gpu", "cpu", "cuda"),
    "route": ("pcie", "nvlink", "channel"),
    "queue": ("stream", "queue"),
    "engine": ("tensor core", "copy engine"),
    "bank": ("shared memory", "register"),
    "address": ("address", "offset"),
    "latency": ("nanosecond", "microsecond", "gflop", "bandwidth_of"),
    "timestamp": ("timestamp", "started at"),
}
"""Words that would tie a plan to a target, by what they name. Names of authors are not looked at."""

OPERATIONS = ("intent.pointwise", "intent.reduce", "intent.contract", "intent.serial")
RESOURCES = ("arithmetic", "memory_bandwidth", "memory_capacity", "synchronisation")


def findings(plan: PortablePlan) -> tuple[str, ...]:
    """What is wrong with a plan, each finding after its code; empty when nothing is."""
    return (*_tasks(plan), *_buffers(plan), *_objectives(plan), *_forbidden(plan))


def _tasks(plan: PortablePlan) -> Iterator[str]:
    known = {buffer.id for buffer in plan.buffers}
    before: set[str] = set()
    for task in plan.tasks:
        if task.operation not in OPERATIONS:
            yield f"portable.dialect: task {task.id} is {task.operation}"
        if task.id in before:
            yield f"portable.reference.unknown: two tasks are {task.id}"
        for name in (*task.inputs, *task.outputs):
            if name not in known:
                yield f"portable.reference.unknown: task {task.id} uses {name}"
        for other in task.dependencies:
            if other == task.id:
                yield f"portable.dag.self: task {task.id} waits for itself"
            elif other not in before:
                yield f"portable.dag.not_topological: task {task.id} waits for {other}"
        yield from _facts(task)
        before.add(task.id)
    yield from _data(plan)


def _facts(task: PlanTask) -> Iterator[str]:
    facts = task.facts
    for count in (*(c for _, _, c in facts.operations), facts.read_bytes, facts.write_bytes, facts.message_bytes):
        if count.exact is None and not count.unknown:
            yield f"portable.facts.untyped_unknown: task {task.id}"
        if count.exact is not None and (count.exact.constant or 0) < 0:
            yield f"portable.facts.negative: task {task.id}"
    for resource in task.resources:
        if resource.kind not in RESOURCES or resource.scope not in ("per_instance", "per_task"):
            yield f"portable.resource.kind: task {task.id} asks for {resource.kind} {resource.scope}"
    for capability in task.capabilities:
        if not capability.alternatives:
            yield f"portable.capability.empty: task {task.id} needs {capability.need}"
        if len(set(capability.alternatives)) < len(capability.alternatives):
            yield f"portable.capability.duplicate: task {task.id} needs {capability.need}"


def _data(plan: PortablePlan) -> Iterator[str]:
    """Every consumer has its producers among the tasks that it waits for."""
    ancestors: dict[str, set[str]] = {}
    for task in plan.tasks:
        direct = set(task.dependencies)
        ancestors[task.id] = direct.union(*(ancestors.get(other, set[str]()) for other in direct))
        for buffer in plan.buffers:
            made_before = [t.id for t in plan.tasks if buffer.id in t.outputs and t.id in ancestors]
            if buffer.id in task.inputs and not set(made_before) - {task.id} <= ancestors[task.id]:
                yield f"portable.missing_data_dependency: task {task.id} reads {buffer.id}"


def _buffers(plan: PortablePlan) -> Iterator[str]:
    tasks = {task.id: task for task in plan.tasks}
    for buffer in plan.buffers:
        if buffer.producer and buffer.id not in tasks[buffer.producer].outputs:
            yield f"portable.reference.producer_mismatch: {buffer.id}"
        for consumer in buffer.consumers:
            if consumer not in tasks or buffer.id not in tasks[consumer].inputs:
                yield f"portable.reference.consumer_mismatch: {buffer.id}"
        if len(set(buffer.consumers)) < len(buffer.consumers):
            yield f"portable.buffer.consumers: {buffer.id}"
        if buffer.role is BufferRole.WORKSPACE:
            if buffer.storage != "transient":
                yield f"portable.workspace.storage: {buffer.id} is {buffer.storage}"
            if not buffer.meaning:
                yield f"portable.workspace.semantic_missing: {buffer.id}"
            if not buffer.producer:
                yield f"portable.buffer.producer: nothing writes {buffer.id}"


def _objectives(plan: PortablePlan) -> Iterator[str]:
    kinds = [kind for kind, _, _ in plan.objectives]
    if len(set(kinds)) < len(kinds):
        yield "portable.objective.duplicate"
    if any(weight <= 0 for _, _, weight in plan.objectives):
        yield "portable.objective.weight"


def _forbidden(plan: PortablePlan) -> Iterator[str]:
    """No word of the plan names a target; names of kernel and buffers are the author's and may be anything."""
    authors = {plan.kernel, *(buffer.id for buffer in plan.buffers)}
    for word in _words(plan):
        if word in authors:
            continue
        for kind, names in FORBIDDEN.items():
            if any(name in word.lower() for name in names):
                yield f"portable.forbidden.{kind}: {word}"


def _words(item: Any) -> Iterator[str]:
    match item:
        case str():
            yield item
        case Enum():
            yield str(item.value)
        case IntExpr() | None | bool() | int():
            return
        case Count():
            yield item.unknown
        case tuple() | list():
            for part in cast(tuple[Any, ...], item):
                yield from _words(part)
        case dict():
            for key, value in cast(dict[Any, Any], item).items():
                yield from _words(key)
                yield from _words(value)
        case _ if is_dataclass(item):
            for each in fields(item):
                yield from _words(getattr(item, each.name))
        case _:
            yield repr(item)
