"""Which compilers and build tools this machine has."""

from __future__ import annotations

import functools
import os
import re
import shlex
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from intent2cuda.project.errors import ToolchainError
from intent2cuda.project.process import run

NVCC_PLACES = ("$CUDACXX", "nvcc", "$CUDA_HOME/bin/nvcc", "/usr/local/cuda/bin/nvcc")
_COMMANDS = ("$CXX", "$CUDACXX")  # hold a whole command, as everywhere; the others hold a place
_SECONDS = 20.0


@dataclass(frozen=True)
class Tool:
    """A program, the options that it is always given, and all that it says about its version."""

    path: Path
    options: tuple[str, ...]
    words: str

    @property
    def command(self) -> tuple[str, ...]:
        """What a command line begins with."""
        return (str(self.path), *self.options)

    @property
    def version(self) -> str:
        """The version number, for people; empty if there is none in the words."""
        found = re.findall(r"\d+\.\d+(?:\.\d+)*", self.words)
        return found[0] if found else ""


def cxx_compiler() -> Tool:
    """The C++ compiler: `$CXX`, which may have options, else g++, c++ or clang++.

    Raises:
        ToolchainError: there is none, or none that `$CXX` names.
    """
    return _required(("$CXX", "g++", "c++", "clang++"), "a C++ compiler", "install g++, or set CXX to a C++17 compiler")


def nvcc() -> Tool:
    """The CUDA compiler: `$CUDACXX`, else nvcc of the PATH, of `$CUDA_HOME` or of /usr/local/cuda.

    Raises:
        ToolchainError: there is none, or none that `$CUDACXX` names.
    """
    return _required(
        NVCC_PLACES,
        "the CUDA compiler nvcc",
        "install the CUDA toolkit, or use target `cuda-sim`, which runs the same CUDA text on the host",
    )


def cmake() -> Tool:
    """CMake: of the PATH, or the one that was installed beside this Python.

    Raises:
        ToolchainError: there is none.
    """
    return _required(("cmake", _beside_python("cmake")), "cmake", "pip install cmake")


def ninja() -> Tool:
    """Ninja: of the PATH, or the one that was installed beside this Python.

    Raises:
        ToolchainError: there is none.
    """
    return _required(("ninja", _beside_python("ninja")), "ninja", "pip install ninja")


def host_processor() -> str:
    """What `-march=native` depends on: model and feature flags of the first processor."""
    return _processor_text()


@functools.cache
def _processor_text() -> str:
    try:
        with Path("/proc/cpuinfo").open(encoding="utf-8", errors="replace") as lines:
            wanted = ("model name", "vendor_id", "cpu family", "model", "stepping", "flags", "Features")
            first: list[str] = []
            for line in lines:
                if not line.strip():
                    break
                if line.split(":")[0].strip() in wanted:
                    first.append(line.strip())
            return "\n".join(first)
    except OSError:
        return ""


def _beside_python(name: str) -> str:
    return str(Path(sys.executable).parent / name)


def _required(candidates: tuple[str, ...], what: str, help: str) -> Tool:
    for candidate in candidates:
        program, *options = _words_of(candidate) or [""]
        path = shutil.which(program)
        if path is not None:
            return _tool(Path(path), tuple(options), _stamp(Path(path)))
        if program and candidate in _COMMANDS:
            message = f"{candidate[1:]} names `{program}`, which is no program on this machine"
            hint = f"set {candidate[1:]} to a compiler that is there, or unset it"
            raise ToolchainError("toolchain.missing", message, hint)
    raise ToolchainError("toolchain.missing", f"{what} was not found on this machine", help)


def _words_of(candidate: str) -> list[str]:
    """The program and its options; nothing for a variable that is not set."""
    if candidate in _COMMANDS:
        command = os.environ.get(candidate[1:], "")
        try:
            return shlex.split(command)
        except ValueError as error:
            message = f"{candidate[1:]} is no command: {command!r}: {str(error).lower()}"
            raise ToolchainError("toolchain.missing", message, f"correct or unset {candidate[1:]}") from None
    return [os.path.expandvars(candidate)]


def _stamp(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_mtime_ns, status.st_size


@functools.cache
def _tool(path: Path, options: tuple[str, ...], _stamp: tuple[int, int]) -> Tool:
    """The tool, asked once a process for as long as its file stays the same."""
    words = run([str(path), *options, "--version"], directory=Path("/"), seconds=_SECONDS).strip()
    return Tool(path, options, words)
