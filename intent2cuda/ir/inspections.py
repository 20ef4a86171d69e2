"""What the inspections of a kernel say of a run that breaks a rule."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath

from intent2cuda.ir.kernel import Kernel, walk
from intent2cuda.ir.ops import Inspect, Rule


@dataclass(frozen=True)
class Sentence:
    """What is said when a rule is broken, with the place in the author's file: `softmax.py`, or empty, and a line."""

    rule: Rule
    file: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.text}" if self.file else self.text


def sentences(kernel: Kernel) -> dict[Sentence, int]:
    """Every sentence with its number."""
    found = (sentence(op) for op in walk(kernel.body) if isinstance(op, Inspect))
    return {each: number for number, each in enumerate(dict.fromkeys(found))}


def sentence(op: Inspect) -> Sentence:
    span = op.span or op.statement
    file, line = (PurePosixPath(span.file.name).name, span.line) if span else ("", 0)
    return Sentence(op.rule, file, line, op.text)
