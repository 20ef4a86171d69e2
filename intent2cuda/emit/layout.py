"""Laying text out within a width: groups are printed on one line where they fit, else broken at their lines."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

WIDTH = 100
INDENT = 4


@dataclass(frozen=True)
class Line:
    """A line break, or `flat` where the surrounding group fits on one line."""

    flat: str = " "


@dataclass(frozen=True)
class HardLine:
    """A line break in any case."""


@dataclass(frozen=True)
class Nest:
    """Lines inside begin further to the right: by a number of columns, or at the column where the content begins."""

    content: Doc
    columns: int | None = INDENT


@dataclass(frozen=True)
class Group:
    content: Doc


@dataclass(frozen=True)
class Concat:
    parts: tuple[Doc, ...]


Doc: TypeAlias = str | Line | HardLine | Nest | Group | Concat


def concat(*parts: Doc) -> Doc:
    return parts[0] if len(parts) == 1 else Concat(parts)


def joined(separator: Doc, parts: Iterable[Doc]) -> Doc:
    found: list[Doc] = []
    for part in parts:
        if found:
            found.append(separator)
        found.append(part)
    return Concat(tuple(found))


def render(doc: Doc, width: int = WIDTH, column: int = 0) -> str:
    """The text of a document that starts at `column`."""
    out: list[str] = []
    position = column
    stack: list[tuple[int, bool, Doc]] = [(column, False, doc)]
    while stack:
        indent, flat, item = stack.pop()
        match item:
            case str():
                out.append(item)
                position += len(item)
            case Concat():
                stack.extend((indent, flat, part) for part in reversed(item.parts))
            case Nest():
                stack.append((position if item.columns is None else indent + item.columns, flat, item.content))
            case Group():
                fits = flat or _fits(width - position, item.content, stack)
                stack.append((indent, fits, item.content))
            case Line() if flat:
                out.append(item.flat)
                position += len(item.flat)
            case Line() | HardLine():
                out.append("\n" + " " * indent)
                position = indent
    return "\n".join(row.rstrip() for row in "".join(out).split("\n"))


def _fits(room: int, doc: Doc, rest: list[tuple[int, bool, Doc]]) -> bool:
    """Whether `doc`, printed flat, and what follows up to the next possible line break, has room."""
    pending: list[tuple[bool, Doc]] = [(flat, item) for _, flat, item in rest]
    pending.append((True, doc))
    while pending:
        flat, item = pending.pop()
        match item:
            case str():
                room -= len(item)
            case Concat():
                pending.extend((flat, part) for part in reversed(item.parts))
            case Nest():
                pending.append((flat, item.content))
            case Group():
                pending.append((flat, item.content))
            case Line() if flat:
                room -= len(item.flat)
            case Line() | HardLine():
                return True
        if room < 0:
            return False
    return True
