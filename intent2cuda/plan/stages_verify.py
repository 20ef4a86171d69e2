"""Invariants of the stages of a concrete plan: all runs once and in order, nothing is read before it is there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from intent2cuda.base.diagnostics import Diagnostic
from intent2cuda.ir.kernel import walk
from intent2cuda.ir.op import Op, results
from intent2cuda.ir.ops import ArgReduce, Contract, For, If, Parallel, Reduce, While
from intent2cuda.ir.value import Value
from intent2cuda.plan.barriers import Barriers
from intent2cuda.plan.concrete import ConcretePlan
from intent2cuda.plan.covering import covered, own_roots
from intent2cuda.plan.effects import EFFECTS
from intent2cuda.plan.searches import LOOKS_AHEAD, is_guarded
from intent2cuda.plan.stage import (
    Access,
    Allocation,
    Axis,
    Branch,
    Check,
    Effect,
    Fold,
    Keep,
    Let,
    Level,
    Loop,
    Points,
    Product,
    Stage,
    Sync,
)
from intent2cuda.plan.staging import Draft
from intent2cuda.plan.time_tiles import TIME_TILES, time_tiles
from intent2cuda.plan.touching import Touching
from intent2cuda.plan.trees import every

COVERED = (*EFFECTS, Reduce, ArgReduce, Contract, For, While, If)
"""The ops that must run: a plan has a stage for each."""

ALONE = (Level.TEAM, Level.TILES, Level.SIMD, Level.THREADS, Level.GRID_LANE)
"""Levels whose loops are one thread's work inside: none of them stands inside another one, but lanes inside a team."""


def stage_findings(plan: ConcretePlan, draft: Draft) -> Iterator[Diagnostic]:
    """What is wrong with the stages of a plan that come from the draft."""
    scope = _Scope(draft, Touching(draft.demand, plan.stages))
    yield from _coverage(plan)
    yield from scope.stages(plan.stages, _Frame())
    yield from _levels(plan.stages, ())
    yield from _tiles(plan.stages, draft)
    if plan.target == "cuda":
        yield from _barriers(plan, scope.touching)


def _coverage(plan: ConcretePlan) -> Iterator[Diagnostic]:
    """Every op that must run is there once, and effects are in program order."""
    running = [op for op in walk(plan.kernel.body) if isinstance(op, COVERED)]
    have = [op for op in covered(plan.stages) if isinstance(op, COVERED)]
    for op in running:
        times = have.count(op)
        if times != 1:
            code = "concrete.implementation.extra" if times else "concrete.implementation.missing"
            yield Diagnostic(code, f"{type(op).__name__} {_name(op)} runs {times} times", op.span, subject=_name(op))
    effects = [op for op in running if isinstance(op, EFFECTS)]
    if [op for op in have if isinstance(op, EFFECTS)] != effects:
        yield Diagnostic("concrete.order.effects", "stores are not in program order", subject=plan.kernel.name)
    points = [b.axis.point for s in every(plan.stages) if isinstance(s, Points) for b in s.axes if b.axis.point]
    for op in walk(plan.kernel.body):
        if isinstance(op, Parallel):
            for p in op.body.args:
                if points.count(p) != 1:
                    message = f"point {p.name} is bound {points.count(p)} times"
                    yield Diagnostic("concrete.implementation.points", message, op.span, subject=p.name)


def _name(op: Op) -> str:
    if isinstance(op, EFFECTS):
        return f"of {op.resource.name}"
    return ", ".join(value.name or "?" for value in results(op))


@dataclass
class _Frame:
    """What can be seen at a place: bound axes, values with a local, buffers that hold something."""

    axes: frozenset[str] = frozenset()
    values: set[Value] = field(default_factory=set[Value])
    written: set[str] = field(default_factory=set[str])

    def inside(self, axes: Sequence[Axis] = (), values: Sequence[Value] = ()) -> _Frame:
        return _Frame(self.axes.union(axis.id for axis in axes), {*self.values, *values}, self.written)


