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
from intent2cuda.plan.stage import Loop, Points, Space, Stage, TimeTiles, rounds_of
from intent2cuda.plan.time_tiles import parted

Body: TypeAlias = Callable[[Sequence[Stage]], None]


def tiled(writer: Writer, stage: Loop, op: For, tiles: TimeTiles, lower: Body) -> Evaluate:
    """The call; what it needs is declared in the current block."""
    _, sweeps = parted(stage)
    turns, rows = rounds_of(op), sweeps[0].axes[0].axis
    begin, end = ask.integer(writer, turns.begin), ask.integer(writer, turns.begin + turns.extent)
    reach = writer.count("kReach", tiles.reach, "a sweep reads what others write so many rows away at most")
    row_bytes, size = writer.blocks.name(("row_bytes",)), ask.integer(writer, tiles.row_bytes)
    why = "of all memories: rows stay in the caches for several rounds"
    writer.blocks.append_before_quote(Declare(IndexT(), row_bytes, size, note=why))
    first, last = ask.integer(writer, rows.begin), last_of(writer, rows)
    found = [_sweep(writer, op, sweep, lower) for sweep in sweeps]
    spans = (
        Construct("intent::Turns", (begin, end)),
        Construct("intent::Rows", (first, last, Name(reach), Name(row_bytes))),
    )
    return Evaluate(Call("intent::time_tiles", (*spans, *found)))


def _sweep(writer: Writer, op: For, stage: Points, lower: Body) -> Lambda:
    """`[=](index_t turn, index_t row) { ... }`: what a round does in a row."""
    with writer.tracing.during(stage), writer.blocks.inner() as block:
        turn = bind_member(writer, op)
        if stage.op is not None and stage.op.statement is not None:
            writer.quote((stage.op.statement,), header_only=True)
        *before, loop = nested(writer, stage, stage.axes, lower)
    assert isinstance(loop, ForStatement)
    body = (*block.statements, *before, *loop.body)
    is_read = any(turn in names_in(statement) for statement in body)
    in_frame = any(buffer.space is Space.LOCAL for buffer in writer.stored.values())
    return Lambda(((IndexT(), turn if is_read else ""), (IndexT(), loop.variable)), body, by_reference=in_frame)
