"""`intent2cuda doctor`: which tools and which GPU are here, and what is missing for which target."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from intent2cuda.base.codec import Plain
from intent2cuda.cli.output import say, say_json
from intent2cuda.project import settings, toolchain
from intent2cuda.project.errors import ToolchainError
from intent2cuda.project.machine import Device, first_device

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
    device = first_device()
    cache = settings.cache_directory()
    if arguments.json:
        gpu: Plain = device and _device(device)
        say_json({"tools": list(rows), "gpu": gpu, "cache": str(cache) if cache else None})
    else:
        for row in rows:
            state = f"{row['version']}  {row['path']}" if row["found"] else f"missing: {row['help']}"
            say(f"{row['name']:13} {state}   ({row['needed_for']})")
        say(f"{'GPU':13} {_in_words(device, nvcc_is_here=bool(rows[1]['found']))}   (target cuda)")
        say(f"{'build cache':13} {cache or 'switched off'}")
    return 0 if rows[0]["found"] else 1


def _row(name: str, find: Callable[[], toolchain.Tool], use: str) -> dict[str, Plain]:
    try:
        tool = find()
    except ToolchainError as error:
        return {"name": name, "found": False, "help": error.diagnostics[0].help, "needed_for": use}
    return {"name": name, "found": True, "version": tool.version, "path": str(tool.path), "needed_for": use}


def _device(device: Device) -> dict[str, Plain]:
    return {
        "name": device.name,
        "architecture": f"sm_{device.capability[0]}{device.capability[1]}",
        "driver": f"{device.driver[0]}.{device.driver[1]}",
        "memory_bytes": device.memory_bytes,
    }


def _in_words(device: Device | None, *, nvcc_is_here: bool) -> str:
    if device is None:
        can = "kernels are compiled but do not run" if nvcc_is_here else "target cuda-sim runs the same text"
        return f"none that a CUDA driver knows: {can} here"
    row = _device(device)
    return f"{row['architecture']}  {row['name']}, {device.memory_bytes >> 30} GiB, driver for CUDA {row['driver']}"
