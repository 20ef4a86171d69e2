"""Unordered loop nests."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

from intent2cuda.lower import ask, comments, lengths
from intent2cuda.lower.abreast import abreast
from intent2cuda.lower.fills import fill
from intent2cuda.lower.levels import GRID_AXES, first_blocks, head
from intent2cuda.lower.maps import inside_map, row_map, whole_map
from intent2cuda.lower.prefixes import scan_columns
from intent2cuda.lower.ragged import ragged
from intent2cuda.lower.scatters import scatter
from intent2cuda.lower.texts import flat, is_flat
from intent2cuda.lower.writer import Writer
from intent2cuda.machine.expressions import Binary, Call, Name
from intent2cuda.machine.statements import Declare, Evaluate, For, Scope, Source, Statement
from intent2cuda.machine.types import IndexT
from intent2cuda.plan.stage import Allocation, BoundAxis, Branch, Check, Effect, Keep, Let, Level, Points, Stage, Sync
from intent2cuda.plan.trees import every, goes_past_caches

Body: TypeAlias = Callable[[Sequence[Stage]], None]
_STRAIGHT = (Let, Effect, Keep, Check, Sync, Allocation)

_PARALLEL_WORK = 32768
"""`kParallelWork` of the runtime, for amounts of work that are known."""

_ROOM = 16
"""Columns that are left for the amount of work in the longest pragma, inside a loop."""


def points(writer: Writer, stage: Points, lower: Body) -> None:
    """Writes the loops of a stage into the current block; the author's loop header is quoted above them."""
    if stage.op is not None and stage.op.statement is not None:
        writer.quote((stage.op.statement,), header_only=True)
    if whole_map(writer, stage) or row_map(writer, stage) or inside_map(writer, stage) or fill(writer, stage):
        return
    if scatter(writer, stage) or ragged(writer, stage, lower) or scan_columns(writer, stage) or abreast(writer, stage):
        return
    if stage.axes[0].level is Level.TEAM:
        _team(writer, stage, lower)
    else:
        nest = _lifted(writer, stage, nested(writer, stage, stage.axes, lower))
        on_grid = sum(bound.level in (Level.GRID, Level.GRID_LANE) for bound in stage.axes)
        for statement in first_blocks(writer, on_grid, tuple(nest)) if on_grid else nest:
            writer.blocks.append(statement)


def _lifted(writer: Writer, stage: Points, nest: Sequence[Statement]) -> Sequence[Statement]:
    """The nest; the only quote in a nest of plain loops moves in front of it."""
    if not _is_straight(stage.body) or comments.count(nest) != 1:
        return nest
    bare, lines = comments.take_out(nest)
    comments.quote(writer.blocks.current.statements, lines)
    return bare


def _is_straight(body: Sequence[Stage]) -> bool:
    return all(isinstance(stage, _STRAIGHT) for stage in body)


def is_leaf(body: Sequence[Stage]) -> bool:
    """Whether there is no loop of any kind in the stages."""
    return all(
        is_leaf((*stage.then_body, *stage.else_body)) if isinstance(stage, Branch) else isinstance(stage, _STRAIGHT)
        for stage in body
    )


def nested(writer: Writer, stage: Points, axes: Sequence[BoundAxis], lower: Body) -> list[Statement]:
    """The loops over `axes`, the first one outermost, around the body."""
    bound, rest = axes[0], axes[1:]
    spelled = head(writer, bound.axis, _level(bound, rest), _grid_axis(stage, bound))
    leaf = not rest and (is_leaf(stage.body) or bound.level is Level.SIMD)
    with writer.blocks.inner(movable=True, leaf=leaf, stages=not rest) as block:
        variable = writer.bind_axis(bound.axis)
        block.nest = stage.id.removesuffix(".row")
        block.lanes = writer.axis_symbol(bound.axis) if bound.level is Level.SIMD else None
        writer.around.append(bound.axis)
        if bound.axis.step.constant != 1:
            lengths.of_round(writer, stage.body, writer.axis_symbol(bound.axis), "rows", block)
        if rest:
            block.statements += nested(writer, stage, rest, lower)
        else:
            _body(writer, stage, lower)
        writer.around.pop()
    joint = bool(rest) and bound.level is rest[0].level is Level.TEAM
    body = _perfect(block.statements) if joint else tuple(block.statements)
    return [For(IndexT(), variable, spelled.begin, spelled.end, spelled.step, body, spelled.pragmas)]