class _Scope:
    def __init__(self, draft: Draft, touching: Touching) -> None:
        self.draft = draft
        self.touching = touching
        self.parameters = set(draft.kernel.parameters)

    def stages(self, stages: Sequence[Stage], frame: _Frame) -> Iterator[Diagnostic]:
        for stage in stages:
            yield from self.stage(stage, frame)

    def stage(self, stage: Stage, frame: _Frame) -> Iterator[Diagnostic]:
        match stage:
            case Points():
                axes = [bound.axis for bound in stage.axes]
                points = [axis.point for axis in axes if axis.point is not None]
                yield from self.stages(stage.body, frame.inside(axes, points))
            case Fold():
                own = frame.inside((*stage.over, *stage.axes))
                yield from _members(stage)
                for keep in stage.keeps:
                    yield from self.stage(keep, own)
                yield from self.reads(stage, (*stage.at, *stage.axes), own)
                frame.written.update(buffer.id for buffer in stage.into)
                frame.values.update(value for op in stage.ops for value in results(op))
            case Product():
                own = frame.inside(
                    (stage.rows, stage.columns, stage.depth), results(stage.op) if stage.epilogue else ()
                )
                yield from self.reads(stage, (*stage.at, stage.depth), own)
                frame.written.update([stage.into.id] if stage.into else [])
            case Let():
                yield from self.reads(stage, stage.at, frame)
                frame.values.add(stage.value)
            case Keep():
                yield from self.reads(stage, stage.at, frame)
                frame.written.add(stage.buffer.id)
            case Effect() | Access():
                yield from self.reads(stage, stage.at, frame)
                frame.values.update(results(stage.op))
            case Loop():
                yield from self.loop(stage, frame)
            case Branch():
                for body in (stage.then_body, stage.else_body):
                    yield from self.stages(body, frame.inside())
                frame.values.update(stage.op.results)
            case Allocation():
                frame.written.add(stage.buffer.id)
            case Sync() | Check():
                pass

    def loop(self, stage: Loop, frame: _Frame) -> Iterator[Diagnostic]:
        yield from self.stages(stage.start, frame)
        if stage.implementation is not None and stage.implementation.name == LOOKS_AHEAD and not is_guarded(stage):
            message = "a loop looks ahead whose rounds are not guarded by a condition on their member"
            yield Diagnostic("concrete.implementation.wrong_operation", message, stage.op.span, subject=stage.id)
        carried = {carry.buffer.id for carry in stage.carries if carry.buffer is not None}
        for buffer in sorted(carried - frame.written):
            message = f"the carry in {buffer} starts empty"
            yield Diagnostic("concrete.buffer.unwritten", message, stage.op.span, subject=stage.id)
        tested = stage.op.test.args if isinstance(stage.op, While) else ()
        behind = [stage.scans.tail.axis] if stage.scans is not None and stage.scans.tail is not None else []
        inner = frame.inside(behind, (*stage.op.body.args, *tested))
        yield from self.stages((*stage.test, *stage.body), inner)
        frame.values.update(stage.op.results)

    def reads(self, stage: Stage, at: Sequence[Axis], frame: _Frame) -> Iterator[Diagnostic]:
        """Whether all that a stage reads is there, at coordinates that are bound."""
        for axis in at:
            if axis.id not in frame.axes:
                message = f"axis {axis.name} of {_kind(stage)} is not bound"
                yield Diagnostic("concrete.stage.unbound_axis", message, subject=axis.id)
        kept = stage.buffer.id if isinstance(stage, Keep) and stage.value in frame.values else None
        for touch in self.touching.own(stage):
            if not touch.write and not touch.of_view and touch.key not in frame.written and touch.key != kept:
                message = f"{_kind(stage)} reads {touch.name} before it is written"
                yield Diagnostic("concrete.buffer.unwritten", message, subject=touch.key)
        for root in own_roots(stage, self.draft.demand):
            for value, _ in self.draft.demand.seen(root).leaves:
                held = value in frame.values or value in self.parameters or self.draft.demand.home(root, value)
                if not held:
                    message = f"{_kind(stage)} reads {value!r}, which no stage before it defines"
                    yield Diagnostic("concrete.stage.undefined", message, value.span, subject=_kind(stage))


