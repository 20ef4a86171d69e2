"""Loops that do several rounds of sweeps while rows are in the caches, as one call with a function for each sweep."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, reduce
from typing import TypeAlias

from intent2cuda.base.intexpr import IntExpr
from intent2cuda.ir.ops import For
from intent2cuda.lower import ask
from intent2cuda.lower.carried import bind_member
from intent2cuda.lower.levels import last_of
from intent2cuda.lower.points import nested
from intent2cuda.lower.writer import Writer
from intent2cuda.machine.expressions import Binary, Call, Construct, Expression, Integer, Lambda, Name
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
    rows = _rows(writer, along, tiles) if len(along) > 1 else _plain_rows(writer, along[0], tiles)
    why = "of all memories: rows stay in the caches for several rounds"
    row_bytes = _declared(writer, "row_bytes", ask.integer(writer, tiles.row_bytes), why)
    found = [_sweep(writer, op, sweep, len(along), lower) for sweep in sweeps]
    spans = (Construct("intent::Turns", (begin, end)), Construct("intent::Rows", (*rows, row_bytes)))
    return Evaluate(Call("intent::time_tiles", (*spans, *found)))


def _plain_rows(writer: Writer, axis: Axis, tiles: TimeTiles) -> tuple[Expression, ...]:
    """The first row, the end and the reach of rows along one axis."""
    (far,) = tiles.reach
    reach = writer.count("kReach", far, "a sweep reads what others write so many rows away at most")
    return ask.integer(writer, axis.begin), last_of(writer, axis), Name(reach)


def _rows(writer: Writer, along: Sequence[Axis], tiles: TimeTiles) -> tuple[Expression, ...]:
    """The same of rows along several axes, counted from 0: all of the last one for each before."""
    counts = [Call("intent::most", (Integer(0), ask.integer(writer, axis.extent))) for axis in along]
    names = ", ".join(axis.name for axis in along)
    reach = IntExpr.of(0)
    for axis, far in zip(along, tiles.reach, strict=True):
        reach = reach * axis.extent + far
    count = _declared(writer, "rows", reduce(partial(Binary, "*"), counts), f"({names}), one after the other")
    why = f"rows: what others write is read {' and '.join(map(str, tiles.reach))} away at most"
    return Integer(0), count, _declared(writer, "reach", ask.integer(writer, reach), why)


def _declared(writer: Writer, name: str, value: Expression, note: str) -> Name:
    chosen = writer.blocks.name((name, f"{name}_of_all"))
    writer.blocks.append_before_quote(Declare(IndexT(), chosen, value, note=note))
    return Name(chosen)


def _sweep(writer: Writer, op: For, stage: Points, along: int, lower: Body) -> Lambda:
    """`[=](index_t turn, index_t row) { ... }`: what a round does in a row."""
    with writer.tracing.during(stage), writer.blocks.inner() as block:
        turn = bind_member(writer, op)
        if stage.op is not None and stage.op.statement is not None:
            writer.quote((stage.op.statement,), header_only=True)
        if along == 1:
            *before, loop = nested(writer, stage, stage.axes, lower)
            assert isinstance(loop, ForStatement)
            row, body = loop.variable, (*before, *loop.body)
        else:
            row = writer.blocks.name(("row", "row_of_all"))
            _members(writer, row, [bound.axis for bound in stage.axes[:along]])
            rest = stage.axes[along:]
            body = tuple(nested(writer, stage, rest, lower)) if rest else ()
            if not rest:
                lower(stage.body)
    body = (*block.statements, *body)
    is_read = any(turn in names_in(statement) for statement in body)
    in_frame = any(buffer.space is Space.LOCAL for buffer in writer.stored.values())
    return Lambda(((IndexT(), turn if is_read else ""), (IndexT(), row)), body, by_reference=in_frame)


def _members(writer: Writer, row: str, along: Sequence[Axis]) -> None:
    """Declares the members that a row stands for: the last axis runs fastest."""
    left: Expression = Name(row)
    found: list[Expression] = []
    for axis in reversed(along[1:]):
        count = ask.integer(writer, axis.extent)
        found.append(Binary("%", left, count))
        left = Binary("/", left, count)
    for axis, ordinal in zip(along, (left, *reversed(found)), strict=True):
        begin = ask.integer(writer, axis.begin)
        value = ordinal if begin == Integer(0) else Binary("+", begin, ordinal)
        writer.blocks.append(Declare(IndexT(), writer.bind_axis(axis), value))
