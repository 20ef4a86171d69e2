"""Files of one idea: at most 400 lines, functions at most 60. Tables are exempt by name."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted(p for folder in ("intent2cuda", "bridge", "runtime_cpp", "examples") for p in (ROOT / folder).rglob("*"))
PYTHON = [p for p in FILES if p.suffix == ".py"]
SOURCES = [p for p in FILES if p.suffix in (".py", ".hpp", ".cuh", ".h", ".cpp", ".cu") and "emitted" not in p.parts]
FUNCTION_LINES = 60
FILE_LINES = 400


def test_there_is_something_to_measure() -> None:
    assert len(SOURCES) > 100


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_file_is_short(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= FILE_LINES


@pytest.mark.parametrize("path", PYTHON, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_functions_are_short(path: Path) -> None:
    functions = [n for n in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(n, ast.FunctionDef)]
    long = [f.name for f in functions if (f.end_lineno or 0) - f.lineno >= FUNCTION_LINES]
    assert not long
