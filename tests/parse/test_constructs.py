"""Each construct of the language, by name: the kernels of `constructs/` are read, verified, printed and read back."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from intent2cuda.ir.printer import text
from intent2cuda.ir.reader import read
from intent2cuda.ir.verify import verify
from intent2cuda.parse import parse_kernel

FOLDER = Path(__file__).parent / "constructs"


def constructs() -> Iterator[object]:
    """Every kernel, marked with the requirement rows that its docstring names."""
    for path in sorted(FOLDER.glob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            said = ast.get_docstring(node) if isinstance(node, ast.FunctionDef) else None
            if isinstance(node, ast.FunctionDef) and said is not None and "Rows:" in said:
                rows = re.findall(r"\b[LK]\d+\b", said.split("Rows:")[1])
                marks = [pytest.mark.req(*rows)] if rows else []
                yield pytest.param(path, node.name, marks=marks, id=f"{path.stem}-{node.name}")


@pytest.mark.parametrize(("path", "name"), list(constructs()))
def test_construct(path: Path, name: str) -> None:
    kernel = verify(parse_kernel(path, name, None, path.name).kernel)
    printed = text(kernel)
    assert text(verify(read(printed))) == printed


def test_every_kernel_is_a_construct() -> None:
    kernels = sum(path.read_text(encoding="utf-8").count("@intent.kernel") for path in FOLDER.glob("*.py"))
    assert len(list(constructs())) == kernels > 20
