"""Scans of a line as one call of the runtime: the members and the places of the prefixes as functions."""

from __future__ import annotations

from intent2cuda.base.diagnostics import InternalError
from intent2cuda.ir.ops import For
from intent2cuda.ir.value import Value
from intent2cuda.lower import ask, comments
from intent2cuda.lower.blocks import Block
from intent2cuda.lower.carried import bind_member
from intent2cuda.lower.folding import COMBINERS
from intent2cuda.lower.maps import streamed, target_line
from intent2cuda.lower.runs import Run
from intent2cuda.lower.scalars import ctype
from intent2cuda.lower.writer import Writer
from intent2cuda.machine.expressions import Call, Construct, Expression, Lambda, Name
from intent2cuda.machine.statements import Evaluate, Return, Statement
from intent2cuda.machine.types import CType, IndexT
from intent2cuda.plan.prefixes import store_of, tail_of
from intent2cuda.plan.stage import Axis, Effect, Keep, Let, Level, Loop, Points, Prefixes, Tail

COLUMNS = "cpu.scan.columns"
FUNCTIONS = {"cpu.scan.row": "intent::scan_row", "cpu.scan.line": "intent::parallel_scan"}


def scan(writer: Writer, stage: Loop) -> bool:
    """Writes the call; False when the plan runs the loop round by round."""
    if stage.scans is None or stage.implementation is None or not isinstance(stage.op, For):
        return False
    op, found = stage.op, stage.scans
    if op.statement is not None:
        writer.quote((op.statement,))
    count = ask.integer(writer, op.domain.domain.extent)
    first = ask.element(writer, op.initial[0])
    template = _template(op, found)
    effect = store_of(stage)
    combine, members = Construct(COMBINERS[found.combiner]), _member(writer, op, found)
    line = _line(writer, op, effect) if found.stream else None
    if line is not None:
        arguments = (line, count, streamed(writer, effect), first, combine, members)
    else:
        store = _store(writer, op, effect) if found.tail is None else _tail(writer, stage, op, found.tail)
        arguments = (count, first, combine, members, store)
    writer.blocks.append(Evaluate(Call(FUNCTIONS[stage.implementation.name], arguments, template)))
    return True


def scan_columns(writer: Writer, stage: Points) -> bool:
    """Writes the scan of all members of a loop, columns, as one call; False when the plan has no such scan."""
    loop = stage.body[0]
    if not isinstance(loop, Loop) or loop.implementation is None or loop.implementation.name != COLUMNS:
        return False
    assert isinstance(loop.op, For) and loop.scans is not None
    op, found, axis, effect = loop.op, loop.scans, stage.axes[0].axis, loop.body[-1]
    assert isinstance(effect, Effect)
    with writer.tracing.during(loop):
        if op.statement is not None:
            writer.quote((op.statement,))
        rows, columns = ask.integer(writer, op.domain.domain.extent), ask.integer(writer, axis.extent)
        first = ask.element(writer, op.initial[0])
        members, store = _member(writer, op, found, axis), _store(writer, op, effect, axis)
        name = "intent::parallel_scan_columns" if stage.axes[0].level is Level.TEAM else "intent::scan_columns"
        arguments = (rows, columns, first, Construct(COMBINERS[found.combiner]), members, store)
        writer.blocks.append(Evaluate(Call(name, arguments, _template(op, found))))
    return True


def _template(op: For, found: Prefixes) -> tuple[str, CType]:
    kind = "kInclusive" if found.inclusive else "kExclusive"
    return f"intent::ScanKind::{kind}", ctype(op.initial[0].tensor.dtype)


def _places(
    writer: Writer, block: Block, op: For, column: Axis | None, same: Axis | None = None
) -> tuple[tuple[CType, str], ...]:
    """The position, and the column where columns are scanned side by side, as parameters of a function."""
    block.pair = column is not None
    names = (bind_member(writer, op, same), *(() if column is None else (writer.bind_axis(column),)))
    return tuple((IndexT(), name) for name in names)


def _member(writer: Writer, op: For, found: Prefixes, column: Axis | None = None) -> Lambda:
    with writer.blocks.inner(movable=True, leaf=True) as block:
        places = _places(writer, block, op, column, found.tail.axis if found.tail else None)
        value = ask.element(writer, found.member)
    return Lambda(places, (*_quoted(writer, block.statements), Return(value)))


def _line(writer: Writer, op: For, effect: Effect) -> Expression | None:
    """The line that the prefixes fill, or None where they do not stand in it in order."""
    with writer.blocks.inner(movable=True, leaf=True):
        bind_member(writer, op)
        line = target_line(writer, effect)
    if line is not None and effect.op.statement is not None:
        writer.quote((effect.op.statement,))
    return line


def _store(writer: Writer, op: For, effect: Effect, column: Axis | None = None) -> Lambda:
    """`[=](index_t n, float prefix) { y_row[n] = prefix; }`."""
    stored = effect.op.value
    with writer.blocks.inner(movable=True, leaf=True) as block:
        places = _places(writer, block, op, column)
        prefix = writer.blocks.name(("prefix", "so_far"))
        _remember(writer, stored, prefix)
        Run(writer, (effect,)).write()
    if not block.statements:
        raise InternalError("the prefixes of a scan are stored nowhere")
    return Lambda((*places, (ctype(stored.tensor.dtype), prefix)), tuple(_quoted(writer, block.statements)))


def _tail(writer: Writer, stage: Loop, op: For, tail: Tail) -> Lambda:
    """`[=](index_t n, int prefix) { above_next[n] = prefix - gaps; }`: what is made of each prefix."""
    with writer.blocks.inner(movable=True, leaf=True) as block:
        places = _places(writer, block, op, None, tail.axis)
        prefix = writer.blocks.name(("prefix", "so_far"))
        for load in tail.loads:
            writer.blocks.remember((load, writer.at((tail.axis,))), Name(prefix))
        stages = [each for each in tail_of(stage) if isinstance(each, Let | Keep)]
        Run(writer, stages).write()
    prefix_type = ctype(op.initial[0].tensor.dtype)
    return Lambda((*places, (prefix_type, prefix)), tuple(_quoted(writer, block.statements)))


def _remember(writer: Writer, value: Value, name: str) -> None:
    writer.blocks.remember((value, ()), Name(name))


def _quoted(writer: Writer, statements: list[Statement]) -> list[Statement]:
    """The statements; what they quote of the author's text stands in front of the call."""
    bare, lines = comments.take_out(statements)
    comments.quote(writer.blocks.current.statements, lines)
    return list(bare)