def _members(stage: Fold) -> Iterator[Diagnostic]:
    """Whether all reductions of a sweep have the members that it visits."""
    visited = [axis.extent for axis in stage.axes]
    for op in stage.beside:
        if [op.source.tensor.shape[axis] for axis in op.axes] != visited:
            message = f"a sweep over {len(visited)} axes reduces {_name(op)}, which has other members"
            yield Diagnostic("concrete.stage.members", message, op.span, subject=_name(op))


def _kind(stage: Stage) -> str:
    match stage:
        case Effect() | Access():
            return f"the store of {stage.op.resource.name}"
        case Let() | Keep():
            return f"{type(stage).__name__.lower()} {stage.value.name}"
        case _:
            return type(stage).__name__.lower()


def _levels(stages: Sequence[Stage], around: tuple[Level, ...]) -> Iterator[Diagnostic]:
    """Shared loops are not inside each other, and nobody waits inside one thread's work."""
    for stage in stages:
        mine = [bound.level for bound in stage.axes] if isinstance(stage, Points) else []
        for level in mine:
            lanes = level is Level.SIMD and set(around) <= {Level.TEAM, Level.TILES, Level.SERIAL}
            if level in ALONE and any(other in ALONE for other in around) and not lanes:
                message = f"a loop at level {level.value} stands inside one thread's work"
                yield Diagnostic("concrete.placement.level", message, subject=getattr(stage, "id", ""))
        if isinstance(stage, Sync) and any(level in ALONE for level in around):
            message = f"a barrier stands inside one thread's work: {stage.reason}"
            yield Diagnostic("concrete.sync.divergent", message, subject=stage.reason)
        if isinstance(stage, Points | Loop | Branch):
            body = (*stage.start, *stage.test, *stage.body) if isinstance(stage, Loop) else ()
            body = (*stage.then_body, *stage.else_body) if isinstance(stage, Branch) else body
            yield from _levels(stage.body if isinstance(stage, Points) else body, (*around, *mine))


def _tiles(stages: Sequence[Stage], draft: Draft) -> Iterator[Diagnostic]:
    """Rounds run together where that is legal alone, and tiles of rows are those of such a loop."""
    tiled: list[tuple[Points, int]] = []
    for stage in every(stages):
        match stage:
            case Loop():
                named = stage.implementation is not None and stage.implementation.name == TIME_TILES
                if (stage.tiles or named) and not _are_tiles(stage, draft):
                    message = "rounds run together whose sweeps need more rows of each other, or other work in between"
                    yield Diagnostic(
                        "concrete.implementation.wrong_operation", message, stage.op.span, subject=stage.id
                    )
                along = len(stage.tiles.reach) if stage.tiles else 0
                tiled += [(inner, along) for inner in stage.body if isinstance(inner, Points)]
            case Points():
                along = sum(count for sweep, count in tiled if sweep is stage)
                cut = [bound.level is Level.TILES for bound in stage.axes]
                if cut != [True] * along + [False] * (len(cut) - along):
                    message = f"{sum(cut)} of its axes are cut into tiles, where the loop around cuts the first {along}"
                    yield Diagnostic("concrete.placement.level", message, subject=stage.id)
            case _:
                pass


def _are_tiles(stage: Loop, draft: Draft) -> bool:
    named = stage.implementation is not None and stage.implementation.name == TIME_TILES
    return named and stage.tiles is not None and time_tiles(stage, draft.kernel, draft.demand) == stage.tiles


def _barriers(plan: ConcretePlan, touching: Touching) -> Iterator[Diagnostic]:
    """Planning the barriers once more finds none missing."""
    have = sum(isinstance(stage, Sync) for stage in every(plan.stages))
    need = [stage for stage in every(Barriers(touching).stages(plan.stages)) if isinstance(stage, Sync)]
    if len(need) > have:
        message = f"barriers are missing, one of them because {need[-1].reason}"
        yield Diagnostic("concrete.sync.missing_happens_before", message, subject=need[-1].reason)
