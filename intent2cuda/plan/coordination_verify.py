"""Invariants of a coordination: references, order, tokens, queues, and an order for all that touches the same bytes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import combinations

from intent2cuda.base.diagnostics import Diagnostic
from intent2cuda.base.report import Assurance, Report, report
from intent2cuda.plan.commands import Barrier, CollectiveCommand, Command, HostCall, Launch, Signal, Transfer, Wait
from intent2cuda.plan.coordination import Coordination, QueueKind
from intent2cuda.plan.memory_verify import EndsBefore, Steps, memory_findings, positions, share_bytes
from intent2cuda.plan.ordering import Ordering

TAKES: Mapping[type, QueueKind] = {
    Launch: QueueKind.COMPUTE,
    CollectiveCommand: QueueKind.COMPUTE,
    Transfer: QueueKind.COPY,
    HostCall: QueueKind.HOST,
}
"""The kind of queue that takes each body."""

RESERVED = ("timestamp", "duration", "start_time", "end_time", "latency", "predicted")
"""Names of measured or predicted times: plans hold none."""


def coordination_report(
    plan: Coordination, steps: Steps | None = None, ends_before: EndsBefore | None = None
) -> Report:
    """What does not fit together in a coordination. Buffers live between commands, or between the given steps."""
    ordering = Ordering(plan)

    def findings() -> Iterator[Diagnostic]:
        yield from _references(plan)
        yield from _dag(plan)
        yield from _tokens(plan, ordering)
        yield from _queues(plan, ordering)
        yield from _conflicts(plan, ordering)
        yield from _visibility(plan)
        yield from _times(plan)
        lives = positions([command.id for command in plan.commands]) if steps is None else steps
        yield from memory_findings(plan, lives, ends_before or (lambda one, other, _: one in ordering.ancestors(other)))

    return report(Assurance.STRUCTURAL, findings())


def _references(plan: Coordination) -> Iterator[Diagnostic]:
    for what, ids in _identifiers(plan).items():
        for name, count in Counter(ids).items():
            if count > 1 or not name:
                yield Diagnostic("concrete.reference.duplicate", f"{count} {what} have this name", subject=name)
    known = {what: set(ids) for what, ids in _identifiers(plan).items()}
    for command in plan.commands:
        used = [("device", command.device), *(("command", c) for c in command.dependencies)]
        used += [("queue", command.queue)] if command.queue is not None else []
        used += (("token", token) for token in (*command.waits, *command.signals))
        for what, name in used:
            if name not in known[what]:
                yield _unknown(command.id, what, name)
        for buffer in _touched(command):
            if buffer not in known["buffer"]:
                message = f"it uses {buffer}, which has no place: nothing is allocated while a plan runs"
                yield Diagnostic("concrete.alloc.unplanned", message, subject=command.id)
        if isinstance(command.body, Barrier | CollectiveCommand):
            for name in command.body.participants:
                if name not in known["device"] | known["queue"]:
                    yield _unknown(command.id, "participant", name)
    owners = [(q.id, "device", q.device) for q in plan.queues] + [(e.id, "device", e.device) for e in plan.engines]
    owners += [(e.id, "queue", queue) for e in plan.engines for queue in e.queues]
    owners += [(r.id, "device", r.device) for r in plan.regions] + [(b.id, "region", b.region) for b in plan.buffers]
    owners += [("given", "buffer", name) for name in plan.given]
    yield from (_unknown(subject, what, name) for subject, what, name in owners if name not in known[what])


def _identifiers(plan: Coordination) -> dict[str, list[str]]:
    return {
        "device": [device.id for device in plan.devices],
        "queue": [queue.id for queue in plan.queues],
        "engine": [engine.id for engine in plan.engines],
        "token": [*plan.tokens],
        "region": [region.id for region in plan.regions],
        "buffer": [buffer.id for buffer in plan.buffers],
        "command": [command.id for command in plan.commands],
    }


def _unknown(subject: str, what: str, name: str) -> Diagnostic:
    return Diagnostic("concrete.reference.unknown", f"there is no {what} {name}", subject=subject)


def _touched(command: Command) -> tuple[str, ...]:
    moved = (command.body.source, command.body.target) if isinstance(command.body, Transfer) else ()
    return tuple(dict.fromkeys((*command.reads, *command.writes, *moved)))


def _dag(plan: Coordination) -> Iterator[Diagnostic]:
    later = {command.id: place for place, command in enumerate(plan.commands)}
    for place, command in enumerate(plan.commands):
        for other in command.dependencies:
            if other == command.id:
                yield Diagnostic("concrete.dag.self", "it depends on itself", subject=command.id)
            elif later.get(other, -1) > place:
                message = f"it stands before {other}, on which it depends"
                yield Diagnostic("concrete.dag.not_topological", message, subject=command.id)
    depends = {command.id: {*command.dependencies} - {command.id} for command in plan.commands}
    while ready := [name for name, others in depends.items() if not others & depends.keys()]:
        depends = {name: others for name, others in depends.items() if name not in ready}
    if depends:
        message = f"these depend on each other: {', '.join(sorted(depends))}"
        yield Diagnostic("concrete.dag.cycle", message, subject=min(depends))


def _tokens(plan: Coordination, ordering: Ordering) -> Iterator[Diagnostic]:
    for token in plan.tokens:
        signalling = [command for command in plan.commands if token in command.signals]
        waiting = [command for command in plan.commands if token in command.waits]
        if not signalling:
            yield Diagnostic("concrete.token.unproduced", "no command signals it", subject=token)
        if len(signalling) > 1:
            names = ", ".join(command.id for command in signalling)
            yield Diagnostic("concrete.token.multiple", f"it is signalled by {names}", subject=token)
        if not waiting:
            yield Diagnostic("concrete.token.unconsumed", "no command waits for it", subject=token)
        for waiter in waiting:
            if any(waiter.id == other.id or waiter.id in ordering.ancestors(other.id) for other in signalling):
                message = f"{waiter.id} waits for it before it can be signalled"
                yield Diagnostic("concrete.token.wait_before_signal", message, subject=token)


def _queues(plan: Coordination, ordering: Ordering) -> Iterator[Diagnostic]:
    queues = {queue.id: queue for queue in plan.queues}
    devices = {device.id: device for device in plan.devices}
    for command in plan.commands:
        queue = queues.get(command.queue or "")
        takes = TAKES.get(type(command.body))
        if queue is not None and queue.kind is not takes:
            message = f"{queue.id} takes what is {queue.kind.value}, not a {type(command.body).__name__}"
            yield Diagnostic("concrete.queue.kind", message, subject=command.id)
        if queue is not None and queue.device != command.device:
            yield Diagnostic("concrete.queue.device", f"{queue.id} belongs to {queue.device}", subject=command.id)
        device = devices.get(command.device)
        issued = not isinstance(command.body, Barrier | Signal | Wait | HostCall)
        if device is not None and device.queues and issued and command.queue is None:
            yield Diagnostic("concrete.queue.missing", f"{device.id} takes commands from queues", subject=command.id)
        if command.id in ordering.ancestors(command.id) and command.id not in command.dependencies:
            message = "what it waits for is issued after it or waits for it"
            yield Diagnostic("concrete.order.issue", message, subject=command.id)


def _conflicts(plan: Coordination, ordering: Ordering) -> Iterator[Diagnostic]:
    """Two commands of which one writes bytes that the other touches are ordered."""
    for one, other in combinations(plan.commands, 2):
        if ordering.ordered(one.id, other.id):
            continue
        for mine in _touched(one):
            for theirs in _touched(other):
                written = mine in _written(one) or theirs in _written(other)
                if written and (mine == theirs or share_bytes(plan, mine, theirs)):
                    message = f"{one.id} and {other.id} touch {mine} and nothing orders them"
                    yield Diagnostic("concrete.sync.missing_happens_before", message, subject=other.id)


def _written(command: Command) -> tuple[str, ...]:
    moved = (command.body.target,) if isinstance(command.body, Transfer) else ()
    return (*command.writes, *moved)


def _visibility(plan: Coordination) -> Iterator[Diagnostic]:
    """A device sees the memory that its commands touch; a transfer may be between memories of two devices."""
    regions = {region.id: region for region in plan.regions}
    places = {buffer.id: regions[buffer.region] for buffer in plan.buffers if buffer.region in regions}
    sees = {device.id: device.spaces for device in plan.devices}
    for command in plan.commands:
        if isinstance(command.body, Transfer):
            continue
        for buffer in _touched(command):
            place = places.get(buffer)
            if place is not None and place.space not in sees.get(command.device, ()):
                message = f"{buffer} is in {place.space}, which {command.device} does not see"
                yield Diagnostic("concrete.placement.visibility", message, subject=command.id)


def _times(plan: Coordination) -> Iterator[Diagnostic]:
    for command in plan.commands:
        found = command.implementation
        words = (command.id, *((found.name, found.variant) if found else ()))
        if any(word in text.lower() for text in words for word in RESERVED):
            yield Diagnostic("concrete.forbidden.timestamp", "a plan says nothing about time", subject=command.id)
