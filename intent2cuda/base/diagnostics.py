"""What is said to people: one record per finding, and the exceptions that carry them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from intent2cuda.base.span import Span


class Severity(Enum):
    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True)
class Diagnostic:
    """One finding. `code` is a dotted name of the table in `docs/diagnostics.md`; `help` says what to do instead.

    `considered`: what was tried, each with the reason why it did not do.
    """

    code: str
    message: str
    span: Span | None = None
    help: str = ""
    severity: Severity = Severity.ERROR
    subject: str = ""
    considered: tuple[str, ...] = ()

    @property
    def path(self) -> str:
        return self.span.file.name if self.span else ""

    @property
    def line(self) -> int | None:
        return self.span.line if self.span else None

    @property
    def column(self) -> int | None:
        return self.span.column if self.span else None

    def render(self) -> str:
        """`file:line:col: error[CODE]: sentence`, the line with carets, a help line."""
        place = f"{self.path}:{self.line}:{self.column}: " if self.span else ""
        rows = [f"{place}{self.severity.value}[{self.code}]: {self.message}"]
        if self.span:
            rows += _excerpt(self.span)
        rows += (f"tried {each}" for each in self.considered)
        if self.help:
            rows.append(f"help: {self.help}")
        return "\n".join(rows)


def _excerpt(span: Span) -> list[str]:
    """The source line and a caret line under the span's first line; long lines are cut around the span."""
    line = span.file.line(span.line).replace("\t", " ")
    first = span.column - 1
    last = span.end_column - 1 if span.end_line == span.line else len(line)
    start = max(0, first - 60) if len(line) > 140 else 0
    shown = line[start : start + 140]
    carets = max(1, min(last, start + 140) - first)
    number = str(span.line)
    return [f"{number} | {shown}", f"{' ' * len(number)} | {' ' * (first - start)}{'^' * carets}"]


class IntentError(Exception):
    """A refusal that an author or a caller can act on; `diagnostics` holds every finding of the stage that refused."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics: tuple[Diagnostic, ...] = tuple(diagnostics)
        super().__init__("\n\n".join(d.render() for d in self.diagnostics))

    @property
    def code(self) -> str:
        return self.diagnostics[0].code if self.diagnostics else ""


class InternalError(Exception):
    """A fault of this compiler: an invariant between stages does not hold."""


class Findings:
    """Collects diagnostics so that a stage reports all of them, then stops."""

    def __init__(self) -> None:
        self._found: list[Diagnostic] = []

    def error(self, code: str, message: str, span: Span | None, help: str = "") -> None:
        self.add(Diagnostic(code, message, span, help))

    def add(self, diagnostic: Diagnostic) -> None:
        if diagnostic not in self._found:
            self._found.append(diagnostic)

    @property
    def all(self) -> tuple[Diagnostic, ...]:
        """Findings in the order of their places."""
        return tuple(sorted(self._found, key=lambda d: (d.path, d.line or 0, d.column or 0)))

    @property
    def failed(self) -> bool:
        return any(d.severity is Severity.ERROR for d in self._found)

    def stop_on_errors(self) -> None:
        """Raises IntentError with every finding when one of them is an error."""
        if self.failed:
            raise IntentError(self.all)
