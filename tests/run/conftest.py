"""Emitting kernels written in a test, and compiling what comes out the way a consumer would."""

from __future__ import annotations

import subprocess
import sysconfig
from collections.abc import Callable, Sequence
from pathlib import Path

import pybind11
import pytest

from intent2cuda.cli.main import main

HEAD = "import intent2cuda as intent\nimport intent2cuda.language as I\n"
WARNINGS = ("-Wall", "-Wextra", "-Wconversion", "-Wpedantic", "-Werror")
SIMULATED = ("-std=c++20", "-Wno-unknown-pragmas", "-Wno-pedantic")
"""How CUDA text is compiled for the host."""

Emit = Callable[..., Path]


@pytest.fixture
def emit(tmp_path: Path) -> Emit:
    """Writes kernels into a file and emits its project."""

    def run(text: str, *options: str, file: str = "kernels.py", out: str = "project") -> Path:
        path = tmp_path / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(HEAD + text, encoding="utf-8")
        assert main(["emit", str(path), "-o", str(tmp_path / out), *options]) == 0
        return tmp_path / out

    return run


def compiled(command: Sequence[object], cwd: Path | None = None) -> str:
    """What a tool printed; it must have succeeded."""
    words = list(map(str, command))
    done = subprocess.run(words, cwd=cwd, capture_output=True, text=True, check=False, timeout=500)
    assert done.returncode == 0, " ".join(words) + "\n" + done.stdout[-2000:] + done.stderr[-6000:]
    return done.stdout


def check_sources(project: Path, *flags: str) -> None:
    """Every source and header of a cpu or simulated project, each alone, gives no warning."""
    include = f"-I{project / 'include'}"
    for source in sorted((project / "src").iterdir()):
        compiled(["g++", "-fsyntax-only", "-fopenmp", *WARNINGS, *flags, include, "-x", "c++", source])
    for header in own_headers(project):
        alone = [include, "-include", header]
        compiled(["g++", "-fsyntax-only", *WARNINGS, *flags, *alone, "-x", "c++", "/dev/null"])
        if header.suffix == ".h":
            compiled(["gcc", "-std=c99", "-fsyntax-only", *WARNINGS, *alone, "-x", "c", "/dev/null"])


def check_module(project: Path) -> None:
    """The source of the Python module is accepted by the compiler."""
    folders = (project / "include", pybind11.get_include(), sysconfig.get_paths()["include"])
    (module,) = (project / "python").glob("*.cpp")
    compiled(
        ["g++", "-std=c++17", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", *(f"-I{f}" for f in folders), module]
    )


def own_headers(project: Path) -> list[Path]:
    """The headers of the project's interface."""
    return sorted(
        p for p in (project / "include").rglob("*.h*") if "intent" not in p.relative_to(project / "include").parts
    )
