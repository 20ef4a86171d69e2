"""The text of checked kernels, as people read it: the author's code, and what is asked before it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import intent2cuda as intent

FILE = Path(__file__).resolve().parent / "kernels.py"


@pytest.mark.parametrize("name", ["lookup", "product_of_rows", "slice_sums", "chains", "place"])
def test_text(name: str, golden: Any) -> None:
    golden.check(f"{name}.txt", intent.emit(intent.load(f"{FILE}:{name}"), checked=True)[f"src/{name}.cpp"])
