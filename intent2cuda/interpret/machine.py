"""Runs regions: op by op, for all points of a frame at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np

from intent2cuda.base.diagnostics import InternalError
from intent2cuda.interpret import atomics, combining, control, memory, regions, tensors
from intent2cuda.interpret.checks import Checks
from intent2cuda.interpret.faults import DIVISION, fault
from intent2cuda.interpret.frames import DivergedError, Frame, Outcome, Slot, WaitingError, groups, merged, part
from intent2cuda.interpret.parallel import run_parallel
from intent2cuda.interpret.state import State
from intent2cuda.ir.conditions import placed
from intent2cuda.ir.op import Op, Region
from intent2cuda.ir.ops import (
    Allocate,
    AnyOp,
    AssumeInBounds,
    AtomicLoad,
    AtomicStore,
    AtomicUpdate,
    CompareExchange,
    Domain,
    For,
    Gather,
    If,
    Load,
    Parallel,
    ReduceBy,
    RegionFold,
    RegionScan,
    RequireEqual,
    ScanBy,
    ScatterReduce,
    Store,
    Subregion,
    While,
    Yield,
)
from intent2cuda.language.bodies.storage import Array


def _moved(slots: Sequence[Slot], frame: Frame) -> list[Slot]:
    """Values of another frame of the same points."""
    return [Slot(slot.array, slot.frame and frame) for slot in slots]


class Machine:
    """One run of one kernel. `checks` is there in checked runs."""

    def __init__(self, state: State, checks: Checks | None) -> None:
        self.state = state
        self.checks = checks

    def run(self, region: Region, frame: Frame | None) -> Outcome:
        """Runs a region for the points of a frame, or once when there is none, and gives what it yields."""
        return self._ops(region.ops, frame)

    def _ops(self, ops: Sequence[Op], frame: Frame | None) -> Outcome:
        for position, op in enumerate(ops):
            if isinstance(op, Yield):
                stop = None if op.stop is None else self.state.read(op.stop, frame)
                return Outcome(tuple(self.state.read(value, frame) for value in op.values), stop)
            try:
                self._op(cast(AnyOp, op), frame)
            except DivergedError as diverged:
                assert frame is not None
                return self._apart(ops[position:], frame, groups(diverged.keys))
            except WaitingError as waiting:
                assert isinstance(op, While) and frame is not None
                return self._past(op, ops[position + 1 :], frame, waiting)
            except ZeroDivisionError:
                fault(DIVISION, "an extent or a coordinate is divided by zero", op)
        return Outcome(())

    def _apart(self, ops: Sequence[Op], frame: Frame, parts: Sequence[Array]) -> Outcome:
        """The rest of a region, for the groups of points whose extents agree, one group after the other."""
        return self._together(frame, [(points, self._ops(ops, part(frame, points))) for points in parts])

    def _past(self, op: While, rest: Sequence[Op], frame: Frame, waiting: WaitingError) -> Outcome:
        """What follows a loop: for the points that have left it, then for those that wait in it for the others."""
        outcomes: list[tuple[Array, Outcome]] = []
        stuck = np.arange(frame.size)
        while True:
            gone, values = waiting.left
            outcomes.append(self._after(op, rest, frame, stuck[gone], values))
            within, carries = waiting.waiting
            stuck = stuck[within]
            inner = part(frame, stuck)
            try:
                control.run_while(op, self.state, inner, self.run, _moved(carries, inner))
            except WaitingError as again:
                waiting = again
                continue
            outcomes.append((stuck, self._ops(rest, inner)))
            return self._together(frame, outcomes)

    def _after(
        self, op: While, rest: Sequence[Op], frame: Frame, points: Array, values: Sequence[Slot]
    ) -> tuple[Array, Outcome]:
        inner = part(frame, points)
        for result, slot in zip(op.results, _moved(values, inner), strict=True):
            self.state.place(result, slot)
        return points, self._ops(rest, inner)

    def _together(self, frame: Frame, outcomes: Sequence[tuple[Array, Outcome]]) -> Outcome:
        values = merged(frame, [(points, outcome.values) for points, outcome in outcomes])
        stops = [(points, (outcome.stop,)) for points, outcome in outcomes if outcome.stop is not None]
        return Outcome(values, merged(frame, stops)[0] if stops else None)

    def _op(self, op: AnyOp, frame: Frame | None) -> None:
        state = self.state
        match op:
            case Load() | Gather():
                memory.load(op, state, self.checks, frame)
            case Store():
                memory.store(op, state, self.checks, frame)
            case AtomicLoad() | AtomicStore() | AtomicUpdate() | CompareExchange() | ScatterReduce():
                atomics.execute(op, state, self.checks, frame)
            case Allocate():
                memory.allocate(op, state, self.checks, frame)
            case RequireEqual():
                memory.require_equal(op, state, frame, placed(op.text, op))
            case AssumeInBounds():
                memory.assume_in_bounds(op, state, frame)
            case Domain():
                pass  # a domain is its type: begin, extent and step are expressions over values that exist already
            case Subregion():
                if self.checks:
                    self.checks.subregion(op, state, frame)
            case Parallel():
                run_parallel(op, state, self.checks, frame, self.run)
            case For():
                control.run_for(op, state, frame, self.run)
            case While():
                control.run_while(op, state, frame, self.run)
            case If():
                control.run_if(op, state, frame, self.run)
            case ReduceBy():
                combining.run_reduce(op, state, frame, self.run)
            case ScanBy():
                combining.run_scan(op, state, frame, self.run)
            case RegionFold():
                regions.run_fold(op, state, frame, self.run)
            case RegionScan():
                regions.run_scan(op, state, frame, self.run)
            case Yield():
                raise InternalError("a yield stands inside a region, not at its end")
            case _:
                tensors.evaluate(op, state, frame)
