"""Ordered loops that look ahead for the next member whose round does anything, as one call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from intent2cuda.ir.kernel import walk
from intent2cuda.ir.op import operands
from intent2cuda.ir.ops import For
from intent2cuda.ir.value import Value
from intent2cuda.lower import ask, comments
from intent2cuda.lower.carried import assign_all, bind_member, remember
from intent2cuda.lower.runs import Run
from intent2cuda.lower.scalars import ctype
from intent2cuda.lower.writer import Writer
from intent2cuda.machine.expressions import Call, Lambda
from intent2cuda.machine.statements import Evaluate, Return
from intent2cuda.machine.types import IndexT
from intent2cuda.plan.axes import yielded
from intent2cuda.plan.searches import LOOKS_AHEAD
from intent2cuda.plan.stage import Branch, Let, Loop, Stage, rounds_of

Body: TypeAlias = Callable[[Sequence[Stage]], None]


def looks_ahead(stage: Loop) -> bool:
    """Whether the plan has the loop look ahead."""
    return stage.implementation is not None and stage.implementation.name == LOOKS_AHEAD


def search(writer: Writer, stage: Loop, op: For, names: dict[int, str], lower: Body) -> Evaluate:
    """The call. `names`: the variables of the carries, which the rounds change in place."""
    branch = stage.body[-1]
    assert isinstance(branch, Branch)
    axis = rounds_of(op)
    begin, end = ask.integer(writer, axis.begin), ask.integer(writer, axis.begin + axis.extent)
    if branch.op.statement is not None:
        writer.quote((branch.op.statement,), header_only=True)
    matters, visit = _matters(writer, stage, op, names), _visit(writer, stage, op, names, lower)
    return Evaluate(Call("intent::for_each_where", (begin, end, matters, visit)))


def _bound(writer: Writer, stage: Loop, op: For, names: dict[int, str]) -> tuple[tuple[IndexT, str], ...]:
    """The member as parameter of a function; it and the carries are known inside the current block."""
    variable = bind_member(writer, op)
    remember(writer, stage, op.body, names, 1)
    return ((IndexT(), variable),)


def _matters(writer: Writer, stage: Loop, op: For, names: dict[int, str]) -> Lambda:
    """`[&](index_t column) { return x_row[column] > best[7]; }`."""
    branch = stage.body[-1]
    assert isinstance(branch, Branch)
    with writer.blocks.inner(leaf=True) as block:
        parameters = _bound(writer, stage, op, names)
        condition = ask.element(writer, branch.op.condition)
    statements, lines = comments.take_out(block.statements)
    comments.quote(writer.blocks.current.statements, lines)
    return Lambda(parameters, (*statements, Return(condition)), by_reference=True)


def _visit(writer: Writer, stage: Loop, op: For, names: dict[int, str], lower: Body) -> Lambda:
    """What the branch does: where it is called its condition holds."""
    branch = stage.body[-1]
    assert isinstance(branch, Branch)
    taken = _taken(writer, branch)
    with writer.blocks.inner(leaf=True) as block:
        parameters = _bound(writer, stage, op, names)
        lower((*(let for let in stage.body[:-1] if isinstance(let, Let) and let.value in taken), *branch.then_body))
        following = [yielded(branch.op.then_body).values[merge.index] for merge in branch.merges]
        found = Run(writer, (), [(value, ()) for value in following]).finish()
        carried = [yielded(op.body).values.index(branch.op.results[merge.index]) for merge in branch.merges]
        targets = [names[carry] for carry in carried]
        types = [ctype(value.tensor.dtype) for value in following]
        assign_all(writer, list(zip(targets, types, found, strict=True)), block)
    return Lambda(parameters, tuple(block.statements), by_reference=True)


def _taken(writer: Writer, branch: Branch) -> set[Value]:
    """The values that the branch takes, and what they are computed from."""
    pending = [value for op in walk(branch.op.then_body) for value in operands(op)]
    taken = set[Value]()
    while pending:
        value = pending.pop()
        if value not in taken:
            taken.add(value)
            op = writer.definitions.op(value)
            pending += operands(op) if op is not None else ()
    return taken
