"""What is not supported yet: the patterns of scope.toml."""

from __future__ import annotations

import tomllib
from fnmatch import fnmatchcase
from pathlib import Path

SCOPE = Path(__file__).resolve().parent / "scope.toml"


def outside(table: str) -> list[str]:
    """The patterns of a table: `kernels`, `programs`, or the name of a target."""
    with SCOPE.open("rb") as file:
        return list(tomllib.load(file).get(table, {}))


def is_outside(name: str, *tables: str) -> bool:
    return any(fnmatchcase(name, pattern) for table in tables for pattern in outside(table))
