"""A target lowers a construct, or refuses it by name: there is nothing between."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import intent2cuda as intent

EXAMPLES = sorted((Path(__file__).resolve().parents[2] / "docs" / "reference" / "examples").glob("*.py"))
CONSTEXPRS = {"Constexpr": {"WIDTH": 2}, "Enum": {"ACTIVATION": "RELU"}}


@pytest.mark.req("L98")
@pytest.mark.parametrize("target", ["cpu", "cuda"])
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_every_construct_is_lowered_or_refused_by_name(path: Path, target: str) -> None:
    (name,) = (
        node.name
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef) and "intent.kernel" in map(ast.unparse, node.decorator_list)
    )
    try:
        files = intent.emit(intent.load(f"{path}:{name}"), target, CONSTEXPRS.get(path.stem))
    except intent.IntentError as refusal:
        lines = path.read_text(encoding="utf-8").splitlines()
        for found in refusal.diagnostics:
            assert found.code == "target.unsupported" or found.code.startswith("gate.")
            assert found.help and found.line is not None
            spelled = re.search(r"`(I\.[\w.]+)`", found.message)
            assert found.code != "target.unsupported" or (spelled and target in found.message)
            assert lines[found.line - 1].strip()
    else:
        assert "MANIFEST.json" in files
