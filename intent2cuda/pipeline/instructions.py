"""The parts of an emitted file as instructions: identifiers, lines, and what each comes from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from intent2cuda.base.codec import Plain, canonical, digest
from intent2cuda.base.span import SourceFile
from intent2cuda.emit.places import Part, Place
from intent2cuda.machine.expressions import Name
from intent2cuda.machine.opcodes import opcode
from intent2cuda.machine.origin import Traced
from intent2cuda.machine.statements import Source
from intent2cuda.machine.unit import Constant, Function, KernelUnit
from intent2cuda.machine.walk import own_parts

Quote: TypeAlias = tuple[int, str, int]
"""An emitted line, the last part of the name of the author's file, and the line that is quoted."""


@dataclass(frozen=True)
class Instruction:
    """`first`, `last`: its lines in the file. `ops`: operations that it computes itself. `parameters`: those of the
    author's that it names.
    """

    id: str
    opcode: str
    first: int
    last: int
    stage: str
    ops: tuple[str, ...]
    parameters: tuple[str, ...]

    def row(self) -> Plain:
        return [self.id, self.opcode, self.first, self.last, self.stage, list(self.ops), list(self.parameters)]


def instructions(unit: KernelUnit, places: Sequence[Place]) -> tuple[tuple[Instruction, ...], tuple[Quote, ...]]:
    """The instructions of a kernel's file, each before those inside it, and its quotes of the author.

    An identifier follows from the stage, the kind, the operations and what is around; equal twins are counted.
    """
    reader = _Reader(unit, places)
    found = [reader.instruction(place) for place in places if not isinstance(place.part, Source)]
    return tuple(found), tuple(quote for place in places for quote in _quotes(place))


class _Reader:
    def __init__(self, unit: KernelUnit, places: Sequence[Place]) -> None:
        self._names = {p.cpp_name: p.name for p in unit.interface.parameters}
        self._users = _stages_by_name(unit, places)
        self._twins: Counter[str] = Counter()
        self._around: list[Instruction] = []

    def instruction(self, place: Place) -> Instruction:
        while self._around and self._around[-1].last < place.first:
            self._around.pop()
        around = self._around[-1] if self._around else None
        part, kind = place.part, opcode(place.part)
        stage = self._stage(part) or (around.stage if around else "")
        pieces = (piece for piece in own_parts(part) if isinstance(piece, Traced) and piece.origin)
        ops = tuple(dict.fromkeys(op for piece in pieces if piece.origin for op in piece.origin.ops))
        short = digest("instruction", canonical([around.id if around else "", kind, stage, list(ops)]))[:8]
        self._twins[short] += 1
        made = Instruction(
            id=f"i{short}" if self._twins[short] == 1 else f"i{short}.{self._twins[short]}",
            opcode=kind,
            first=place.first,
            last=place.last,
            stage=stage,
            ops=ops,
            parameters=() if stage else self._parameters(part),
        )
        self._around.append(made)
        return made

    def _stage(self, part: Part) -> str:
        if isinstance(part, Constant):
            return self._users.get(part.name, "")
        return part.origin.stage if isinstance(part, Traced) and part.origin else ""

    def _parameters(self, part: Part) -> tuple[str, ...]:
        if isinstance(part, Function):
            named = [p.name for p in part.parameters]
        else:
            named = [node.text for node in own_parts(part) if isinstance(node, Name)]
        return tuple(dict.fromkeys(self._names[name] for name in named if name in self._names))


def _stages_by_name(unit: KernelUnit, places: Sequence[Place]) -> Mapping[str, str]:
    """For each constant the stage of the first statement that uses it."""
    wanted = {constant.name for constant in unit.constants}
    found: dict[str, str] = {}
    for place in places:
        if wanted and isinstance(place.part, Traced) and place.part.origin:
            for name in wanted & _words(place.part):
                found.setdefault(name, place.part.origin.stage)
    return found


def _words(part: Part) -> set[str]:
    """The names of variables, and the arguments of templates, in a part."""
    found = {node.text for node in own_parts(part) if isinstance(node, Name)}
    return found.union(a for node in own_parts(part) for a in getattr(node, "template", ()) if isinstance(a, str))


def _quotes(place: Place) -> Iterator[Quote]:
    if isinstance(place.part, Source):
        for number, line in enumerate(place.part.lines):
            yield place.first + number, line.file, line.line


def file_of(quoted: str, sources: Sequence[SourceFile]) -> int:
    """Which of the sources a quote is from; the first one where several have that name."""
    names = [source.name.replace("\\", "/").rpartition("/")[2] for source in sources]
    return names.index(quoted) if quoted in names else 0
