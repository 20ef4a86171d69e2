"""Which statements of the author have been quoted, and where quotes stand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from intent2cuda.base.span import Span
from intent2cuda.machine.statements import For, If, Scope, Source, SourceLine, Statement, While


class Quotes:
    """Each statement is quoted once in a function, before the first code that it causes."""

    def __init__(self) -> None:
        self._said: set[tuple[str, int]] = set()

    def take(self, statements: Iterable[Span], header_only: bool = False) -> tuple[SourceLine, ...]:
        """The lines of those statements that have not been quoted, in the order of the source."""
        found: dict[tuple[str, int], SourceLine] = {}
        for span in statements:
            place = (span.file.name, span.line)
            if span.file.name and place not in self._said:
                text = span.file.line(span.line).strip() if header_only else span.text
                found[place] = SourceLine(PurePosixPath(span.file.name).name, span.line, text)
        self._said.update(found)
        return tuple(found[place] for place in sorted(found))


def quote(target: list[Statement], lines: Sequence[SourceLine]) -> None:
    """Adds the lines, to a quote that stands there already when no code has followed it."""
    if not lines:
        return
    if target and isinstance(target[-1], Source):
        target[-1] = merged(target[-1].lines, lines)
    else:
        target.append(Source(tuple(lines)))


def merged(*groups: Sequence[SourceLine]) -> Source:
    lines = {(line.file, line.line): line for group in groups for line in group}
    return Source(tuple(lines[place] for place in sorted(lines)))


def take_out(statements: Sequence[Statement]) -> tuple[tuple[Statement, ...], tuple[SourceLine, ...]]:
    """The statements without their quotes, and the lines of all of them."""
    kept: list[Statement] = []
    lines: list[SourceLine] = []
    for statement in statements:
        match statement:
            case Source():
                lines += statement.lines
            case For() | While() | Scope():
                body, inner = take_out(statement.body)
                kept.append(replace(statement, body=body))
                lines += inner
            case If():
                then_body, first = take_out(statement.then_body)
                else_body, second = take_out(statement.else_body)
                kept.append(replace(statement, then_body=then_body, else_body=else_body))
                lines += (*first, *second)
            case _:
                kept.append(statement)
    return tuple(kept), merged(lines).lines


def count(statements: Sequence[Statement]) -> int:
    """How many quotes stand in the statements."""
    return sum(_count(s) for s in statements)


def _count(statement: Statement) -> int:
    match statement:
        case Source():
            return 1
        case For() | While() | Scope():
            return count(statement.body)
        case If():
            return count(statement.then_body) + count(statement.else_body)
        case _:
            return 0
