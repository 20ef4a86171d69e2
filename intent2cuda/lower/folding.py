"""What all forms of a reduction share: the value of a member, and the combiner."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod

from intent2cuda.base.intexpr import IntExpr
from intent2cuda.ir.ops import ArgReduce, Combiner, Reduce
from intent2cuda.lower import ask, comments
from intent2cuda.lower.coordinates import Coordinates
from intent2cuda.lower.runs import Run
from intent2cuda.lower.writer import Writer
from intent2cuda.machine.expressions import (
    Binary,
    Call,
    Cast,
    Conditional,
    Construct,
    Expression,
    Integer,
    Lambda,
    Unary,
)
from intent2cuda.machine.statements import Return
from intent2cuda.machine.types import CType, IndexT
from intent2cuda.plan.stage import Axis, Fold, Level, Space
from intent2cuda.types.dtype import Kind

COMBINERS = {
    Combiner.ADD: "intent::Add",
    Combiner.MAXIMUM: "intent::Maximum",
    Combiner.MINIMUM: "intent::Minimum",
    Combiner.ANY: "intent::Any",
    Combiner.ALL: "intent::All",
}

ABREAST = "cpu.reduce.abreast"


def fold_call(writer: Writer, stage: Fold, axes: Sequence[Axis]) -> Call:
    """The fold over the first axis; its members are folds over the other axes."""
    count = ask.integer(writer, axes[0].extent)
    combiner = Construct(_combiner(stage))
    by_rows = stage.level is Level.TEAM and len(axes) > 1
    row_work = ask.integer(writer, prod((axis.extent for axis in axes[1:]), start=IntExpr.of(1))) if by_rows else None
    body = member(writer, stage, axes)
    if row_work is not None:
        return Call("intent::parallel_fold_rows", (count, row_work, combiner, body))
    if stage.implementation.name == ABREAST:
        return Call("intent::fold_few", (combiner, body), (str(axes[0].extent.constant),))
    name, template = function(writer, stage.level, "fold")
    if stage.implementation.name == "cpu.reduce.ragged":
        name = writer.row_fold
    return Call(name, (count, combiner, body), template)


def _combiner(stage: Fold) -> str:
    names = [COMBINERS[op.combiner] for op in stage.ops if isinstance(op, Reduce)]
    return f"intent::Each<{', '.join(names)}>" if len(names) > 1 else names[0]


def member(writer: Writer, stage: Fold, axes: Sequence[Axis]) -> Lambda:
    """`[=](index_t n) { ... return value; }`; the quotes of its statements move in front of the fold."""
    with writer.blocks.inner(movable=True, leaf=len(axes) == 1) as block:
        variable = writer.bind_axis(axes[0])
        value = member_value(writer, stage, axes[1:])
    statements, lines = comments.take_out(block.statements)
    comments.quote(writer.blocks.current.statements, lines)
    by_reference = any(keep.buffer.space is Space.LOCAL for keep in stage.keeps)
    return Lambda(((IndexT(), variable),), (*statements, Return(value)), by_reference)


def member_value(writer: Writer, stage: Fold, rest: Sequence[Axis]) -> Expression:
    """The value of a member in the current block: an element (stored where it is kept) or a fold over other axes."""
    if rest:
        return fold_call(writer, replace(stage, level=Level.SERIAL, prefetch=None), rest)
    run = Run(writer, stage.keeps, [(op.source, _source_at(writer, stage, op)) for op in stage.ops])
    run.write()
    values = [_as_member(op, value) for op, value in zip(stage.ops, run.finish(), strict=True)]
    return Construct("intent::Values", tuple(values)) if len(values) > 1 else values[0]


def _as_member(op: Reduce | ArgReduce, value: Expression) -> Expression:
    is_index = op.source.tensor.dtype.kind is Kind.INDEX
    return Cast(IndexT(), value) if is_index and not _has_index_type(value) else value


def function(writer: Writer, level: Level, name: str) -> tuple[str, tuple[CType | str, ...]]:
    """The runtime's function for a level: by one thread, by the OpenMP team, by the threads of a block."""
    if not writer.cuda:
        return (f"intent::parallel_{name}" if level is Level.TEAM else f"intent::{name}"), ()
    if level is Level.SERIAL:
        return f"intent::thread_{name}", ()
    return f"intent::block_{name}", (writer.threads(),)


def quote_own(writer: Writer, stage: Fold) -> None:
    for op in stage.ops:
        if op.statement is not None:
            writer.quote((op.statement,))


def _source_at(writer: Writer, stage: Fold, op: Reduce | ArgReduce) -> Coordinates:
    """The coordinates of the member: the result's, with the folded axes in their places."""
    folded = op.axes if isinstance(op, Reduce) else (op.axis,)
    kept, inner = list(writer.at(stage.at)), list(writer.at(stage.axes))
    rank = op.source.tensor.rank
    return tuple(inner.pop(0) if axis in folded else kept.pop(0) for axis in range(rank))


def _has_index_type(value: Expression) -> bool:
    """Whether the text has the type index_t by itself: plain numbers do not."""
    match value:
        case Integer():
            return False
        case Unary():
            return _has_index_type(value.operand)
        case Binary():
            return _has_index_type(value.lhs) or _has_index_type(value.rhs)
        case Conditional():
            return _has_index_type(value.true_value) or _has_index_type(value.false_value)
        case _:
            return True
