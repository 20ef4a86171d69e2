"""Canonical text of plain data, and digests that are separated by schema."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import TypeAlias

Plain: TypeAlias = "bool | int | str | Sequence[Plain] | Mapping[str, Plain] | None"


def canonical(data: Plain) -> str:
    """One text for equal data: sorted keys, no blanks, ASCII, integers and strings only."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def digest(schema: str, text: str) -> str:
    """SHA-256 of `schema 0x00 text` in hex; the schema keeps digests of different layers apart."""
    return hashlib.sha256(schema.encode() + b"\0" + text.encode()).hexdigest()


def short(full_digest: str) -> str:
    """The 12 hex digits that file heads and reports show."""
    return full_digest[:12]
