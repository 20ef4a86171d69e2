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

from intent2cuda.project import settings
from intent2cuda.project.errors import ToolchainError
from intent2cuda.project.process import run

NVCC_PLACES = ("nvcc", "$CUDA_HOME/bin/nvcc", "/usr/local/cuda/bin/nvcc")
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
    help = "install g++, or set CXX to a C++17 compiler"
    return _named("CXX") or _required(("g++", "c++", "clang++"), "a C++ compiler", help)


def cxx_flags() -> tuple[str, ...]:
    """What `$INTENT2CUDA_CXXFLAGS` holds: options that come after the package's own, so that they prevail.

    Raises:
        ToolchainError: its quotes do not match.
    """
    text = os.environ.get(settings.CXX_FLAGS, "")
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        message = f"{settings.CXX_FLAGS} holds no options: {text!r}: {str(error).lower()}"
        raise ToolchainError("toolchain.missing", message, "close the quote, or unset it") from None


def nvcc() -> Tool:
    """The CUDA compiler: `$CUDACXX`, else nvcc of the PATH, of `$CUDA_HOME` or of /usr/local/cuda.

    Raises:
        ToolchainError: there is none, or none that `$CUDACXX` names.
    """
    return _named("CUDACXX") or _required(
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


def _named(variable: str) -> Tool | None:
    """The program that an environment variable holds: a path, or a command with options. None where it holds nothing.

    Raises:
        ToolchainError: there is no such program.
    """
    command = os.environ.get(variable, "").strip()
    try:
        program, *options = [command] if shutil.which(command) else shlex.split(command) or [""]
    except ValueError as error:
        raise _misnamed(variable, f"is no command: {command!r}: {str(error).lower()}") from None
    path = shutil.which(program)
    if path is None and program:
        raise _misnamed(variable, f"names `{program}`, which is no program on this machine")
    return None if path is None else _tool(Path(path), tuple(options), _stamp(Path(path)))


def _misnamed(variable: str, why: str) -> ToolchainError:
    hint = f"set {variable} to a compiler that is there, or unset it"
    return ToolchainError("toolchain.missing", f"{variable} {why}", hint)


def _required(candidates: tuple[str, ...], what: str, help: str) -> Tool:
    for candidate in candidates:
        path = shutil.which(os.path.expandvars(candidate))
        if path is not None:
            return _tool(Path(path), (), _stamp(Path(path)))
    raise ToolchainError("toolchain.missing", f"{what} was not found on this machine", help)


def _stamp(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_mtime_ns, status.st_size


@functools.cache
def _tool(path: Path, options: tuple[str, ...], _stamp: tuple[int, int]) -> Tool:
    """The tool, asked once a process for as long as its file stays the same."""
    words = run([str(path), *options, "--version"], directory=Path("/"), seconds=_SECONDS).strip()
    return Tool(path, options, words)
