"""The variables of an ordered loop: of its member, and those in which it hands values from round to round."""

from __future__ import annotations

from intent2cuda.base.intexpr import Symbol
from intent2cuda.ir.op import Region
from intent2cuda.ir.ops import For
from intent2cuda.lower.blocks import Block
from intent2cuda.lower.writer import Writer
from intent2cuda.machine.expressions import Expression, Name
from intent2cuda.machine.names import derived
from intent2cuda.machine.statements import Assign, Declare
from intent2cuda.machine.types import CType
from intent2cuda.machine.walk import names_in
from intent2cuda.plan.stage import Axis, Loop, rounds_of


def bind_member(writer: Writer, op: For, same: Axis | None = None) -> str:
    """The variable of the member that a round is for, known inside the current block; also as that of an axis with the
    same members.
    """
    axis, point = same or rounds_of(op), op.body.args[0]
    variable = writer.bind_axis(axis)
    writer.blocks.bind(Symbol(point.name, point.serial), Name(variable), writer.is_natural(axis.begin))
    return variable


def remember(writer: Writer, stage: Loop, region: Region, names: dict[int, str], skipped: int) -> None:
    """Inside the current block the carries of a region, whose arguments follow `skipped` others, are the variables."""
    for carry in stage.carries:
        if carry.index in names:
            argument = region.args[skipped + carry.index]
            writer.blocks.remember((argument, writer.at(carry.at)), Name(names[carry.index]))


def assign_all(writer: Writer, pending: list[tuple[str, CType, Expression]], block: Block) -> None:
    """Assigns as if at once, in order as far as that goes: a variable is overwritten when no other value needs it, else
    its next value waits."""
    pending = [(name, kind, value) for name, kind, value in pending if value != Name(name)]
    while pending:
        free = _free(pending)
        if free is not None:
            pending.remove(free)
            writer.blocks.append(Assign(Name(free[0]), free[2]), block)
            continue
        name, kind, value = pending[0]
        waiting = writer.blocks.name((derived(writer.blocks.versions.get(name, name), "next"),), block)
        writer.blocks.append(Declare(kind, waiting, value), block)
        pending[0] = (name, kind, Name(waiting))


def _free(pending: list[tuple[str, CType, Expression]]) -> tuple[str, CType, Expression] | None:
    """The first, if no other value needs its variable, else one that has to be assigned before it; None in a circle."""
    seen: list[str] = []
    found = pending[0]
    while found[0] not in seen:
        seen.append(found[0])
        needing = next((p for p in pending if p is not found and found[0] in names_in(p[2])), None)
        if needing is None:
            return found
        found = needing
    return None
