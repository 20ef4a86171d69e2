"""Reductions for neighbouring members of a loop, each in a vector lane of its own: one call of the runtime."""

from __future__ import annotations

from intent2cuda.ir.ops import Reduce
from intent2cuda.lower import ask, comments
from intent2cuda.lower.folding import ABREAST, COMBINERS, member_value, quote_own
from intent2cuda.lower.folds import WORDS
from intent2cuda.lower.runs import Run
from intent2cuda.lower.scalars import ctype
from intent2cuda.lower.writer import Writer
from intent2cuda.machine.expressions import Call, Construct, Lambda, Name
from intent2cuda.machine.names import identifier
from intent2cuda.machine.statements import Evaluate, Return
from intent2cuda.machine.types import IndexT
from intent2cuda.plan.stage import Effect, Fold, Keep, Let, Points


def abreast(writer: Writer, stage: Points) -> bool:
    """Writes `fold_abreast` for a loop whose members are a reduction each; False when the plan does not say so."""
    fold = stage.body[0]
    if not isinstance(fold, Fold) or fold.implementation.name != ABREAST:
        return False
    assert isinstance(fold.op, Reduce)
    members, count = (ask.integer(writer, axis.extent) for axis in (stage.axes[0].axis, fold.axes[0]))
    with writer.tracing.during(fold):
        value = _value(writer, stage, fold)
        quote_own(writer, fold)
    store = _store(writer, stage, fold, fold.op)
    arguments = (members, count, Construct(COMBINERS[fold.op.combiner]), value, store)
    writer.blocks.append(Evaluate(Call("intent::fold_abreast", arguments)))
    return True


def _value(writer: Writer, stage: Points, fold: Fold) -> Lambda:
    """`[=](index_t q, index_t c) { return value; }`: what a member of the loop combines."""
    with writer.blocks.inner(movable=True, leaf=len(fold.axes) == 1) as block:
        block.pair = True
        names = (writer.bind_axis(stage.axes[0].axis), writer.bind_axis(fold.axes[0]))
        found = member_value(writer, fold, fold.axes[1:])
    statements, lines = comments.take_out(block.statements)
    comments.quote(writer.blocks.current.statements, lines)
    return Lambda(tuple((IndexT(), name) for name in names), (*statements, Return(found)))


def _store(writer: Writer, stage: Points, fold: Fold, op: Reduce) -> Lambda:
    """`[=](index_t q, float sum) { y_row[q] = sum; }`."""
    with writer.blocks.inner(movable=True, leaf=True) as block:
        member = writer.bind_axis(stage.axes[0].axis)
        author = identifier(op.result.name) if op.result.name else ""
        found = writer.blocks.name((author or WORDS[op.combiner], WORDS[op.combiner]), author=author)
        writer.blocks.remember((op.result, writer.at(fold.at)), Name(found))
        Run(writer, [other for other in stage.body[1:] if isinstance(other, Effect | Keep | Let)]).write()
    statements, lines = comments.take_out(block.statements)
    comments.quote(writer.blocks.current.statements, lines)
    return Lambda(((IndexT(), member), (ctype(op.result.tensor.dtype), found)), statements)