def _perfect(statements: Sequence[Statement]) -> tuple[Statement, ...]:
    """The only loop of a body with all that stands in front of it inside: loops that are shared as one need it so."""
    *before, loop = statements
    assert isinstance(loop, For)
    return (replace(loop, body=(*before, *loop.body)),)


def _body(writer: Writer, stage: Points, lower: Body) -> None:
    outside = writer.in_grid
    writer.in_grid = outside or any(b.level in (Level.GRID, Level.GRID_LANE) for b in stage.axes)
    lower(stage.body)
    writer.in_grid = outside


def _level(bound: BoundAxis, rest: Sequence[BoundAxis]) -> Level:
    """Of several axes at THREADS level the innermost one is shared; every thread runs all members of the others."""
    inner = any(b.level is Level.THREADS for b in rest)
    return Level.SERIAL if bound.level is Level.THREADS and inner else bound.level


def _grid_axis(stage: Points, bound: BoundAxis) -> str:
    """The innermost axis that is laid over the grid goes along x, the next one along y, then z."""
    on_grid = [b.axis.id for b in reversed(stage.axes) if b.level in (Level.GRID, Level.GRID_LANE)]
    return GRID_AXES[on_grid.index(bound.axis.id)] if bound.axis.id in on_grid else "x"


def _team(writer: Writer, stage: Points, lower: Body) -> None:
    """A loop of the OpenMP team, in a region of its own where each thread needs memory or has something to finish."""
    small = stage.work.constant is not None and stage.work.constant < _PARALLEL_WORK
    condition = _threshold(writer, stage)
    outside = writer.parallel_depth
    with writer.blocks.inner(movable=True, leaf=False, stages=False) as region:
        writer.parallel_depth = region.depth
        nest = nested(writer, stage, stage.axes, lower)
        writer.parallel_depth = outside
    nest = _lifted(writer, stage, nest)
    loop = nest[-1]
    assert isinstance(loop, For)
    count = sum(b.level is Level.TEAM for b in stage.axes)
    share = f"{f' collapse({count})' if count > 1 else ''} schedule({'dynamic' if stage.in_turns else 'static'})"
    simd = " simd" if len(stage.axes) == count == 1 and _is_straight(stage.body) else ""
    if small and not region.statements:
        simd_only = ("omp simd",) if simd else ()
        writer.blocks.append(replace(loop, pragmas=simd_only))
        return
    streams = any(goes_past_caches(inner) for inner in every((stage,)))
    if not region.statements and not streams:
        writer.blocks.append(replace(loop, pragmas=(f"omp parallel for{simd}{share}{condition}",)))
        return
    inner: list[Statement] = [*region.statements]
    if inner and writer.blocks.current.statements and isinstance(writer.blocks.current.statements[-1], Source):
        inner.append(writer.blocks.current.statements.pop())  # what the loop does is said at the loop
    inner.append(replace(loop, pragmas=(f"omp for{simd}{share}",)))
    if streams:
        inner.append(Evaluate(Call("intent::finish_streaming", ())))
    writer.blocks.append(Scope(tuple(inner), f"omp parallel{condition}"))


def _threshold(writer: Writer, stage: Points) -> str:
    """The clause that keeps small work on one thread; none where the amount is known."""
    if stage.work.constant is not None:
        return ""
    work = ask.integer(writer, stage.work)
    if not is_flat(work) or len(flat(work)) > _ROOM:
        here = writer.blocks.current.statements
        name = next((s.name for s in here if isinstance(s, Declare) and s.value == work), "")
        if not name:
            name = writer.blocks.name(("work",))
            writer.blocks.append(Declare(IndexT(), name, work, note="scalar operations of the loop below"))
        work = Name(name)
    return f" if ({flat(Binary('>=', work, Name('intent::kParallelWork')))})"
