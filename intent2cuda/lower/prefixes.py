"""Scans of a line as one call of the runtime: the members and the places of the prefixes as functions."""

from __future__ import annotations

from intent2cuda.base.diagnostics import InternalError
from intent2cuda.base.intexpr import Symbol
from intent2cuda.ir.ops import For
from intent2cuda.ir.value import Value
from intent2cuda.lower import ask, comments
from intent2cuda.lower.folding import COMBINERS
from intent2cuda.lower.maps import streamed, target_line
from intent2cuda.lower.runs import Run
from intent2cuda.lower.scalars import ctype
from intent2cuda.lower.writer import Writer
from intent2cuda.machine.expressions import Call, Construct, Expression, Lambda, Name
from intent2cuda.machine.statements import Evaluate, Return, Statement
from intent2cuda.machine.types import IndexT
from intent2cuda.plan.stage import Axis, Effect, Loop, Prefixes, Role

FUNCTIONS = {"cpu.scan.row": "intent::scan_row", "cpu.scan.line": "intent::parallel_scan"}


def scan(writer: Writer, stage: Loop) -> bool:
    """Writes the call; False when the plan runs the loop round by round."""
    if stage.scans is None or stage.implementation is None or not isinstance(stage.op, For):
        return False
    op, found, dtype = stage.op, stage.scans, stage.op.initial[0].tensor.dtype
    if op.statement is not None:
        writer.quote((op.statement,))
    count = ask.integer(writer, op.domain.domain.extent)
    first = ask.element(writer, op.initial[0])
    kind = "kInclusive" if found.inclusive else "kExclusive"
    template = (f"intent::ScanKind::{kind}", ctype(dtype))
    effect = stage.body[-1]
    assert isinstance(effect, Effect)
    combine, members = Construct(COMBINERS[found.combiner]), _member(writer, op, found)
    line = _line(writer, op, effect) if found.stream else None
    if line is not None:
        arguments = (line, count, streamed(writer, effect), first, combine, members)
    else:
        arguments = (count, first, combine, members, _store(writer, op, effect))
    writer.blocks.append(Evaluate(Call(FUNCTIONS[stage.implementation.name], arguments, template)))
    return True


def _bound(writer: Writer, op: For) -> str:
    """The name of the position, known inside the current block."""
    domain, point = op.domain.domain, op.body.args[0]
    axis = Axis("", point.name, domain.extent, Role.ORDERED, domain.begin, domain.step, point)
    variable = writer.bind_axis(axis)
    writer.blocks.bind(Symbol(point.name, point.serial), Name(variable), True)
    return variable


def _member(writer: Writer, op: For, found: Prefixes) -> Lambda:
    with writer.blocks.inner(movable=True, leaf=True) as block:
        position = _bound(writer, op)
        value = ask.element(writer, found.member)
    return Lambda(((IndexT(), position),), (*_quoted(writer, block.statements), Return(value)))


def _line(writer: Writer, op: For, effect: Effect) -> Expression | None:
    """The line that the prefixes fill, or None where they do not stand in it in order."""
    with writer.blocks.inner(movable=True, leaf=True):
        _bound(writer, op)
        line = target_line(writer, effect)
    if line is not None and effect.op.statement is not None:
        writer.quote((effect.op.statement,))
    return line


def _store(writer: Writer, op: For, effect: Effect) -> Lambda:
    """`[=](index_t n, float prefix) { y_row[n] = prefix; }`."""
    stored = effect.op.value
    with writer.blocks.inner(movable=True, leaf=True) as block:
        position = _bound(writer, op)
        prefix = writer.blocks.name(("prefix", "so_far"))
        _remember(writer, stored, prefix)
        Run(writer, (effect,)).write()
    if not block.statements:
        raise InternalError("the prefixes of a scan are stored nowhere")
    parameters = ((IndexT(), position), (ctype(stored.tensor.dtype), prefix))
    return Lambda(parameters, tuple(_quoted(writer, block.statements)))


def _remember(writer: Writer, value: Value, name: str) -> None:
    writer.blocks.remember((value, ()), Name(name))


def _quoted(writer: Writer, statements: list[Statement]) -> list[Statement]:
    """The statements; what they quote of the author's text stands in front of the call."""
    bare, lines = comments.take_out(statements)
    comments.quote(writer.blocks.current.statements, lines)
    return list(bare)
