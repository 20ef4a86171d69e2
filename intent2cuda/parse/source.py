"""Source text: reading, decoding, syntax, and the places of nodes."""

from __future__ import annotations

import ast
import codecs
import io
import re
import threading
import tokenize
import unicodedata
import warnings
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path, PurePath

import libcst as cst
from libcst.metadata import CodeRange, MetadataWrapper, PositionProvider

from intent2cuda.base.diagnostics import Diagnostic, IntentError
from intent2cuda.base.span import SourceFile, Span
from intent2cuda.parse.limits import too_deep

_reading = threading.Lock()
"""Modules are shared between threads that read the same text."""

_LINE_END = re.compile(r"\r\n?|\n")


@dataclass(frozen=True, eq=False)
class Module:
    """A parsed file. Places are computed for one top-level statement at a time, when they are first asked for."""

    path: Path
    file: SourceFile
    tree: cst.Module
    _spans: dict[int, Span] = field(default_factory=dict[int, Span])
    _places: dict[int, dict[cst.CSTNode, CodeRange]] = field(default_factory=dict[int, dict[cst.CSTNode, CodeRange]])
    _first_lines: list[int] = field(default_factory=list[int])
    _owners: dict[cst.CSTNode, int] = field(default_factory=dict[cst.CSTNode, int])

    def span(self, node: cst.CSTNode, statement: cst.CSTNode) -> Span:
        """The place of a node that lies inside the given top-level statement."""
        found = self._spans.get(id(node))
        if found is None:
            with _reading:
                found = self._spans[id(node)] = self._span(node, self._number(statement))
        return found

    def _span(self, node: cst.CSTNode, number: int) -> Span:
        places = self._places.get(number)
        if places is None:
            places = self._places[number] = self._resolve(number)
        start, end, offset = places[node].start, places[node].end, self._first_lines[number]
        return Span(self.file, start.line + offset, start.column + 1, end.line + offset, end.column + 1)

    def _number(self, statement: cst.CSTNode) -> int:
        if not self._owners:
            self._owners.update((owner, number) for number, owner in enumerate(self.tree.body))
            self._first_lines.append(_lines("".join(self.tree.code_for_node(line) for line in self.tree.header)))
        return self._owners[statement]

    def _resolve(self, number: int) -> dict[cst.CSTNode, CodeRange]:
        body = self.tree.body
        while len(self._first_lines) <= number:
            before = self.tree.code_for_node(body[len(self._first_lines) - 1])
            self._first_lines.append(self._first_lines[-1] + _lines(before))
        alone = cst.Module(
            [body[number]],
            default_indent=self.tree.default_indent,
            default_newline=self.tree.default_newline,
            has_trailing_newline=self.tree.has_trailing_newline,
        )
        resolved = MetadataWrapper(alone, unsafe_skip_copy=True).resolve(PositionProvider)
        return dict(resolved)


def _lines(code: str) -> int:
    return len(_LINE_END.findall(code))


def load_source(path: str | Path, display_name: str | None = None) -> Module:
    """The parsed file. Raises IntentError when it cannot be read, decoded or parsed."""
    place = Path(path)
    shown = shown_name(display_name if display_name is not None else _relative(place))
    try:
        data = place.read_bytes()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "it is not a file name"
        raise refusal("src.file", f"`{shown}` cannot be read: {reason}", help="name an existing source file") from None
    return _parse(place, shown, _decode(shown, data))


def shown_name(name: str) -> str:
    """A file name on one line: control characters and marks of direction are written as escapes."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in name)


def identifier(name: str) -> str:
    """A name as Python compares it: in normal form KC."""
    return name if name.isascii() else unicodedata.normalize("NFKC", name)


def refusal(code: str, message: str, span: Span | None = None, help: str = "") -> IntentError:
    return IntentError([Diagnostic(code, message, span, help)])


def _relative(path: Path) -> str:
    """The path from the working folder where that leads downwards, else the last two parts."""
    try:
        return str(PurePath(path).relative_to(Path.cwd())) if path.is_absolute() else str(path)
    except ValueError:
        return str(PurePath(*path.parts[-2:]))


def _decode(shown: str, data: bytes) -> str:
    declared = _declared_encoding(data)
    if declared not in ("utf-8", "utf-8-sig"):
        text = data.decode("latin-1")
        span = _line_span(SourceFile(shown, text), 1)
        raise refusal("src.encoding", f"the file declares the encoding {declared}", span, "save it as UTF-8")
    data = data.removeprefix(codecs.BOM_UTF8)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        file = SourceFile(shown, data.decode("utf-8", "replace"))
        raise refusal("src.encoding", "the line is not UTF-8", _line_span(file, line), "save it as UTF-8") from None
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        file = SourceFile(shown, text.replace("\0", "\N{REPLACEMENT CHARACTER}"))
        raise refusal("src.encoding", "the line holds a null character", _line_span(file, line), "remove it")
    return text


def _declared_encoding(data: bytes) -> str:
    try:
        return tokenize.detect_encoding(io.BytesIO(data).readline)[0]
    except (SyntaxError, UnicodeDecodeError):
        return "utf-8"


def _line_span(file: SourceFile, line: int, column: int = 1) -> Span:
    return Span(file, line, column, line, max(column + 1, len(file.line(line)) + 1))


@lru_cache(maxsize=64)
def _parse(path: Path, shown: str, text: str) -> Module:
    file = SourceFile(shown, text)
    excess = too_deep(text)
    if excess is not None:
        raise refusal("src.limit", excess.message, _line_span(file, excess.line), "split it with intermediate names")
    try:
        return Module(path, file, cst.parse_module(text))
    except cst.ParserSyntaxError as error:
        raise _syntax(file, error) from None


def _syntax(file: SourceFile, error: cst.ParserSyntaxError) -> IntentError:
    """Python's own words for a syntax error where it finds one: they are better than a parser's."""
    message, line, column = "the text is not Python", error.raw_line, error.raw_column + 1
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(file.text)
    except SyntaxError as found:
        message = found.msg
        line, column = found.lineno or line, max(1, found.offset or 1)
    except (ValueError, MemoryError, RecursionError):
        pass
    line = min(line, len(file.lines))
    return refusal(
        "src.syntax",
        message,
        _line_span(file, line, min(column, len(file.line(line)) + 1)),
        "correct the syntax; kernels are ordinary Python text",
    )
