"""`intent2cuda doctor`: which tools are here, and what is missing for which target."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from intent2cuda.base.codec import Plain
from intent2cuda.cli.output import say, say_json
from intent2cuda.project import settings, toolchain
from intent2cuda.project.errors import ToolchainError

TOOLS: tuple[tuple[str, Callable[[], toolchain.Tool], str], ...] = (
    ("C++ compiler", toolchain.cxx_compiler, "targets cpu and cuda-sim"),
    ("nvcc", toolchain.nvcc, "target cuda"),
    ("cmake", toolchain.cmake, "intent2cuda build"),
    ("ninja", toolchain.ninja, "intent2cuda build"),
)


def configure(parser: argparse.ArgumentParser) -> None:
    del parser


def run(arguments: argparse.Namespace) -> int:
    """0 when a C++ compiler is here (the least that compiling needs), else 1."""
    rows = [_row(name, find, use) for name, find, use in TOOLS]
    cache = settings.cache_directory()
    if arguments.json:
        say_json({"tools": list(rows), "cache": str(cache) if cache else None})
    else:
        for row in rows:
            state = f"{row['version']}  {row['path']}" if row["found"] else f"missing: {row['help']}"
            say(f"{row['name']:13} {state}   ({row['needed_for']})")
        say(f"{'build cache':13} {cache or 'switched off'}")
    return 0 if rows[0]["found"] else 1


def _row(name: str, find: Callable[[], toolchain.Tool], use: str) -> dict[str, Plain]:
    try:
        tool = find()
    except ToolchainError as error:
        return {"name": name, "found": False, "help": error.diagnostics[0].help, "needed_for": use}
    return {"name": name, "found": True, "version": tool.version, "path": str(tool.path), "needed_for": use}
