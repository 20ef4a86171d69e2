"""The page of diagnostic codes is what the package holds now, and its codes are words with dots."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

from ..plan.rows import ROWS

ROOT = Path(__file__).resolve().parents[2]


def maker() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_diagnostics", ROOT / "docs" / "make_diagnostics.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_page_is_up_to_date() -> None:
    text = (ROOT / "docs" / "diagnostics.md").read_text(encoding="utf-8")
    assert text == maker().page(), "run python docs/make_diagnostics.py"


def test_every_stage_has_codes_and_most_have_a_message() -> None:
    found = maker().messages()
    assert {code.split(".")[0] for code in found} == set(maker().STAGES)
    assert sum(bool(messages) for messages in found.values()) > 0.7 * len(found)
    assert all(re.fullmatch(r"[a-z_0-9.]+(\.\*)?", code) for code in found)


PLANNING = ("portable", "planset", "gate", "evidence", "concrete", "machine", "artifact", "trace", "plan")
"""Families of codes of which each has a test that reaches it."""


def test_codes_of_planning_and_their_tests_cover_each_other() -> None:
    """`FAMILY.*` on the page stands for the codes that begin so."""
    page = {code for code in maker().messages() if code.split(".")[0] in PLANNING}
    folders = ("api", "cli", "lower", "machine", "plan", "target")
    files = [path for folder in folders for path in (ROOT / "tests" / folder).rglob("*.py") if path.name != "rows.py"]
    text = "".join(path.read_text(encoding="utf-8") for path in files).replace("\\.", ".")
    untested = [code for code in page if not re.search(rf"(?<![\w.]){code.replace('*', '[a-z{].*')}(?![\w.])", text)]
    assert not untested
    beginnings = tuple(code[:-1] for code in page if code.endswith("*"))
    assert not [code for code in ROWS if code not in page and not code.startswith(beginnings)]
