"""Saying results: text for people, one JSON object for programs."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Mapping
from types import TracebackType

from intent2cuda.base.codec import Plain
from intent2cuda.base.diagnostics import Diagnostic


def say(text: str) -> None:
    """Prints to standard output."""
    sys.stdout.write(text if text.endswith("\n") else text + "\n")


def say_json(record: Mapping[str, Plain]) -> None:
    say(json.dumps(record, indent=2))


def diagnostic_record(diagnostic: Diagnostic) -> dict[str, Plain]:
    return {
        "code": diagnostic.code,
        "severity": diagnostic.severity.value,
        "path": diagnostic.path,
        "line": diagnostic.line,
        "column": diagnostic.column,
        "message": diagnostic.message,
        "help": diagnostic.help,
    }


class Progress:
    """One line that is rewritten while work takes longer than a second; silent when standard error is no terminal."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._started = time.monotonic()
        self._shown = False
        self._enabled = sys.stderr.isatty()

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    def step(self, done: int, total: int, what: str) -> None:
        if not self._enabled or time.monotonic() - self._started < 1.0:
            return
        share = f" {done}/{total}" if total else ""
        sys.stderr.write(f"\r\x1b[K{self._title}{share}: {what[:60]}")
        sys.stderr.flush()
        self._shown = True
