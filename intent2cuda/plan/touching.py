"""Which memory a stage reads and writes: views of the caller, buffers of the author, buffers of the plan."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import assert_never

from intent2cuda.base.intexpr import Symbol
from intent2cuda.ir.ops import Contract, For
from intent2cuda.ir.value import Value
from intent2cuda.plan.axes import yielded
from intent2cuda.plan.demand import Demand
from intent2cuda.plan.effects import EffectOp
from intent2cuda.plan.roots import Root, define_root, domain_root, reduction, roots_of
from intent2cuda.plan.stage import (
    Access,
    Allocation,
    Axis,
    Branch,
    Buffer,
    Check,
    Coordinates,
    Effect,
    Fold,
    Keep,
    Let,
    Loop,
    Points,
    Product,
    Stage,
    Sync,
)
from intent2cuda.plan.trees import inside


@dataclass(frozen=True)
class Touch:
    """`key` names the memory in a plan; `name` is what people call it.

    `along`: pairs (memory axis, loop axis) whose position is the loop's own member, counted from 0 in steps of 1.
    """

    key: str
    name: str
    write: bool
    along: tuple[tuple[int, Axis], ...]
    of_view: bool


class Touching:
    def __init__(self, demand: Demand, stages: Sequence[Stage]) -> None:
        self.demand = demand
        self.homes = demand.homes
        self.points = dict(_author_axes(stages))
        self._own: dict[int, tuple[Stage, tuple[Touch, ...]]] = {}  # with the stage, so that its id stays its own

    def all(self, stages: Sequence[Stage]) -> Iterator[Touch]:
        """What the stages and everything inside them touch."""
        for stage in stages:
            yield from self.own(stage)
            yield from self.all(inside(stage))

    def own(self, stage: Stage) -> tuple[Touch, ...]:
        """What a stage touches by itself, without the stages inside it."""
        if id(stage) not in self._own:
            self._own[id(stage)] = (stage, tuple(self._found(stage)))
        return self._own[id(stage)][1]

    def _found(self, stage: Stage) -> Iterator[Touch]:
        match stage:
            case Effect() | Access():
                yield from self.root(_root(self.demand, stage.op), stage.at)
            case Let():
                yield from self.value(stage.value, stage.at, defines=True)
            case Keep():
                if stage.value in self.demand.producers or not stage.fills:
                    yield from self.value(stage.value, stage.at, defines=stage.fills)
                yield _of_buffer(stage.buffer, True, stage.at)
            case Fold():
                yield from self.fold(stage)
            case Product():
                yield from self.root(_root(self.demand, stage.op), (*stage.at, stage.depth))
                if stage.into is not None:
                    yield _of_buffer(stage.into, True, stage.at)
                if stage.epilogue is not None:
                    yield from self.own(stage.epilogue)
            case Loop():
                yield from self.loop(stage)
            case Branch():
                yield from self.value(stage.op.condition, (), defines=False)
                for body in (stage.op.then_body, stage.op.else_body):
                    for merge in stage.merges:
                        if merge.buffer is None:
                            yield from self.value(yielded(body).values[merge.index], merge.at, defines=False)
            case Points() | Allocation() | Sync() | Check():
                pass
            case _:
                assert_never(stage)

    def fold(self, stage: Fold) -> Iterator[Touch]:
        yield from self.root(reduction(stage.ops, self.demand.classes), (*stage.at, *stage.axes))
        for buffer in stage.into:
            yield _of_buffer(buffer, True, stage.at)
        for keep in stage.keeps:
            yield from self.own(keep)

    def loop(self, stage: Loop) -> Iterator[Touch]:
        """The bounds, the first values and what each round hands on in locals."""
        op = stage.op
        if isinstance(op, For):
            yield from self.root(domain_root(op), ())
        else:
            for value in yielded(op.test).values:
                yield from self.value(value, (), defines=False)
        end = yielded(op.body)
        for carry in stage.carries:
            if carry.buffer is None:
                yield from self.value(op.initial[carry.index], carry.at, defines=False)
                yield from self.value(end.values[carry.index], carry.at, defines=False)
        if end.stop is not None:
            yield from self.value(end.stop, (), defines=False)

    def value(self, value: Value, at: Coordinates, defines: bool) -> Iterator[Touch]:
        op = self.demand.producers.get(value)
        if op is None:
            if value in self.homes:
                yield _of_buffer(self.homes[value], False, at)
            return
        yield from self.root(define_root(op, value, self.demand.classes, defines, at), at)

    def root(self, root: Root, at: Coordinates) -> Iterator[Touch]:
        seen = self.demand.seen(root)
        for access in seen.accesses:
            ties = ((tie[1], at[tie[0]]) for tie in access.ties if _plain(tie[2].constant, tie[3].constant))
            points = (
                (axis, self.points[p]) for axis, position in access.points if (p := position.as_symbol) in self.points
            )
            home = self.homes.get(access.resource)
            key, name = (home.id, home.name) if home else (f"v{access.resource.serial}", access.resource.name)
            yield Touch(key, name, access.store, (*ties, *points), home is None)
        for value, tokens in seen.leaves:
            if (home := self.demand.home(root, value)) is not None:
                axes = tuple(None if token is None else at[token] for token in tokens)
                yield _of_buffer(home, False, axes)


def _root(demand: Demand, op: EffectOp | Contract) -> Root:
    return next(roots_of(op, demand.classes))


def _of_buffer(buffer: Buffer, write: bool, at: Sequence[Axis | None]) -> Touch:
    along = tuple((n, axis) for n, kept in enumerate(buffer.kept) if kept < len(at) and (axis := at[kept]) is not None)
    return Touch(buffer.id, buffer.value.name or buffer.name, write, along, of_view=False)


def _plain(begin: int | None, step: int | None) -> bool:
    return begin == 0 and step == 1


def _author_axes(stages: Sequence[Stage]) -> Iterator[tuple[Symbol | None, Axis]]:
    """The axis that runs over each point of the author's parallel loops, where the point is its plain ordinal."""
    for stage in stages:
        if isinstance(stage, Points):
            for bound in stage.axes:
                axis = bound.axis
                if axis.point is not None and _plain(axis.begin.constant, axis.step.constant):
                    yield axis.point.as_symbol.as_symbol, axis
        yield from _author_axes(inside(stage))
