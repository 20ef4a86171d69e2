"""Loops that do several rounds of sweeps while rows are in the caches, as one call with a function for each sweep."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from intent2cuda.ir.ops import For
from intent2cuda.lower import ask
from intent2cuda.lower.carried import bind_member
from intent2cuda.lower.levels import last_of
from intent2cuda.lower.points import nested
from intent2cuda.lower.writer import Writer
from intent2cuda.machine.expressions import Call, Construct, Lambda, Name
from intent2cuda.machine.statements import Declare, Evaluate
from intent2cuda.machine.statements import For as ForStatement
from intent2cuda.machine.types import IndexT
from intent2cuda.machine.walk import names_in
from intent2cuda.plan.stage import Axis, Loop, Points, Space, Stage, TimeTiles, rounds_of
from intent2cuda.plan.time_tiles import parted

Body: TypeAlias = Callable[[Sequence[Stage]], None]


def tiled(writer: Writer, stage: Loop, op: For, tiles: TimeTiles, lower: Body) -> Evaluate:
    """The call; what it needs is declared in the current block."""
    _, sweeps = parted(stage)
    turns, along = rounds_of(op), [bound.axis for bound in sweeps[0].axes[: len(tiles.reach)]]
    begin, end = ask.integer(writer, turns.begin), ask.integer(writer, turns.begin + turns.extent)
    names = ("kReach",) if len(along) == 1 else ("kPlaneReach", "kRowReach")
    rows = [_rows(writer, *each) for each in zip(along, names, tiles.reach, strict=True)]
    row_bytes, size = writer.blocks.name(("row_bytes",)), ask.integer(writer, tiles.row_bytes)
    why = "of all memories: rows stay in the caches for several rounds"
    writer.blocks.append_before_quote(Declare(IndexT(), row_bytes, size, note=why))
    found = [_sweep(writer, op, sweep, len(along), lower) for sweep in sweeps]
    grid = Construct("intent::Planes", tuple(rows)) if len(rows) > 1 else rows[0]
    return Evaluate(
        Call("intent::time_tiles", (Construct("intent::Turns", (begin, end)), grid, Name(row_bytes), *found))
    )


def _rows(writer: Writer, axis: Axis, name: str, far: int) -> Construct:
    """The members of an axis with their reach."""
    reach = writer.count(name, far, "a sweep reads what others write so far away at most")
    return Construct("intent::Rows", (ask.integer(writer, axis.begin), last_of(writer, axis), Name(reach)))


def _sweep(writer: Writer, op: For, stage: Points, along: int, lower: Body) -> Lambda:
    """`[=](index_t turn, index_t row) { ... }`: what a round does in a row."""
    with writer.tracing.during(stage), writer.blocks.inner() as block:
        turn = bind_member(writer, op)
        if stage.op is not None and stage.op.statement is not None:
            writer.quote((stage.op.statement,), header_only=True)
        plane = [writer.bind_axis(bound.axis) for bound in stage.axes[: along - 1]]
        *before, loop = nested(writer, stage, stage.axes[along - 1 :], lower)
    assert isinstance(loop, ForStatement)
    body = (*block.statements, *before, *loop.body)
    is_read = any(turn in names_in(statement) for statement in body)
    in_frame = any(buffer.space is Space.LOCAL for buffer in writer.stored.values())
    names = (turn if is_read else "", *plane, loop.variable)
    return Lambda(tuple((IndexT(), name) for name in names), body, by_reference=in_frame)
