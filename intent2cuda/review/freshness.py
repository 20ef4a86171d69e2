"""Whether a folder holds exactly what would be emitted now."""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum


class State(Enum):
    MISSING = "missing"  # would be emitted, is not there
    STALE = "stale"  # as it was emitted then, other than now
    EDITED = "edited"  # neither as it was emitted then nor as now
    ORPHAN = "orphan"  # was emitted then, would not be now


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
            rows.append(Difference(path, State.MISSING))
        elif content != text.encode():
            edited = path in recorded and hashlib.sha256(content).hexdigest() != recorded[path]
            rows.append(Difference(path, State.EDITED if edited else State.STALE))
    rows += [Difference(path, State.ORPHAN) for path in recorded if path not in fresh and path in found]
    return tuple(sorted(rows, key=lambda row: row.path))


def unified(path: str, before: str, after: str) -> str:
    """The change of one file as a unified diff; empty when there is none."""
    rows = difflib.unified_diff(
        before.splitlines(keepends=True), after.splitlines(keepends=True), f"a/{path}", f"b/{path}"
    )
    return "".join(row if row.endswith("\n") else row + "\n\\ No newline at end of file\n" for row in rows)
