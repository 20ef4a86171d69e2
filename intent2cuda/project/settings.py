"""The environment variables of the package: they change where and with which tools, never what is emitted."""

from __future__ import annotations

import os
from pathlib import Path

CACHE_DIRECTORY = "INTENT2CUDA_CACHE_DIR"
CACHE_MEGABYTES = "INTENT2CUDA_CACHE_MB"
COMPILE_SECONDS = "INTENT2CUDA_COMPILE_SECONDS"
CXX_FLAGS = "INTENT2CUDA_CXXFLAGS"

_OFF = ("off", "0", "none")


def cache_directory() -> Path | None:
    """The folder of the build cache; None when it is switched off by `off`, `0` or `none`."""
    chosen = os.environ.get(CACHE_DIRECTORY, "")
    if chosen.lower() in _OFF:
        return None
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(base) if Path(base).is_absolute() else Path.home() / ".cache") / "intent2cuda"


def cache_bytes() -> int:
    """How large the build cache may grow; 2 GiB unless the environment says otherwise."""
    return _positive(CACHE_MEGABYTES, 2048) * 1024 * 1024


def compile_seconds() -> int:
    """How long one compiler call may take; 5 minutes unless the environment says otherwise."""
    return _positive(COMPILE_SECONDS, 300)


def _positive(variable: str, default: int) -> int:
    text = os.environ.get(variable, "")
    return int(text) if text.isdecimal() and int(text) > 0 else default
