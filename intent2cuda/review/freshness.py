"""Whether a folder holds exactly what would be emitted now."""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from intent2cuda.base.files import DIAGNOSTICS


class State(Enum):
    MISSING = "missing"  # would be emitted, is not there
    STALE = "stale"  # as it was emitted then, other than now
    EDITED = "edited"  # neither as it was emitted then nor as now
    ORPHAN = "orphan"  # was emitted then, is still there, would not be emitted now
    ADDED = "added"  # was never emitted, and lies where the project could use it


@dataclass(frozen=True)
class Difference:
    path: str
    state: State


def differences(
    fresh: Mapping[str, str], found: Mapping[str, bytes], recorded: Mapping[str, str]
) -> tuple[Difference, ...]:
    """What is not as it should be, by path.

    fresh: path -> text that would be emitted now. found: path -> content of the folder, for fresh and recorded paths.
    recorded: path -> SHA-256 of the manifest in the folder.
    """
    rows: list[Difference] = []
    for path, text in fresh.items():
        content = found.get(path)
        if content is None:
            if path.startswith(DIAGNOSTICS):
                continue
            rows.append(Difference(path, State.MISSING))
        elif content != text.encode():
            edited = path in recorded and hashlib.sha256(content).hexdigest() != recorded[path]
            rows.append(Difference(path, State.EDITED if edited else State.STALE))
    rows += [Difference(path, State.ORPHAN) for path in recorded if path not in fresh and path in found]
    return tuple(sorted(rows, key=lambda row: row.path))


def strays(fresh: Mapping[str, str], found: Mapping[str, bytes], recorded: Mapping[str, str]) -> tuple[Difference, ...]:
    """The files that are there but were never emitted."""
    return tuple(Difference(path, State.ADDED) for path in found if path not in fresh and path not in recorded)


def reading_order(path: str) -> tuple[int, str]:
    """The key that sorts the files of a project as a reviewer reads them."""
    if path.startswith("src/"):
        return (1 if path.endswith("_c.cpp") else 0), path
    behind = ("include/intent/", DIAGNOSTICS)
    return next((3 + place for place, folder in enumerate(behind) if path.startswith(folder)), 2), path


def unified(path: str, before: bytes | None, after: str | None) -> str:
    """The change of one file as a unified diff; empty when there is none. None stands for no file."""
    old = "" if before is None else before.decode("utf-8", errors="backslashreplace")
    names = ("/dev/null" if before is None else f"a/{path}", "/dev/null" if after is None else f"b/{path}")
    rows = difflib.unified_diff(_lines(old), _lines(after or ""), *names)
    text = "".join(row if row.endswith("\n") else row + "\n\\ No newline at end of file\n" for row in rows)
    return text or _about_empty_files(*names, before, after)


def _lines(text: str) -> list[str]:
    """The lines with their ends; only a line feed ends one, so that the diff can be applied."""
    parts = text.split("\n")
    return [f"{part}\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def _about_empty_files(old: str, new: str, before: bytes | None, after: str | None) -> str:
    """A head without lines, for an empty file that comes or goes."""
    return f"--- {old}\n+++ {new}\n" if (before is None) != (after is None) else ""
