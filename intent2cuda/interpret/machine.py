"""Runs regions: op by op, for all points of a frame at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from intent2cuda.base.diagnostics import InternalError
from intent2cuda.interpret import atomics, combining, control, memory, regions, tensors
from intent2cuda.interpret.checks import Checks
from intent2cuda.interpret.faults import DIVISION, fault
from intent2cuda.interpret.frames import DivergedError, Frame, Outcome, groups, merged, part
from intent2cuda.interpret.parallel import run_parallel
from intent2cuda.interpret.state import State
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
            except ZeroDivisionError:
                fault(DIVISION, "an extent or a coordinate is divided by zero", op)
        return Outcome(())

    def _apart(self, ops: Sequence[Op], frame: Frame, parts: Sequence[Array]) -> Outcome:
        """The rest of a region, for the groups of points whose extents agree, one group after the other."""
        outcomes = [(points, self._ops(ops, part(frame, points))) for points in parts]
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
                memory.require_equal(op, state, frame)
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
