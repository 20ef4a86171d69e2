"""Plans as people read them, one stage a line; loops are indented around what they run.

points m: team [m < M] cpu.points.team
  fold n < N -> peak  cpu.fold
  effect y[m, n]
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import assert_never

from intent2cuda.base.intexpr import IntExpr
from intent2cuda.ir.notation import Names, mnemonic
from intent2cuda.ir.op import results
from intent2cuda.ir.ops import For, While
from intent2cuda.ir.value import Value
from intent2cuda.plan.stage import (
    Access,
    Allocation,
    Axis,
    BoundAxis,
    Branch,
    Buffer,
    Carry,
    Check,
    Effect,
    Fold,
    Implementation,
    Keep,
    Let,
    Loop,
    Points,
    Product,
    Stage,
    Sync,
    TimeTiles,
    rounds_of,
)
from intent2cuda.plan.wording import extent_text


def stage_text(stages: Sequence[Stage], names: Names) -> str:
    """A stage tree, every loop with its level and implementation."""
    return "\n".join(_Printer(names).stages(stages, 0)) + "\n"


def stage_head(stage: Stage, names: Names) -> str:
    """The line of a stage without what is inside it; of a loop the line behind those that fill its carries."""
    shown = replace(stage, start=()) if isinstance(stage, Loop) else stage
    return next(iter(_Printer(names).stage(shown, "", 0)))


def stage_work(stage: Stage, names: Names) -> str:
    """The same without the implementation."""
    implementation = stage.implementation if isinstance(stage, Points | Fold | Product | Loop) else None
    by = _by(implementation) if implementation is not None else ""
    return stage_head(stage, names).removesuffix(by)


class _Printer:
    def __init__(self, names: Names) -> None:
        self.names = names

    def stages(self, stages: Sequence[Stage], depth: int) -> Iterator[str]:
        for stage in stages:
            yield from self.stage(stage, "  " * depth, depth)

    def stage(self, stage: Stage, indent: str, depth: int) -> Iterator[str]:
        match stage:
            case Points():
                axes = ", ".join(self.bound(axis) for axis in stage.axes)
                stream = " stream" if stage.stream else ""
                draw = f" draws {self.element(stage.draw.value, stage.draw.at)}" if stage.draw else ""
                turns = " in turns" if stage.in_turns else ""
                yield f"{indent}points {axes}{turns}{stream}{draw}{_by(stage.implementation)}"
                yield from self.stages(stage.body, depth + 1)
            case Fold():
                yield from self.fold(stage, indent)
            case Product():
                yield from self.product(stage, indent)
            case Let():
                yield f"{indent}let {self.element(stage.value, stage.at)}"
            case Effect():
                once = " once" if stage.once else ""
                yield f"{indent}store {self.names.of(stage.op.resource)}{_behind(stage.at)}{once}"
            case Access():
                once = " once" if stage.once else ""
                scope = f" among the {stage.scope.value}" if stage.reason else ""
                name = self.names.of(stage.op.resource)
                yield f"{indent}{mnemonic(stage.op)} {name}{_behind(stage.at)}{scope}{once}"
            case Keep():
                yield f"{indent}keep {self.element(stage.value, stage.at)} in {stage.buffer.id}"
            case Loop():
                yield from self.loop(stage, indent, depth)
            case Branch():
                yield f"{indent}if {self.names.of(stage.op.condition)}{self.carries(stage.merges, stage.op.results)}"
                yield from self.stages(stage.then_body, depth + 1)
                if stage.else_body:
                    yield f"{indent}else"
                    yield from self.stages(stage.else_body, depth + 1)
            case Allocation():
                yield f"{indent}allocate {self.buffer(stage.buffer)}"
            case Sync():
                yield f"{indent}sync: {stage.reason}"
            case Check():
                yield f"{indent}check {self.extent(stage.op.lhs)} == {self.extent(stage.op.rhs)}"
            case _:
                assert_never(stage)

    def fold(self, stage: Fold, indent: str) -> Iterator[str]:
        over = f" over {', '.join(self.free(a) for a in stage.over)}" if stage.over else ""
        into = f" into {', '.join(b.id for b in stage.into)}" if stage.into else ""
        found = ", ".join(self.element(result, stage.at) for op in stage.ops for result in results(op))
        prefetch = f" {stage.prefetch.value}" if stage.prefetch else ""
        axes = ", ".join(self.free(a) for a in stage.axes)
        yield f"{indent}fold {axes}: {stage.level.value}{over} -> {found}{into}{prefetch}{_by(stage.implementation)}"
        for keep in stage.keeps:
            yield from self.stage(keep, indent + "  ", 0)

    def product(self, stage: Product, indent: str) -> Iterator[str]:
        sides = f"{self.free(stage.rows)}, {self.free(stage.columns)}, depth {self.free(stage.depth)}"
        into = f" into {stage.into.id}" if stage.into else ""
        found = self.element(stage.op.result, stage.at)
        yield f"{indent}product {sides}: {stage.level.value} -> {found}{into}{_by(stage.implementation)}"
        if stage.epilogue:
            yield from self.stage(stage.epilogue, indent + "  ", 0)

    def loop(self, stage: Loop, indent: str, depth: int) -> Iterator[str]:
        yield from self.stages(stage.start, depth)
        over = f"for {self.rounds(stage.op)}" if isinstance(stage.op, For) else "while"
        by = _by(stage.implementation) if stage.implementation else ""
        tiles = f", {self.rows(stage.tiles)}" if stage.tiles else ""
        yield f"{indent}{over}{self.carries(stage.carries, stage.op.results)}{tiles}{by}"
        if isinstance(stage.op, While):
            yield f"{indent}test"
            yield from self.stages(stage.test, depth + 1)
            yield f"{indent}do"
        yield from self.stages(stage.body, depth + 1)

    def rows(self, tiles: TimeTiles) -> str:
        return f"rows of {self.extent(tiles.row_bytes)} bytes that reach {' and '.join(map(str, tiles.reach))} away"

    def rounds(self, op: For) -> str:
        axis = rounds_of(op)
        return self.free(replace(axis, name=axis.name or "_"))

    def carries(self, carries: Sequence[Carry], values: Sequence[Value]) -> str:
        shown: list[str] = []
        for carry in carries:
            name = self.names.of(values[carry.index])
            spare = f"/{carry.spare.id}" if carry.spare else ""
            shown.append(f"{name} in {carry.buffer.id}{spare}" if carry.buffer else name)
        return f" carrying {', '.join(shown)}" if shown else ""

    def bound(self, bound: BoundAxis) -> str:
        return f"{self.free(bound.axis)}: {bound.level.value}"

    def free(self, axis: Axis) -> str:
        if axis.step.constant != 1:
            start, step, members = map(self.extent, (axis.begin, axis.step, axis.extent))
            return f"{axis.name} in {start} step {step}, {members} members"
        start = "" if axis.begin.constant == 0 else f"{self.extent(axis.begin)} <= "
        return f"{start}{axis.name} < {self.extent(axis.begin + axis.extent)}"

    def extent(self, extent: IntExpr) -> str:
        return extent_text(extent, self.names)

    def element(self, value: Value, at: Sequence[Axis]) -> str:
        return f"{self.names.of(value)}{_at(at) if at else ''}"

    def buffer(self, buffer: Buffer) -> str:
        extents = ", ".join(self.extent(extent) for extent in buffer.extents)
        return f"{buffer.id} {self.names.of(buffer.value)}[{extents}] {buffer.space.value}"


def _behind(at: Sequence[Axis]) -> str:
    return f" at {_at(at)}" if at else ""


def _at(at: Sequence[Axis]) -> str:
    return f"[{', '.join(axis.name for axis in at)}]"


def _by(implementation: Implementation) -> str:
    bound = "".join(f" {name}={value}" for name, value, _ in implementation.parameters)
    return f" by {implementation.name}{bound}"
