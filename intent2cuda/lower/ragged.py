"""Loops over members with parts of different sizes, as one call that shares them among all threads by size."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import prod
from typing import TypeAlias

from intent2cuda.base.intexpr import IntExpr
from intent2cuda.lower import ask, comments
from intent2cuda.lower.writer import Writer
from intent2cuda.machine.expressions import Binary, Call, Construct, Expression, Lambda, Name, Subscript
from intent2cuda.machine.statements import Evaluate, Return
from intent2cuda.machine.types import CType, IndexT, Named
from intent2cuda.machine.walk import names_in, nodes
from intent2cuda.plan.stage import Fold, Points, Stage

Body: TypeAlias = Callable[[Sequence[Stage]], None]


def ragged(writer: Writer, stage: Points, lower: Body) -> bool:
    """Writes the call; False when the plan has not chosen it."""
    if stage.implementation.name != "cpu.points.ragged":
        return False
    folds = any(isinstance(inner, Fold) and _is_row_fold(inner) for inner in stage.body)
    rows = ask.integer(writer, stage.axes[0].axis.extent)
    work = () if folds else (ask.integer(writer, _member_work(stage)),)
    body = _body(writer, stage, lower, folds)  # first: it is what the author's statements are quoted in
    ahead = [Construct("intent::PrefetchAhead", (line,)) for line in _streams(writer, body)] if folds else ()
    arguments: tuple[Expression, ...] = (rows, _offsets(writer, stage), *work, body, *ahead)
    writer.blocks.append(Evaluate(Call("intent::ragged_folds" if folds else "intent::ragged_rows", arguments)))
    return True


def _is_row_fold(stage: Fold) -> bool:
    return stage.implementation.name == "cpu.reduce.ragged"


def _member_work(stage: Points) -> IntExpr:
    """Operations that an element of a part takes at least."""
    widths = (prod((a.extent for a in s.over), start=IntExpr.of(1)) for s in stage.body if isinstance(s, Fold))
    return next(widths)


def _body(writer: Writer, stage: Points, lower: Body, folds: bool) -> Lambda:
    axis, outside = stage.axes[0].axis, writer.parallel_depth
    with writer.blocks.inner(movable=True, leaf=False) as block:
        writer.parallel_depth = block.depth
        parameters: list[tuple[CType, str]] = [(IndexT(), writer.bind_axis(axis))]
        if folds:
            writer.row_fold = writer.blocks.name(("row_fold",))
            parameters.append((Named("auto"), writer.row_fold))
        block.nest = stage.id
        writer.around.append(axis)
        lower(stage.body)
        writer.around.pop()
        writer.parallel_depth = outside
    return Lambda(tuple(parameters), tuple(block.statements))


def _streams(writer: Writer, body: Lambda) -> tuple[Name, ...]:
    """The dense lines that members of a row are read from, one after the other, in the order of their first use."""
    dense = {
        name
        for block in writer.blocks.open
        for (view, axis, _), name in block.lines.items()
        if not isinstance(view, str) and (view, axis) in writer.unit_axes
    }
    found: dict[str, None] = {}
    for call in nodes(body):
        if isinstance(call, Call) and call.function == writer.row_fold:
            member = next(argument for argument in call.args if isinstance(argument, Lambda))
            found.update(dict.fromkeys(line for line in _lines_along(member) if line in dense))
    return tuple(Name(line) for line in found)


def _lines_along(member: Lambda) -> Iterator[str]:
    """The lines of which a member reads the element at its own place: `value_line[begin + i]`."""
    ((_, variable),) = member.parameters
    for node in nodes(member.body):
        match node:
            case Subscript(Name(line), Binary("+", begin, Name(i))) if i == variable and i not in names_in(begin):
                yield line
            case _:
                pass


def _offsets(writer: Writer, stage: Points) -> Lambda:
    """Where the part of each member begins."""
    assert stage.offsets is not None
    with writer.blocks.inner(movable=True, leaf=True) as block:
        variable = writer.bind_axis(stage.axes[0].axis)
        begin = ask.element(writer, stage.offsets)
    statements, lines = comments.take_out(block.statements)
    comments.quote(writer.blocks.current.statements, lines)
    return Lambda(((IndexT(), variable),), (*statements, Return(begin)))
