"""Loops and branches in lockstep: points that take another way run in a frame of their own until the ways meet.

Points may wait in a while loop for what others do after it: the others then go on alone, to the end of the region.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NoReturn

import numpy as np

from intent2cuda.interpret.faults import WAITING, fault
from intent2cuda.interpret.frames import Frame, Outcome, Slot, WaitingError, merged, part
from intent2cuda.interpret.state import Integer, State
from intent2cuda.ir.op import Region
from intent2cuda.ir.ops import For, If, While
from intent2cuda.ir.value import Value
from intent2cuda.language.bodies.storage import Array

Run = Callable[[Region, Frame | None], Outcome]
"""Runs a region for a frame and gives what it yields."""


class Rounds:
    """A loop under way: the points that are still in it, with their carries, and those that have left it."""

    def __init__(self, frame: Frame | None, carries: Sequence[Slot]) -> None:
        self.frame = frame
        self.active = frame
        self.carries = tuple(carries)
        self.finished = False
        self._points = np.arange(frame.size if frame else 1)
        self._left: list[tuple[Array, Sequence[Slot]]] = []

    def leave(self, gone: Array) -> None:
        """Lets the active points go for which `gone` holds: one bool for all, or one for each."""
        if gone.all():
            self.finished = True
        elif gone.any():
            assert self.frame is not None
            self._left.append(self._part(gone))
            self._points, self.carries = self._part(~gone)
            self.active = part(self.frame, self._points)
            self.carries = tuple(Slot(c.array, c.frame and self.active) for c in self.carries)

    def of_active(self, value: Integer) -> Integer:
        """The entries of the active points, of an integer for all or for each point of the loop."""
        return value if isinstance(value, int) else value[self._points]

    def results(self) -> Sequence[Slot]:
        """The carries with which each point has left."""
        if not self._left:
            return self.carries
        assert self.frame is not None
        return merged(self.frame, [*self._left, (self._points, self.carries)])

    def wait(self, op: While) -> NoReturn:
        """Raises WaitingError for the active points, or IntentError when no other point can help them."""
        if not self._left:
            fault(WAITING, "the loop never ends: a round of it changes nothing", op)
        assert self.frame is not None
        gone = np.concatenate([points for points, _ in self._left])
        ends = np.cumsum([len(points) for points, _ in self._left])
        places = np.split(np.arange(len(gone)), ends[:-1])
        values = [values for _, values in self._left]
        left = merged(part(self.frame, gone), list(zip(places, values, strict=True)))
        raise WaitingError((gone, left), (self._points, self.carries))

    def _part(self, mask: Array) -> tuple[Array, tuple[Slot, ...]]:
        carries = tuple(c if c.frame is None else Slot(c.array[mask], c.frame) for c in self.carries)
        return self._points[mask], carries


def run_for(op: For, state: State, frame: Frame | None, run: Run) -> None:
    """The members of a domain in order; domains may differ from point to point."""
    domain = op.domain.domain
    begin, extent, step = (state.integer(e, frame) for e in (domain.begin, domain.extent, domain.step))
    rounds = Rounds(frame, [state.read(value, frame) for value in op.initial])
    coordinate, *carries = op.body.args
    lengths = set(np.unique(extent).tolist())
    for ordinal in range(max(0, *lengths) + 1):
        if ordinal == 0 or ordinal in lengths:
            rounds.leave(np.asarray(rounds.of_active(extent)) <= ordinal)
        if rounds.finished:
            break
        member = rounds.of_active(begin) + ordinal * rounds.of_active(step)
        state.define(coordinate, np.asarray(member, np.int64), None if isinstance(member, int) else rounds.active)
        _round(op.body, carries, rounds, state, run)
        if rounds.finished:
            break
    _finish(op, rounds, state)


def run_while(op: While, state: State, frame: Frame | None, run: Run, carries: Sequence[Slot] | None = None) -> None:
    """Rounds while the test holds; points leave when their own test fails. It begins with `carries`, if given.

    Raises WaitingError when points wait for others that have left.
    """
    first = [state.read(value, frame) for value in op.initial] if carries is None else carries
    rounds = Rounds(frame, first)
    while True:
        active, before, changes = rounds.active, rounds.carries, state.changes
        for argument, carry in zip(op.test.args, rounds.carries, strict=True):
            state.place(argument, carry)
        (condition,) = run(op.test, rounds.active).values
        rounds.leave(~condition.array)
        if rounds.finished:
            break
        _round(op.body, op.body.args, rounds, state, run)
        if rounds.finished:
            break
        if rounds.active is active and state.changes == changes and _are_equal(before, rounds.carries):
            rounds.wait(op)
    _finish(op, rounds, state)


def _are_equal(before: Sequence[Slot], after: Sequence[Slot]) -> bool:
    return all(a.array.tobytes() == b.array.tobytes() for a, b in zip(before, after, strict=True))


def _round(body: Region, arguments: Sequence[Value], rounds: Rounds, state: State, run: Run) -> None:
    """One execution of a loop body by the active points; those that stop leave with its values."""
    for argument, carry in zip(arguments, rounds.carries, strict=True):
        state.place(argument, carry)
    outcome = run(body, rounds.active)
    rounds.carries = outcome.values
    if outcome.stop is not None:
        rounds.leave(outcome.stop.array)


def _finish(op: For | While, rounds: Rounds, state: State) -> None:
    for value, slot in zip(op.results, rounds.results(), strict=True):
        state.place(value, slot)


def run_if(op: If, state: State, frame: Frame | None, run: Run) -> None:
    """Each branch for the points that take it."""
    condition = state.read(op.condition, frame).array
    if condition.all() or not condition.any():
        values = run(op.then_body if condition.all() else op.else_body, frame).values
    else:
        assert frame is not None
        parts: list[tuple[Array, Sequence[Slot]]] = []
        for body, points in ((op.then_body, np.flatnonzero(condition)), (op.else_body, np.flatnonzero(~condition))):
            parts.append((points, run(body, part(frame, points)).values))
        values = merged(frame, parts)
    for value, slot in zip(op.results, values, strict=True):
        state.place(value, slot)
