"""Folders that a call names."""

from __future__ import annotations

from pathlib import Path

from intent2cuda.api.errors import ArgumentError


def folder_of(given: object, what: str) -> Path:
    """The path that an argument names; `what` says which argument it is.

    Raises:
        ArgumentError: it is no path, or an empty one, which would be the working directory.
    """
    if isinstance(given, (str, Path)) and str(given):
        return Path(given)
    raise ArgumentError(f"{what} is the path of a folder; it is {given!r}")
