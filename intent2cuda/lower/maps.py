"""Elementwise loops that the runtime has as one call: `intent::map` and `intent::map_row`."""

from __future__ import annotations

from math import prod

from intent2cuda.base.intexpr import IntExpr
from intent2cuda.ir.terms import Lanes
from intent2cuda.lower import ask, comments, coordinates
from intent2cuda.lower.elements import Elements
from intent2cuda.lower.runs import Run
from intent2cuda.lower.writer import Writer
from intent2cuda.machine.expressions import Binary, Call, Expression, Lambda, Name, Subscript
from intent2cuda.machine.names import derived
from intent2cuda.machine.statements import Declare, Evaluate, Return
from intent2cuda.machine.types import IndexT, Named
from intent2cuda.plan.stage import Effect, Keep, Let, Points
from intent2cuda.types.value_type import ViewType


def whole_map(writer: Writer, stage: Points) -> bool:
    """Writes a call that shares the axis among all threads; False when the stage is not of that form."""
    if stage.implementation.name != "cpu.pointwise.map" or len(stage.axes) != 1:
        return False
    return _call(writer, stage, "intent::map", ())


def row_map(writer: Writer, stage: Points) -> bool:
    """Writes a call for one thread whose stores may go past the caches; False when the stage is not of that form."""
    if stage.implementation.name != "cpu.pointwise.map_row" or len(stage.axes) != 1 or not stage.stream:
        return False
    effect = stage.body[-1]
    assert isinstance(effect, Effect)
    return _call(writer, stage, "intent::map_row", (streamed(writer, effect),))


def _call(writer: Writer, stage: Points, function: str, middle: tuple[Expression, ...]) -> bool:
    axis = stage.axes[0].axis
    effect = stage.body[-1]
    before = [s for s in stage.body[:-1] if isinstance(s, Let | Keep)]
    if not isinstance(effect, Effect) or effect.op.valid is not None or len(before) != len(stage.body) - 1:
        return False
    if axis.begin.constant != 0 or any(isinstance(term, Lanes) for term in effect.op.terms):
        return False
    count = ask.integer(writer, axis.extent)
    with writer.blocks.inner(movable=True, leaf=True) as block:
        variable = writer.bind_axis(axis)
        target = target_line(writer, effect)
        if target is None:
            return False
        run = Run(writer, before, [(effect.op.value, writer.at(effect.at))])
        run.write()
        (value,) = run.finish()
        if effect.op.statement is not None:
            writer.quote((effect.op.statement,))
    statements = (*block.statements, Return(value))
    if comments.count(statements) == 1:
        statements, lines = comments.take_out(statements)
        comments.quote(writer.blocks.current.statements, lines)
    body = Lambda(((IndexT(), variable),), statements)
    writer.blocks.append(Evaluate(Call(function, (target, count, *middle, body))))
    return True


def target_line(writer: Writer, effect: Effect) -> Expression | None:
    """The line that the effect writes, or None when its elements are not those of a line in order."""
    elements = Elements(writer)
    at = writer.at(effect.at)
    where = coordinates.of_terms(effect.op.terms, at, elements.scalar, elements.lane)
    operands, make = elements.access(where, lambda access, place: access.view(effect.op.resource, place))
    if operands or not isinstance(effect.op.resource.type, ViewType):
        return None
    written = make(())
    return written.base if isinstance(written, Subscript) and isinstance(written.index, Name) else None


def streamed(writer: Writer, effect: Effect) -> Expression:
    """A constant of the call: whether the output is larger than what caches keep."""
    shape = effect.op.resource.resource.shape
    size = effect.op.resource.resource.dtype.bytes
    name = derived(writer.parameters[effect.op.resource], "streams")
    if name not in writer.blocks.open[0].names:
        count = ask.integer(writer, prod(shape, start=IntExpr.of(1)) * size)
        value = Binary(">", count, Name("intent::kStreamBytes"))
        writer.blocks.open[0].names.add(name)
        note = f"{effect.op.resource.name} is larger than what caches keep"
        writer.blocks.declare_at(Declare(Named("bool"), name, value, note=note), 0)
    return Name(name)
