"""Numbers that were fixed before the text was made stand in it by name: a Constexpr, or what the gate chose."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import intent2cuda as intent
from intent2cuda import pipeline
from intent2cuda.project.emitted import TargetKind

EXAMPLES = Path(__file__).parents[2] / "examples"

WINDOWS = """
import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def kernel(x: I.In[I.f32, ("N",)], out: I.Out[I.f32, ("N",)], WINDOW: I.Constexpr[int] = 16,
           SCALE: I.Constexpr[float] = 0.75, UNUSED: I.Constexpr[int] = 9):
    for t in I.parallel(I.domain(0, x.shape[0])):
        total = I.cast(0.0, I.f32)
        for j in I.domain(0, WINDOW):
            place = t - (WINDOW - 1) + j
            total += I.select(place >= 0, x[I.maximum(place, 0)], 0.0) * SCALE
        out[t] = total / WINDOW
"""


def source(file: Path, kernel: str, target: TargetKind) -> str:
    files = pipeline.emit_project([pipeline.front(file, kernel)], target, "named").files
    return next(text for path, text in files.items() if path.startswith("src/") and "_c." not in path)


def test_a_constexpr_is_a_constant(target: TargetKind, tmp_path: Path) -> None:
    file = tmp_path / "kernel.py"
    file.write_text(WINDOWS, encoding="utf-8")
    text = source(file, "kernel", target)
    assert "constexpr index_t kWindow = 16;  // the Constexpr WINDOW" in text
    assert "constexpr float kScale = 0.75f;  // the Constexpr SCALE" in text
    assert "j < kWindow;" in text and "place = j + t + 1 - kWindow;" in text
    assert "* kScale" in text and "/ static_cast<float>(kWindow)" in text
    assert "kUnused" not in text


def test_an_index_that_is_made_of_a_constexpr(target: TargetKind) -> None:
    text = source(EXAMPLES / "15_top_k" / "kernel.py", "top_k_once", target)
    assert "index_t slot = kK - 1;" in text


GROUPED = """
import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def grouped(x: I.In[I.f32, ("K",)], s: I.In[I.f32, ("G",)], y: I.Out[I.f32, ("K",)], GROUP: I.Constexpr[int] = 32):
    k = I.indices(I.domain(0, x.shape[0]))
    y[:] = x[:] * s[k // GROUP] * I.cast(k % GROUP, I.f32)
"""


def test_coordinates_are_divided_by_constants_with_plain_operators(target: TargetKind, tmp_path: Path) -> None:
    file = tmp_path / "kernel.py"
    file.write_text(GROUPED, encoding="utf-8")
    text = source(file, "grouped", target)
    assert (
        "k_member / kGroup" in text
        and "k_member % kGroup" in text
        and "floor_div" not in text
        and "floor_mod" not in text
    )


def test_members_of_segments_and_rows_of_blocks_are_constants(target: TargetKind) -> None:
    text = source(EXAMPLES / "08_attention" / "kernel.py", "attention", target)
    sizes = dict(re.findall(r"constexpr index_t (\w+) = (\d+);", text))
    assert set(sizes) == {"kSegment", "kRows"}
    body = "\n".join(line.split("//")[0] for line in text.splitlines() if "constexpr" not in line)
    assert not re.search(rf"\b({'|'.join(sizes.values())})\b", body)
    assert "first += kSegment" in body and "(kRows, Q - row)" in body


TAKEN = """
import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def kernel(x: I.In[I.f32, ("kScale",)], kStep: I.f32, out: I.Out[I.f32, ("kScale",)], WINDOW: I.Constexpr[int] = 3,
           SCALE: I.Constexpr[float] = 0.5, STEP: I.Constexpr[int] = 2):
    for i in I.parallel(I.domain(0, x.shape[0])):
        kWindow = 2 * i
        total = I.cast(0.0, I.f32)
        for j in I.domain(0, WINDOW):
            total += x[I.maximum(i - j, 0)] * I.cast(kWindow + WINDOW * STEP, I.f32) * SCALE
        out[i] = total * kStep
"""


@pytest.mark.parametrize("compiled", ["cpu", "cuda-sim"])
def test_names_of_the_author_are_his(compiled: str, tmp_path: Path) -> None:
    """A variable, an extent and a parameter may be called what a constant would be."""
    file = tmp_path / "kernel.py"
    file.write_text(TAKEN, encoding="utf-8")
    kernel = intent.load(f"{file}:kernel")
    x = np.arange(1, 8, dtype=np.float32)
    found, expected = np.empty_like(x), np.empty_like(x)
    intent.compile(kernel, compiled)(x, 1.5, found)
    intent.compile(kernel, "reference")(x, 1.5, expected)
    np.testing.assert_allclose(found, expected, rtol=1e-6)
