"""Runtime conditions and the values that their two sides hand on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from intent2cuda.ir.op import Region
from intent2cuda.ir.ops import Yield
from intent2cuda.lower import ask, storage
from intent2cuda.lower.runs import Run
from intent2cuda.lower.scalars import ctype
from intent2cuda.lower.writer import Writer
from intent2cuda.machine.expressions import Name, Unary
from intent2cuda.machine.names import derived, identifier
from intent2cuda.machine.statements import Assign, Declare, If, Statement
from intent2cuda.plan.stage import Branch, Carry, Stage

Body: TypeAlias = Callable[[Sequence[Stage]], None]


def branch(writer: Writer, stage: Branch, lower: Body) -> None:
    """Writes the condition into the current block; merged values are variables declared before it, or buffers."""
    op = stage.op
    if op.statement is not None:
        writer.quote((op.statement,), header_only=True)
    condition = ask.element(writer, op.condition)
    names = {merge.index: _merged_name(writer, stage, merge) for merge in stage.merges if merge.buffer is None}
    for merge in stage.merges:
        if merge.buffer is not None:
            storage.require(writer, merge.buffer, here=True)
    then_body = _side(writer, stage, op.then_body, stage.then_body, names, lower)
    else_body = _side(writer, stage, op.else_body, stage.else_body, names, lower)
    for merge in stage.merges:
        if merge.buffer is None:
            result = op.results[merge.index]
            writer.blocks.append(Declare(ctype(result.tensor.dtype), names[merge.index], None, const=False))
    if then_body or not else_body:
        writer.blocks.append(If(condition, then_body, else_body))
    else:
        writer.blocks.append(If(Unary("!", condition), else_body))
    for merge in stage.merges:
        if merge.buffer is not None:
            writer.stored[op.results[merge.index]] = merge.buffer
        else:
            writer.blocks.remember((op.results[merge.index], writer.at(merge.at)), Name(names[merge.index]))


def _merged_name(writer: Writer, stage: Branch, merge: Carry) -> str:
    result = stage.op.results[merge.index]
    if result.name:
        base = identifier(result.name)
        return writer.blocks.name((base, derived(base, "merged")), author=base)
    return writer.blocks.name(("leave", "leave_all") if result.tensor.dtype.is_bool else ("chosen", "merged"))


def _side(
    writer: Writer, stage: Branch, region: Region, stages: Sequence[Stage], names: dict[int, str], lower: Body
) -> tuple[Statement, ...]:
    """One side in braces of its own; what it stores in buffers is not known outside, but for the merges."""
    before = dict(writer.stored)
    with writer.blocks.inner() as block:
        lower(stages)
        ending = region.ops[-1] if region.ops else None
        if isinstance(ending, Yield):
            local = [merge for merge in stage.merges if merge.buffer is None]
            asked = [(ending.values[merge.index], writer.at(merge.at)) for merge in local]
            for merge, value in zip(local, Run(writer, (), asked).finish(), strict=True):
                writer.blocks.append(Assign(Name(names[merge.index]), value))
    writer.stored.clear()
    writer.stored.update(before)
    return tuple(block.statements)
