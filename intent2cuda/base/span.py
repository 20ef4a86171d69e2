"""Where something stands in the author's source."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SourceFile:
    """A source text and the name under which people see it, relative to where they work, never absolute."""

    name: str
    text: str

    def line(self, number: int) -> str:
        """The text of a 1-based line without its end; empty beyond the file."""
        lines = self.text.splitlines()
        return lines[number - 1] if 0 < number <= len(lines) else ""


@dataclass(frozen=True)
class Span:
    """A half-open stretch of a file: 1-based lines, 1-based columns that count characters."""

    file: SourceFile
    line: int
    column: int
    end_line: int
    end_column: int

    @property
    def text(self) -> str:
        """The stretch on one line: lines are joined, runs of white space become one blank."""
        lines = self.file.text.splitlines()[self.line - 1 : self.end_line]
        if not lines:
            return ""
        lines[-1] = lines[-1][: self.end_column - 1]
        lines[0] = lines[0][self.column - 1 :]
        return " ".join(" ".join(lines).split())
