"""Where something stands in the author's source."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath

_LINE_END = re.compile(r"\r\n?|\n")


@dataclass(frozen=True)
class SourceFile:
    """A source text and the name under which people see it, relative to where they work, never absolute."""

    name: str
    text: str

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The lines without their ends, as Python counts them: a form feed or a Unicode separator ends no line."""
        return tuple(_LINE_END.split(self.text))

    def line(self, number: int) -> str:
        """The text of a 1-based line without its end; empty beyond the file."""
        return self.lines[number - 1] if 0 < number <= len(self.lines) else ""


@dataclass(frozen=True)
class Span:
    """A half-open stretch of a file: 1-based lines, 1-based columns that count characters."""

    file: SourceFile
    line: int
    column: int
    end_line: int
    end_column: int

    @property
    def place(self) -> str:
        """`softmax.py:12`: the file without its folders, and the line."""
        return f"{PurePosixPath(self.file.name).name}:{self.line}"

    @property
    def text(self) -> str:
        """The stretch on one line: lines are joined, runs of white space become one blank."""
        lines = list(self.file.lines[self.line - 1 : self.end_line])
        if not lines:
            return ""
        lines[-1] = lines[-1][: self.end_column - 1]
        lines[0] = lines[0][self.column - 1 :]
        return " ".join(" ".join(lines).split())
