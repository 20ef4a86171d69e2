"""Where the parts of a machine program stand in the file of their kernel."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias, cast

from intent2cuda.base.diagnostics import InternalError
from intent2cuda.emit.layout import Printed
from intent2cuda.machine.statements import Statement
from intent2cuda.machine.unit import Assertion, Constant, Function

Part: TypeAlias = Constant | Assertion | Function | Statement


@dataclass(frozen=True)
class Place:
    """A part and its first and last line, counted from 1."""

    part: Part
    first: int
    last: int


def places(text: str, printed: Sequence[Printed]) -> tuple[Place, ...]:
    """The places of all parts of some pieces of a file, which stand there in this order; a part stands before those
    that are inside it.
    """
    return tuple(_places(text, printed))


def _places(text: str, printed: Sequence[Printed]) -> Iterator[Place]:
    end, line = 0, 1
    for piece in printed:
        start = text.find(piece.text, end)
        if start < 0:
            raise InternalError("a printed piece is not in its file")
        line += text.count("\n", end, start)
        for mark in piece.marks:
            yield Place(cast(Part, mark.item), line + mark.first, line + mark.last)
        end = start + len(piece.text)
        line += piece.text.count("\n")
