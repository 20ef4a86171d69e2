"""Conditions read as an author would write them."""

from __future__ import annotations

from pathlib import Path

import pytest

from intent2cuda import pipeline
from intent2cuda.project.emitted import TargetKind

HEADER = """
import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
"""
COUNTED = """
def counted(x: I.In[I.f32, ("M", "N")], count: I.Out[I.i64, ("M", "BINS")]):
    for m in I.parallel(I.domain(0, x.shape[0])):
        ok = x[m, :] >= 0.0 and x[m, :] < 1.0
        b = I.cast(I.mask(x[m, :], ok, 0.0) * I.cast(count.shape[1], I.f32), I.i32)
        count[m, :] = I.histogram(b, bins=count.shape[1], valid=ok, count_dtype=I.i64)
"""
CHOSEN = """
def chosen(x: I.In[I.f32, ("N",)], y: I.InOut[I.i32, ("N",)]):
    for n in I.parallel(I.domain(0, x.shape[0])):
        if x[n] < 0.0:
            y[n] = y[n] + 1
        elif x[n] < 1.0:
            y[n] = y[n] - 1
        else:
            y[n] = 0
"""


def _text(body: str, name: str, target: TargetKind, folder: Path) -> str:
    file = folder / "kernel.py"
    file.write_text(HEADER + body.lstrip(), encoding="utf-8")
    files = pipeline.emit_project([pipeline.front(file, name)], target, name).files
    return next(text for path, text in files.items() if path.startswith("src/") and "_c." not in path)


@pytest.mark.parametrize(
    ("kind", "added"),
    [
        ("cpu", "count_part[b] = intent::wrap_add(count_part[b], std::int64_t{1});"),
        ("cuda", "intent::atomic_add<intent::Order::kRelaxed>(&count_part[b], std::int64_t{1});"),
    ],
)
def test_what_is_not_valid_is_not_counted(tmp_path: Path, kind: TargetKind, added: str) -> None:
    text = _text(COUNTED, "counted", kind, tmp_path)
    body = text.partition("if (ok) {")[2].partition("\n            }")[0]
    assert added in body and "ok ? b" not in text


def test_a_condition_that_is_all_of_the_other_side_is_chained(target: TargetKind, tmp_path: Path) -> None:
    text = " ".join(_text(CHOSEN, "chosen", target, tmp_path).split())
    assert "} // kernel.py:11 elif x[n] < 1.0: else if (" in text
    assert "else { // kernel.py:11" not in text
