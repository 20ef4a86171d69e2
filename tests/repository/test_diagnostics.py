"""The page of diagnostic codes is what the package holds now, and its codes are words with dots."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

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
