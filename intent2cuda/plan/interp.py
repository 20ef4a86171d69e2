"""What a plan means, as something that runs: when a command may begin, and every order in which all of them can.

A command may begin when what it depends on has ended, what was issued before it to its queue has ended, its tokens are
signalled, no barrier stands between it and something unfinished, and the buffers that it reads hold something.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from intent2cuda.base.diagnostics import InternalError
from intent2cuda.plan.commands import Barrier, Command
from intent2cuda.plan.coordination import Coordination

State = TypeVar("State")


def admissible_orders(plan: Coordination) -> Iterator[tuple[Command, ...]]:
    """Every order in which the commands can run, one at a time.

    Raises: InternalError when some of them can never begin.
    """
    return _orders(plan, ())


def run(order: Sequence[Command], state: State, execute: Callable[[Command, State], State]) -> State:
    """What is left when the commands have run in this order; `execute` gives the state after one of them."""
    for command in order:
        state = execute(command, state)
    return state


def obstacle(plan: Coordination, done: Sequence[Command], command: Command) -> str:
    """What keeps a command from beginning once these have ended; empty when nothing does."""
    ended = {other.id for other in done}
    for other in command.dependencies:
        if other not in ended:
            return f"it depends on {other}"
    signalled = {token for other in done for token in other.signals}
    for token in command.waits:
        if token not in signalled:
            return f"{token} is not signalled"
    for other in plan.commands[: plan.commands.index(command)]:
        if other.id not in ended and (command.queue is not None and other.queue == command.queue):
            return f"{other.id} is before it in {command.queue}"
        if other.id not in ended and (_joins(other, command) or _joins(command, other)):
            return f"a barrier orders it after {other.id}"
    holding = {*plan.given, *(buffer for other in done for buffer in other.writes)}
    for buffer in command.reads:
        if buffer not in holding:
            return f"{buffer} holds nothing"
    return ""


def _orders(plan: Coordination, done: tuple[Command, ...]) -> Iterator[tuple[Command, ...]]:
    left = [command for command in plan.commands if command not in done]
    if not left:
        yield done
        return
    obstacles = {command.id: obstacle(plan, done, command) for command in left}
    ready = [command for command in left if not obstacles[command.id]]
    if not ready:
        stuck = "; ".join(f"{name}: {why}" for name, why in obstacles.items())
        raise InternalError(f"[concrete.deadlock] {stuck}")
    for command in ready:
        yield from _orders(plan, (*done, command))


def _joins(barrier: Command, command: Command) -> bool:
    """Whether the barrier holds for what is issued where the command is."""
    if not isinstance(barrier.body, Barrier):
        return False
    if isinstance(command.body, Barrier):
        return bool({*barrier.body.participants} & {*command.body.participants})
    return command.device in barrier.body.participants or command.queue in barrier.body.participants
