"""Which commands end before which others begin, however fast anything is."""

from __future__ import annotations

from collections.abc import Iterator

from intent2cuda.plan.commands import Barrier, Command
from intent2cuda.plan.coordination import Coordination


class Ordering:
    """Follows dependencies, queues, tokens and barriers. Order in the list of commands alone says nothing."""

    def __init__(self, plan: Coordination) -> None:
        known = {command.id for command in plan.commands}
        self._direct = {c.id: set(_direct(plan, place)) & known for place, c in enumerate(plan.commands)}
        self._all: dict[str, frozenset[str]] = {}

    def ancestors(self, command: str) -> frozenset[str]:
        """All that end before the command begins; the command itself is among them where it waits for itself."""
        if command not in self._all:
            found: set[str] = set()
            pending = [*self._direct.get(command, ())]
            while pending:
                other = pending.pop()
                if other not in found:
                    found.add(other)
                    pending += self._direct.get(other, ())
            self._all[command] = frozenset(found)
        return self._all[command]

    def ordered(self, one: str, other: str) -> bool:
        """Whether one of the two ends before the other one begins."""
        return one in self.ancestors(other) or other in self.ancestors(one)


def _direct(plan: Coordination, place: int) -> Iterator[str]:
    command = plan.commands[place]
    yield from command.dependencies
    waits = {*command.waits}
    yield from (other.id for other in plan.commands if waits & {*other.signals})
    mine = _issued(command)
    for other in plan.commands[:place]:
        queued = command.queue is not None and command.queue == other.queue
        joins = isinstance(command.body, Barrier) or isinstance(other.body, Barrier)
        if queued or (joins and mine & _issued(other)):
            yield other.id


def _issued(command: Command) -> set[str]:
    """The devices and queues that a command is issued to, or that it joins."""
    if isinstance(command.body, Barrier):
        return {*command.body.participants}
    return {command.device, *([command.queue] if command.queue else ())}
