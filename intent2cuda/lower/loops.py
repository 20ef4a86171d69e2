"""Ordered loops and what they hand from round to round."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from intent2cuda.base.intexpr import Symbol
from intent2cuda.ir.op import Region
from intent2cuda.ir.ops import Constant, For, While, Yield
from intent2cuda.lower import ask, lengths, storage
from intent2cuda.lower.carried import assign_all, bind_member, remember
from intent2cuda.lower.levels import last_of, step_of
from intent2cuda.lower.prefixes import scan
from intent2cuda.lower.runs import Run
from intent2cuda.lower.scalars import ctype
from intent2cuda.lower.searches import looks_ahead, search
from intent2cuda.lower.time_tiles import tiled
from intent2cuda.lower.writer import Writer
from intent2cuda.machine.expressions import Name, Unary
from intent2cuda.machine.names import derived, identifier
from intent2cuda.machine.statements import Break, Declare, If, Statement
from intent2cuda.machine.statements import For as ForStatement
from intent2cuda.machine.statements import While as WhileStatement
from intent2cuda.machine.types import IndexT, Scalar
from intent2cuda.machine.walk import names_in
from intent2cuda.plan.stage import Carry, Loop, Points, Stage, rounds_of
from intent2cuda.types.dtype import BOOL

Body: TypeAlias = Callable[[Sequence[Stage]], None]


def loop(writer: Writer, stage: Loop, lower: Body) -> None:
    """Writes the loop into the current block: its carries, the start of those in buffers, then the rounds."""
    if scan(writer, stage):
        return
    op = stage.op
    bodies = (op.body,) if isinstance(op, For) else (op.test, op.body)
    skipped = 1 if isinstance(op, For) else 0
    for carry in stage.carries:
        for buffer in (carry.buffer, carry.spare):
            if buffer is not None:
                storage.require(writer, buffer, here=True)
    lower(stage.start)
    local = sorted((c for c in stage.carries if c.buffer is None), key=lambda c: op.initial[c.index].serial)
    names = {carry.index: _start(writer, op, carry, skipped) for carry in local}
    if op.statement is not None:
        writer.quote((op.statement,), header_only=True)
    for carry in stage.carries:
        if carry.buffer is not None:
            for body in bodies:
                writer.stored[body.args[skipped + carry.index]] = carry.buffer
    writer.blocks.append(_rounds(writer, stage, op, names, lower))
    for carry in stage.carries:
        if carry.buffer is not None:
            writer.stored[op.results[carry.index]] = carry.buffer
        else:
            writer.blocks.remember((op.results[carry.index], writer.at(carry.at)), Name(names[carry.index]))


def _rounds(writer: Writer, stage: Loop, op: For | While, names: dict[int, str], lower: Body) -> Statement:
    if isinstance(op, While):
        return _while(writer, stage, op, names, lower)
    if stage.tiles is not None:
        return tiled(writer, stage, op, stage.tiles, lower)
    if looks_ahead(stage):
        return search(writer, stage, op, names, lower)
    return _for(writer, stage, op, names, lower)


def _start(writer: Writer, op: For | While, carry: Carry, skipped: int) -> str:
    """Declares the variable of a carry with its initial value."""
    value = op.initial[carry.index]
    argument = op.body.args[skipped + carry.index]
    defined_by = writer.definitions.op(value)
    if isinstance(defined_by, Constant) and defined_by.statement is not None:
        writer.quote((defined_by.statement,))
    initial = ask.element(writer, value, writer.at(carry.at))
    author = next((v.name for v in (argument, op.results[carry.index], value) if v.name), "")
    base = identifier(author) if author else "carried"
    name = writer.blocks.name((base, derived(base, "so_far")), author=base if author else "")
    writer.blocks.append(Declare(ctype(argument.tensor.dtype), name, initial, const=False))
    return name


def _for(writer: Writer, stage: Loop, op: For, names: dict[int, str], lower: Body) -> Statement:
    axis, point = rounds_of(op), op.body.args[0]
    begin, end, step = ask.integer(writer, axis.begin), last_of(writer, axis), step_of(writer, axis)
    leaf = not any(isinstance(s, Points | Loop) for s in stage.body)
    with writer.blocks.inner(leaf=leaf) as block:
        variable = bind_member(writer, op)
        lengths.of_round(writer, stage.body, Symbol(point.name, point.serial), "count", block)
        _round(writer, stage, op.body, names, 1, lower)
    return ForStatement(IndexT(), variable, begin, end, step, tuple(block.statements))


def _while(writer: Writer, stage: Loop, op: While, names: dict[int, str], lower: Body) -> Statement:
    with writer.blocks.inner() as block:
        remember(writer, stage, op.test, names, 0)
        lower(stage.test)
        ending = op.test.ops[-1]
        assert isinstance(ending, Yield)
        condition = ask.element(writer, ending.values[0])
        simple = not block.statements
        if not simple:
            writer.blocks.append(If(Unary("!", condition), (Break(),)))
        _round(writer, stage, op.body, names, 0, lower)
    return WhileStatement(condition if simple else Name("true"), tuple(block.statements))


def _round(writer: Writer, stage: Loop, region: Region, names: dict[int, str], skipped: int, lower: Body) -> None:
    """One round: the stages, then the next values of the carries all at once, then whether to leave."""
    remember(writer, stage, region, names, skipped)
    lower(stage.body)
    ending = region.ops[-1]
    assert isinstance(ending, Yield)
    local = [carry for carry in stage.carries if carry.buffer is None]
    asked = [(ending.values[carry.index], writer.at(carry.at)) for carry in local]
    if ending.stop is not None:
        asked.append((ending.stop, ()))
    found = Run(writer, (), asked).finish()
    targets = [names[carry.index] for carry in local]
    leave = found[-1] if ending.stop is not None else None
    if leave is not None and names_in(leave) & set(targets):
        stop = writer.blocks.name(("stop", "leave"))
        writer.blocks.append(Declare(Scalar(BOOL), stop, leave))
        leave = Name(stop)
    types = [ctype(ending.values[carry.index].tensor.dtype) for carry in local]
    assign_all(writer, list(zip(targets, types, found, strict=False)), writer.blocks.current)
    for carry in stage.carries:
        if carry.buffer is not None and carry.spare is not None:
            storage.exchange(writer, carry.buffer, carry.spare)
    if leave is not None:
        writer.blocks.append(If(leave, (Break(),)))
