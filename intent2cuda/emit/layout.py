"""Laying text out within a width: groups are printed on one line where they fit, else broken at their lines."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

WIDTH = 100
INDENT = 4


@dataclass(frozen=True)
class Line:
    """A line break, or `flat` where the surrounding group fits on one line; `before` and `after` surround a break."""

    flat: str = " "
    before: str = ""
    after: str = ""


@dataclass(frozen=True)
class HardLine:
    """A line break in any case."""


@dataclass(frozen=True)
class Cut:
    """Text that ends in `...` where the line has no more room, but not before `kept` columns."""

    text: str
    kept: int = 0


@dataclass(frozen=True)
class Nest:
    """Lines inside begin further to the right: by a number of columns, or at the column where the content begins."""

    content: Doc
    columns: int | None = INDENT


@dataclass(frozen=True)
class Group:
    content: Doc


@dataclass(frozen=True)
class Fill:
    """As many parts on each line as fit, aligned with the first.

    Where a part is too wide for that, the lines are indented instead; `hangs` says that then the first begins a line.
    """

    parts: tuple[Doc, ...]
    line: Line = Line()
    hangs: bool = False


@dataclass(frozen=True)
class Value:
    """What stands behind `name =`: on the next line where it fits only there as a whole, else on this one."""

    content: Doc


@dataclass(frozen=True)
class Choice:
    """`tight` where `head` has room on this line, else `loose`."""

    head: Doc
    tight: Doc
    loose: Doc


@dataclass(frozen=True)
class Marked:
    """Content whose place on the page is noted under `item`."""

    content: Doc
    item: object


@dataclass(frozen=True)
class Concat:
    parts: tuple[Doc, ...]


@dataclass(frozen=True)
class _Next:
    """A further part of a fill, behind its line."""

    line: Line
    part: Doc


@dataclass(frozen=True)
class _End:
    """Where marked content ends: the mark with this number."""

    mark: int


Doc: TypeAlias = str | Cut | Line | HardLine | Nest | Group | Fill | Value | Choice | Concat | Marked | _Next | _End


@dataclass(frozen=True)
class Mark:
    """What was marked, and its first and last line, counted from 0."""

    item: object
    first: int
    last: int


@dataclass(frozen=True)
class Printed:
    """A text and what was marked in it; a mark stands before those inside it."""

    text: str
    marks: tuple[Mark, ...]


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
    return printed(doc, width, column).text


def printed(doc: Doc, width: int = WIDTH, column: int = 0) -> Printed:
    """The same, with the places of what is marked in it."""
    page = _Page(width, column)
    page.put(doc)
    text = "\n".join(row.rstrip() for row in "".join(page.out).split("\n"))
    return Printed(text, tuple(Mark(item, first, last) for item, first, last in page.marks))


_Item: TypeAlias = tuple[int, bool, Doc]
"""A document that waits to be printed: the indentation of its lines, whether it is flat, and itself."""


class _Page:
    def __init__(self, width: int, column: int) -> None:
        self.out: list[str] = []
        self.marks: list[tuple[object, int, int]] = []
        self._width = width
        self._row = 0
        self._column = column
        self._indent = column
        self._waiting: list[_Item] = []

    def put(self, doc: Doc) -> None:
        self._waiting.append((self._indent, False, doc))
        while self._waiting:
            indent, flat, item = self._waiting.pop()
            match item:
                case str():
                    self._write(item)
                case Cut():
                    self._write(_cut(item, self._width - self._column))
                case Concat():
                    self._waiting.extend((indent, flat, part) for part in reversed(item.parts))
                case Nest():
                    inside = self._column if item.columns is None else indent + item.columns
                    self._waiting.append((inside, flat, item.content))
                case Line() if flat:
                    self._write(item.flat)
                case Line():
                    self._break(indent, item)
                case HardLine():
                    self._break(indent, Line())
                case Marked():
                    self._waiting += ((indent, flat, _End(len(self.marks))), (indent, flat, item.content))
                    self.marks.append((item.item, self._row, self._row))
                case _End():
                    marked, first, _ = self.marks[item.mark]
                    self.marks[item.mark] = (marked, first, self._row)
                case _:
                    self._waiting.extend(reversed(self._arranged(indent, flat, item)))

    def _arranged(self, indent: int, flat: bool, item: Group | Fill | Value | Choice | _Next) -> list[_Item]:
        """What stands for an item that depends on the room that is left."""
        match item:
            case Group():
                return [(indent, flat or self._fits(item.content), item.content)]
            case Fill():
                return [(indent, flat, part) for part in _in_a_row(item)] if flat else self._filled(indent, item)
            case Value():
                own = concat(HardLine(), item.content)
                here = self._fits(concat(" ", item.content)) or not _fits(
                    self._width - indent - INDENT, item.content, self._waiting
                )
                return [(indent, flat, concat(" ", Group(item.content)) if flat or here else Nest(Group(own)))]
            case Choice():
                return [(indent, flat, item.tight if flat or self._has_room(item.head) else item.loose)]
            case _Next():
                same_line = flat or self._has_room(concat(item.line.flat, item.part, item.line.before))
                line: Doc = item.line.flat if same_line else item.line
                return [(indent, flat, line), (indent, flat, Group(item.part))]

    def _filled(self, indent: int, item: Fill) -> list[_Item]:
        if not item.parts:
            return []
        widths = [_flat_width(part) for part in item.parts[:-1]]
        aligned = all(w is None or w <= self._width - self._column for w in widths)
        aligned = aligned and self._has_room(item.parts[-1])
        inside = self._column if aligned else indent + INDENT
        rows: list[_Item] = [(inside, False, part) for part in _in_a_row(item)]
        return rows if aligned or not item.hangs else [(inside, False, HardLine()), *rows]

    def _fits(self, doc: Doc) -> bool:
        return _fits(self._width - self._column, doc, self._waiting)

    def _has_room(self, doc: Doc) -> bool:
        """Whether everything up to the first line of its own fits, if there is one, else all of it."""
        return _fits(self._width - self._column, doc, self._waiting, hard_lines=True)

    def _write(self, text: str) -> None:
        self.out.append(text)
        self._column += len(text)

    def _break(self, indent: int, line: Line) -> None:
        self.out.append(f"{line.before}\n{' ' * indent}{line.after}")
        self._row += 1
        self._column = indent + len(line.after)


def _in_a_row(item: Fill) -> list[Doc]:
    """The parts of a fill, each but the first behind its line."""
    return [Group(part) if i == 0 else _Next(item.line, part) for i, part in enumerate(item.parts)]


def _fits(room: int, doc: Doc, rest: list[_Item], hard_lines: bool = False) -> bool:
    """Whether `doc`, printed flat, and what follows up to the next possible line break, has room.

    A hard line inside `doc` has none, unless `hard_lines` lets it end there.
    """
    pending: list[tuple[bool, Doc]] = [(True, doc)]
    waiting = len(rest)
    while pending or waiting:
        if not pending:
            waiting -= 1
            pending.append(rest[waiting][1:])
        inside = waiting == len(rest)
        flat, item = pending.pop()
        match item:
            case HardLine():
                return hard_lines or not inside
            case Line() | _Next() | Value() if not flat:
                return True
            case str() | Cut() | Line():
                room -= _columns(item)
            case _End():
                pass
            case _:
                pending.extend((flat, part) for part in reversed(_parts(item)))
        if room < 0:
            return False
    return True


def has_one_line(doc: Doc) -> bool:
    """Whether a document can be printed on one line, however long."""
    return _flat_width(doc) is not None


def _flat_width(doc: Doc) -> int | None:
    """The columns that a document takes on one line; None when it holds a hard line."""
    total, pending = 0, [doc]
    while pending:
        item = pending.pop()
        match item:
            case HardLine():
                return None
            case str() | Cut() | Line():
                total += _columns(item)
            case _End():
                pass
            case _:
                pending.extend(_parts(item))
    return total


def _columns(item: str | Cut | Line) -> int:
    match item:
        case str():
            return len(item)
        case Cut():
            return len(item.text)
        case Line():
            return len(item.flat)


def _cut(item: Cut, room: int) -> str:
    return item.text if len(item.text) <= room else f"{item.text[: max(room - 3, item.kept)].rstrip()}..."


def _parts(doc: Nest | Group | Fill | Value | Choice | Concat | Marked | _Next) -> tuple[Doc, ...]:
    """What a document consists of when it is printed flat, in order."""
    match doc:
        case Concat():
            return doc.parts
        case Nest() | Group() | Marked():
            return (doc.content,)
        case Fill():
            return tuple(_in_a_row(doc))
        case Value():
            return (" ", doc.content)
        case Choice():
            return (doc.tight,)
        case _Next():
            return (doc.line.flat, doc.part)
