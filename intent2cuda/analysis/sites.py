"""Every access of a kernel with the positions it touches, the loops around it and the conditions it stands under."""

from __future__ import annotations

from dataclasses import dataclass

from intent2cuda.analysis.effects import Access, access
from intent2cuda.analysis.expressions import Condition, Connective, Expression, Unknown
from intent2cuda.analysis.relations import Relations
from intent2cuda.analysis.structure import Frame, Structure
from intent2cuda.ir.op import Op
from intent2cuda.ir.ops import For, If, Parallel, While, Yield
from intent2cuda.ir.value import Value


@dataclass(frozen=True)
class Site:
    """`positions` gives, for each axis of the resource, the position at a coordinate of the access."""

    access: Access
    positions: tuple[Expression | Unknown, ...]
    frames: tuple[Frame, ...]
    conditions: tuple[Condition, ...]

    @property
    def op(self) -> Op:
        return self.access.op

    @property
    def resource(self) -> Value:
        return self.access.resource

    @property
    def loops(self) -> tuple[Op, ...]:
        """The loops around the access, outermost first."""
        return tuple(frame.owner for frame in self.frames if isinstance(frame.owner, Parallel | For | While))


def sites(found: Structure, relations: Relations) -> tuple[Site, ...]:
    """All sites in program order."""
    return tuple(
        Site(made, relations.coordinates(made.terms), found.frames[op], conditions(found.frames[op], relations))
        for op in found.order
        if (made := access(op)) is not None
    )


def runs_to_its_end(loop: Op) -> bool:
    """Whether every member of the loop is sure to have its turn."""
    last = loop.body.ops[-1] if isinstance(loop, For) and loop.body.ops else None
    return not isinstance(loop, While) and not (isinstance(last, Yield) and last.stop is not None)


def conditions(frames: tuple[Frame, ...], relations: Relations) -> tuple[Condition, ...]:
    """What the branches around a place say."""
    found: list[Condition] = []
    for frame in frames:
        if isinstance(frame.owner, If):
            condition = relations.condition(frame.owner.condition)
            holds = frame.region is frame.owner.then_body
            found.append(condition if holds else Connective("not", (condition,)))
    return tuple(found)
