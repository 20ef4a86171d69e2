"""Elementwise loops that the runtime has as one call: `intent::map`, `intent::map_row` and `intent::map_inside`."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from intent2cuda.base.intexpr import IntExpr, substitute
from intent2cuda.ir.ops import Philox
from intent2cuda.ir.terms import Lanes
from intent2cuda.lower import ask, comments, coordinates
from intent2cuda.lower.elements import Elements
from intent2cuda.lower.levels import last_of
from intent2cuda.lower.runs import Run
from intent2cuda.lower.scalars import convert, ctype
from intent2cuda.lower.writer import Writer
from intent2cuda.machine.expressions import (
    Binary,
    Call,
    Cast,
    Construct,
    Expression,
    Integer,
    Lambda,
    Literal,
    Name,
    Subscript,
)
from intent2cuda.machine.names import derived, identifier
from intent2cuda.machine.statements import Declare, Evaluate, Return
from intent2cuda.machine.types import CType, IndexT, Named
from intent2cuda.machine.walk import rebuild
from intent2cuda.plan.stage import Axis, Draw, Effect, Keep, Let, Points
from intent2cuda.types.dtype import U32, U64
from intent2cuda.types.value_type import ViewType

_WHOLE = {"cpu.pointwise.map": "intent::map", "cpu.random.map": "intent::map_random"}
_INSIDE = "cpu.pointwise.map_inside"
_ROW = {"cpu.pointwise.map_row": "intent::map_row", "cpu.random.map_row": "intent::map_random_row"}


def whole_map(writer: Writer, stage: Points) -> bool:
    """Writes a call that shares the axis among all threads; False when the stage is not of that form."""
    name = _WHOLE.get(stage.implementation.name)
    return name is not None and len(stage.axes) == 1 and _call(writer, stage, name, ())


def row_map(writer: Writer, stage: Points) -> bool:
    """Writes a call for one thread whose stores may go past the caches; False when the stage is not of that form."""
    name = _ROW.get(stage.implementation.name)
    if name is None or len(stage.axes) != 1 or not stage.stream:
        return False
    effect = stage.body[-1]
    assert isinstance(effect, Effect)
    return _call(writer, stage, name, (streamed(writer, effect),))


def inside_map(writer: Writer, stage: Points) -> bool:
    """Writes a call for a part of a row that begins anywhere; False when the stage is not of that form."""
    if stage.implementation.name != _INSIDE or len(stage.axes) != 1:
        return False
    axis = stage.axes[0].axis
    part = (ask.integer(writer, axis.begin), last_of(writer, axis))
    return _call(writer, stage, "intent::map_inside", (), part)


def _call(
    writer: Writer, stage: Points, function: str, middle: tuple[Expression, ...], part: tuple[Expression, ...] = ()
) -> bool:
    """`part`: where the members begin and end, if not with the first and the last element of the line."""
    axis = stage.axes[0].axis
    effect = stage.body[-1]
    before = [s for s in stage.body[:-1] if isinstance(s, Let | Keep)]
    if not isinstance(effect, Effect) or effect.op.valid is not None or len(before) != len(stage.body) - 1:
        return False
    if (axis.begin.constant != 0 and not part) or any(isinstance(term, Lanes) for term in effect.op.terms):
        return False
    members = part or (ask.integer(writer, axis.extent),)
    drawn = () if stage.draw is None else (_random_row(writer, stage.draw, axis),)
    with writer.blocks.inner(movable=True, leaf=True) as block:
        variable = writer.bind_axis(axis)
        target = target_line(writer, effect)
        if target is None:
            return False
        parameters = ((IndexT(), variable), *_random_bits(writer, stage.draw))
        run = Run(writer, before, [(effect.op.value, writer.at(effect.at))])
        run.write()
        (value,) = run.finish()
        if effect.op.statement is not None:
            writer.quote((effect.op.statement,))
    statements = (*block.statements, Return(value))
    if comments.count(statements) == 1:
        statements, lines = comments.take_out(statements)
        comments.quote(writer.blocks.current.statements, lines)
    body = Lambda(parameters, statements)
    writer.blocks.append(Evaluate(Call(function, (target, *members, *middle, *drawn, body))))
    return True


def _random_row(writer: Writer, draw: Draw, axis: Axis) -> Expression:
    """`intent::PhiloxRow{seed, first}`: the counter of the first member."""
    op = writer.definitions.op(draw.value)
    assert isinstance(op, Philox)
    if draw.first is not None:
        first = ask.integer(writer, draw.first)
    else:
        start = {writer.axis_symbol(axis): IntExpr.of(0)}
        at = tuple(substitute(coordinate, start) for coordinate in writer.at(draw.at))
        first = rebuild(ask.element(writer, op.counter, at), _without_zero)
    seed = ask.element(writer, op.seed)
    if not isinstance(first, Integer) or first.value < 0:
        first = convert(op.counter.tensor.dtype, U64, first)
    return Construct("intent::PhiloxRow", (seed, first))


def _without_zero(expression: Expression) -> Expression:
    """`x + 0` is `x`."""
    match expression:
        case Binary(operator="+", lhs=lhs, rhs=rhs) if _is_zero(rhs):
            return lhs
        case Binary(operator="+", lhs=lhs, rhs=rhs) if _is_zero(lhs):
            return rhs
        case Call(function="intent::wrap_add", args=(lhs, rhs)) if _is_zero(rhs):
            return lhs
        case Call(function="intent::wrap_add", args=(lhs, rhs)) if _is_zero(lhs):
            return rhs
        case _:
            return expression


def _is_zero(expression: Expression) -> bool:
    match expression:
        case Cast(operand=operand):
            return _is_zero(operand)
        case Integer(value=value) | Literal(value=value):
            return value == 0
        case _:
            return False


def _random_bits(writer: Writer, draw: Draw | None) -> Sequence[tuple[CType, str]]:
    """The parameter of the current block, the body of a lambda, in which it finds its random bits."""
    if draw is None:
        return ()
    author = identifier(draw.value.name) if draw.value.name else ""
    name = writer.blocks.name((author or "bits", "random_bits"), author=author)
    writer.blocks.remember((draw.value, writer.at(draw.at)), Name(name))
    return ((ctype(U32), name),)


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
