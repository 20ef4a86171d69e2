"""Text of authors stays text: it ends no comment, no string and no CMake argument, and continues no line."""

from __future__ import annotations

import ast
import json
import re
import subprocess
from pathlib import Path

import pytest

from .conftest import Emit, check_module, check_sources

NASTY = (
    "*/ int CANARY = 1; /*",
    "ends in a backslash \\\\",
    "trigraph ??/",
    '"); CANARY(); ("',
    "${CANARY} $ENV{CANARY} ]] ) message(FATAL_ERROR CANARY)",
    "{{ CANARY }} {% raw %}",
    "# include <CANARY>",
    "\\u202e CANARY \\u2066",
    'R"x(CANARY)x"',
    "%s%n",
)

KERNEL = '''

@intent.kernel
def k(x: I.In[I.f32, ("N",)], y: I.Out[I.f32, ("N",)]):
    """DOC"""
    y[:] = x[:] + 1.0  # NOTE
'''

PLACES = (
    "a*/ int CANARY = 1; /.py",
    "line\nmessage(FATAL_ERROR CANARY)/x\nint CANARY = 1;\n.py",
    "a\rb/c\r int CANARY = 1;.py",
    'it\'s/a"quoted"; CANARY;.py',
    "${CANARY}/$ENV{HOME}$(CANARY).py",
    "[[a]]/]=] ) message(FATAL_ERROR CANARY) #[=[.py",
    "back\\slash\\/b\\.py",
    "{{ CANARY }}/{% raw %}.py",
    "gr\u00f6\u00dfe \u202e/\u6838\u51fd\u6570.py",
    "# include <CANARY>/#.py",
)


def code_of(path: Path) -> str:
    """What is left of a file without its comments and strings."""
    text = path.read_text(encoding="utf-8")
    assert text.isascii() and "\r" not in text
    if path.name == "CMakeLists.txt" or path.name.endswith(".cmake.in"):
        return re.sub(r'#[^\n]*|"(?:[^"\\]|\\.)*"', " ", text)
    if path.suffix == ".json":
        json.loads(text)
        return ""
    if path.suffix == ".pyi":
        return ast.unparse(ast.parse(text))
    assert not re.search(r"//[^\n]*(?:\\|\?\?/)[ \t]*\n", text), "a comment swallows the next line"
    return re.sub(r'//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"', " ", text, flags=re.S)


def check_clean(project: Path) -> None:
    for path in sorted(p for p in project.rglob("*") if p.is_file()):
        assert "CANARY" not in code_of(path), path.name


def test_docstring_and_comments(emit: Emit) -> None:
    text = "\n".join(NASTY).replace('"', '\\"')
    project = emit(KERNEL.replace("DOC", text.replace("\n", " ")).replace("NOTE", NASTY[0] + NASTY[4] + "\\"))
    check_clean(project)
    check_sources(project, "-std=c++17")
    check_module(project)
    assert "CANARY" in (project / "include" / "k" / "k.hpp").read_text()


@pytest.mark.parametrize("line", NASTY)
def test_docstring(emit: Emit, line: str) -> None:
    project = emit(KERNEL.replace("DOC", line.replace('"', '\\"')))
    check_clean(project)


@pytest.mark.parametrize("target", ["cpu", "cuda"])
@pytest.mark.parametrize("place", PLACES)
def test_path(emit: Emit, place: str, target: str) -> None:
    check_clean(emit(KERNEL, "--target", target, file=place))


@pytest.mark.parametrize("place", [PLACES[1], PLACES[0], PLACES[5]])
def test_path_and_real_tools(emit: Emit, tmp_path: Path, place: str) -> None:
    """CMake configures the project, and the compiler accepts it, with the worst of them in every head line."""
    project = emit(KERNEL, file=place)
    check_sources(project, "-std=c++17")
    words = ["cmake", "-S", str(project), "-B", str(tmp_path / "build"), "-DK_PYTHON=OFF"]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    assert not list(tmp_path.rglob("CANARY"))
