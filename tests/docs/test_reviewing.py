"""The outputs on docs/reviewing.md are those of the product."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "reviewing.md"


def maker() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_reviewing", ROOT / "docs" / "make_reviewing.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.req("P121", "P122", "P123")
def test_page_is_what_the_product_prints() -> None:
    assert PAGE.read_text(encoding="utf-8") == maker().page(), "run python docs/make_reviewing.py"


def test_page_shows_each_answer() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert "internal error" not in text
    assert {*re.findall(r"\[exit status (\d+)\]", text)} == {"1", "2", "3"}
    diffs = re.findall(r"^semantics  (.*)\ndecisions  (.*)\nresources  (.*)$", text, re.MULTILINE)
    assert [tuple(answer.split(":")[0] for answer in answers) for answers in diffs] == [
        ("unchanged", "changed", "changed"),
        ("changed", "unchanged", "unchanged"),
    ]
    for level in ("operations", "worksets", "tasks", "commands", "stages", "instructions"):
        assert len(re.findall(rf"^  {level} ", text, re.MULTILINE)) >= 2
