"""Reductions side by side: many results at once, vectorised along an axis that is not reduced."""

from __future__ import annotations

from dataclasses import replace

from intent2cuda.base.diagnostics import InternalError
from intent2cuda.base.intexpr import IntExpr, substitute
from intent2cuda.ir.op import results
from intent2cuda.ir.ops import Reduce
from intent2cuda.lower import ask, comments, storage
from intent2cuda.lower.access import Access
from intent2cuda.lower.buffer_access import element_of
from intent2cuda.lower.folding import COMBINERS, function, member_value, quote_own
from intent2cuda.lower.rows_ahead import rows_ahead
from intent2cuda.lower.writer import Writer
from intent2cuda.machine.expressions import Call, Construct, Expression, Integer, Lambda, Name, Subscript, Unary
from intent2cuda.machine.statements import Evaluate, Return
from intent2cuda.machine.types import IndexT
from intent2cuda.plan.stage import Axis, Buffer, Fold, Level, Prefetch


def columns(writer: Writer, stage: Fold) -> None:
    """Writes `fold_columns` or `arg_max_columns` into the current block; each result is a row of its buffer, along the
    `over` axis.
    """
    (over,) = stage.over
    for buffer in stage.into:
        storage.require(writer, buffer, here=True)
    rows, width = ask.integer(writer, stage.axes[0].extent), ask.integer(writer, over.extent)
    with writer.blocks.inner(movable=True, leaf=len(stage.axes) == 1) as block:
        block.pair = True
        row, column = writer.bind_axis(stage.axes[0]), writer.bind_axis(over)
        value = member_value(writer, replace(stage, level=Level.SERIAL, prefetch=None), stage.axes[1:])
    statements, lines = comments.take_out(block.statements)
    comments.quote(writer.blocks.current.statements, lines)
    quote_own(writer, stage)
    body = Lambda(((IndexT(), row), (IndexT(), column)), (*statements, Return(value)))
    if isinstance(stage.op, Reduce):
        name, combiner = "fold_columns", (Construct(COMBINERS[stage.op.combiner]),)
    else:
        name, combiner = "arg_max_columns", ()
    called, _ = function(writer, stage.level, name)
    first = tuple(_first(writer, stage, over, buffer) for buffer in stage.into)
    ahead = rows_ahead(writer, body) if stage.prefetch is Prefetch.PICKED else ()
    writer.blocks.append(Evaluate(Call(called, (rows, width, *combiner, body, *first, *ahead))))
    writer.stored.update(zip(results(stage.op), stage.into, strict=True))


def _first(writer: Writer, stage: Fold, over: Axis, buffer: Buffer) -> Expression:
    """The address of a result at position 0 of the `over` axis."""
    at = writer.at(stage.at)
    kept = tuple(at[i] for i in buffer.kept)
    symbol = writer.axis_symbol(over)
    if not kept or kept[-1] != IntExpr((((symbol,), 1),)):
        raise InternalError(f"the results in {buffer.name} are not neighbours along {over.name}")
    first = element_of(writer, Access(writer, {}), buffer, (*kept[:-1], substitute(kept[-1], {symbol: IntExpr.of(0)})))
    if isinstance(first, Subscript) and first.index == Integer(0) and isinstance(first.base, Name):
        return first.base
    return Unary("&", first)
