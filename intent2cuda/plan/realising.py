"""What a concrete plan makes of each part of the portable one: tasks, resources and buffers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from intent2cuda.plan.concrete import ResourceMap
from intent2cuda.plan.coordination import PlacedBuffer
from intent2cuda.plan.covering import own_roots
from intent2cuda.plan.demand import Demand
from intent2cuda.plan.identity import Identities
from intent2cuda.plan.portable import BufferRole, PlanBuffer, PlanTask
from intent2cuda.plan.stage import Stage
from intent2cuda.plan.stage_identity import StageIds, every_part, own_work, parts

Owners: TypeAlias = Mapping[str, tuple[str, ...]]
"""The tasks of the portable plan that each operation of the author belongs to."""

CARRIERS: Mapping[str, Mapping[str, str]] = {
    "cpu": {
        "arithmetic": "vector lanes of the threads",
        "memory_bandwidth": "global memory",
        "memory_capacity": "frames and scratch of the threads",
        "synchronisation": "ends of parallel regions",
        "host_control": "the calling thread",
    },
    "cuda": {
        "arithmetic": "lanes of the blocks",
        "memory_bandwidth": "global memory",
        "memory_capacity": "registers, shared memory, workspace",
        "synchronisation": "barriers of the block",
        "host_control": "the launching thread",
    },
}
"""What of a target meets each kind of abstract resource. No target has a network."""


def owners(tasks: Sequence[PlanTask]) -> Owners:
    """The tasks by the operations of the author that they cover."""
    found: dict[str, tuple[str, ...]] = {}
    for task in tasks:
        for name in task.body:
            found[name] = (*found.get(name, ()), task.id)
    return found


Realised: TypeAlias = tuple[tuple[str, tuple[str, ...]], ...]
"""For the identifier of each stage the tasks that it carries out."""


def realised(stages: Sequence[Stage], ids: StageIds, identities: Identities, owned: Owners, demand: Demand) -> Realised:
    """The tasks of each stage: of the operations that it or what is inside it runs, else of what is around or beside.

    A task that no stage runs is carried out by those that compute its values where they need them.
    """
    own = tuple(_realised(stages, ids, identities, owned, ()))
    left = {task for tasks in owned.values() for task in tasks} - {task for _, tasks in own for task in tasks}
    if not left:
        return own
    computed = {ids.of(stage): set(_computed(stage, identities, owned, demand)) & left for stage in every_part(stages)}
    return tuple((name, (*tasks, *sorted(computed[name]))) for name, tasks in own)


def _computed(stage: Stage, identities: Identities, owned: Owners, demand: Demand) -> Iterator[str]:
    """The tasks of the operations whose values a stage computes on its way."""
    for root in own_roots(stage, demand):
        for value in demand.seen(root).values:
            if value in demand.producers:
                yield from owned.get(identities.of_author(demand.producers[value]), ())


def _realised(
    stages: Sequence[Stage], ids: StageIds, identities: Identities, owned: Owners, around: tuple[str, ...]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    own = [tuple(dict.fromkeys(_tasks(stage, identities, owned))) or around for stage in stages]
    for place, stage in enumerate(stages):
        mine = next((tasks for tasks in (*own[place::-1], *own[place:]) if tasks), ())
        yield ids.of(stage), mine
        yield from _realised(parts(stage), ids, identities, owned, mine)


def _tasks(stage: Stage, identities: Identities, owned: Owners) -> Iterator[str]:
    for name in own_work(stage, identities):
        yield from owned.get(identities.authors.get(name.partition(":")[0], ""), ())
    for part in parts(stage):
        yield from _tasks(part, identities, owned)


def resource_maps(tasks: Sequence[PlanTask], target: str) -> Iterator[ResourceMap]:
    """What meets each resource that a task asks for. One that the target does not have is left out."""
    for task in tasks:
        for resource in task.resources:
            by = CARRIERS[target].get(resource.kind)
            if by is not None:
                yield ResourceMap(task.id, resource.kind, resource.scope, by)


def unneeded(portable: Sequence[PlanBuffer], placed: Sequence[PlacedBuffer]) -> Iterator[tuple[str, str]]:
    """The workspaces of the portable plan that no buffer takes the place of: their bound is replaced by nothing."""
    replaced = {buffer.replaces for buffer in placed}
    for buffer in portable:
        if buffer.role is BufferRole.WORKSPACE and buffer.id not in replaced:
            yield buffer.id, "0 bytes: no element is stored, each is used where it is made"
