"""Building an emitted project with its own CMakeLists.txt."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pybind11

from intent2cuda.project import process, toolchain

_STEP = re.compile(r"^\[(\d+)/(\d+)\] (.*)$")

Progress = Callable[[int, int, str], None]
"""Steps done, steps in all (0 if unknown), what is being done."""


def python_options() -> dict[str, str]:
    """The definitions that make a project build its Python module for this interpreter."""
    return {"Python_EXECUTABLE": sys.executable, "pybind11_DIR": pybind11.get_cmake_dir()}


def build_project(
    source: Path,
    binary: Path,
    *,
    options: Mapping[str, str] | None = None,
    seconds: float = 1800.0,
    on_progress: Progress | None = None,
) -> None:
    """Configures with Ninja and builds; afterwards `binary` holds the libraries. `options` become `-D` definitions.

    Raises:
        ToolchainError: CMake or Ninja is missing, or a step failed; the words of the tools are in the message.
    """
    cmake, ninja = str(toolchain.cmake().path), str(toolchain.ninja().path)
    definitions = [f"-D{name}={value}" for name, value in sorted((options or {}).items())]

    def on_line(line: str) -> None:
        step = _STEP.match(line)
        if on_progress is not None and step is not None:
            on_progress(int(step[1]), int(step[2]), step[3])

    if on_progress is not None:
        on_progress(0, 0, "configure")
    configure = [cmake, "-S", str(source), "-B", str(binary), "-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={ninja}"]
    process.run([*configure, *definitions], directory=source, seconds=seconds)
    process.run([cmake, "--build", str(binary)], directory=source, seconds=seconds, on_line=on_line)
