"""Saying results: text for people, one JSON object for programs."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterable, Mapping
from types import TracebackType

from intent2cuda.base.codec import Plain
from intent2cuda.base.diagnostics import Diagnostic


def say(text: str) -> None:
    """Prints to standard output."""
    sys.stdout.write(text if text.endswith("\n") else text + "\n")


def say_json(record: Mapping[str, Plain]) -> None:
    say(json.dumps(record, indent=2))


def in_sections(texts: Mapping[str, str]) -> str:
    """The texts of several kernels one below the other, each under its name; the text alone for one kernel."""
    if len(texts) == 1:
        return next(iter(texts.values())).rstrip()
    return "\n\n".join(f"== {kernel} ==\n{text.rstrip()}" for kernel, text in texts.items())


def say_notes(notes: Iterable[Diagnostic]) -> None:
    """Prints what is to be said about an accepted kernel to standard error."""
    for note in notes:
        sys.stderr.write(f"{note.render()}\n\n")


def records(diagnostics: Iterable[Diagnostic]) -> list[Plain]:
    """Diagnostics as JSON data."""
    return [
        {
            "code": d.code,
            "severity": d.severity.value,
            "path": d.path,
            "line": d.line,
            "column": d.column,
            "message": d.message,
            "help": d.help,
        }
        for d in diagnostics
    ]


class Progress:
    """One line that is rewritten while work takes longer than a second; silent when standard error is no terminal."""

    def __init__(self, title: str, patience: float = 1.0) -> None:
        self._title = title
        self._what = ""
        self._shown = False
        self._lock = threading.Lock()
        self._timer = threading.Timer(patience, self._show) if sys.stderr.isatty() else None

    def __enter__(self) -> Progress:
        if self._timer is not None:
            self._timer.daemon = True
            self._timer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._timer is None:
            return
        self._timer.cancel()
        with self._lock:
            if self._shown:
                sys.stderr.write("\r\x1b[K")
                sys.stderr.flush()
            self._shown = False
            self._timer = None

    def step(self, done: int, total: int, what: str) -> None:
        """What is being done now; `total` is 0 when nobody knows how much there is."""
        with self._lock:
            self._what = f" {done}/{total}: {what[:60]}" if total else f": {what[:60]}"
            if self._shown:
                self._write()

    def _show(self) -> None:
        with self._lock:
            if self._timer is not None:
                self._shown = True
                self._write()

    def _write(self) -> None:
        sys.stderr.write(f"\r\x1b[K{self._title}{self._what}")
        sys.stderr.flush()
