"""What stands beside declarations is said in words that a reader finds in the text."""

from __future__ import annotations

from pathlib import Path

from intent2cuda import pipeline
from intent2cuda.project.emitted import TargetKind

SOURCE = """
import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def shifted(x: I.In[I.f32, ("N", "D")], offsets: I.In[I.i32, ("E",)], y: I.InOut[I.f32, ("N", "D")], groups: I.index):
    rows = I.ragged(outer=I.domain(0, groups), members=I.domain(0, x.shape[0]), offsets=offsets)
    for g in I.parallel(rows.outer):
        mine = rows[g]
        v = x[mine, :]
        y[mine, :] = v - I.reduce.max(v, axis=0)[None, :]
"""


def test_a_scalar_without_a_name_goes_by_its_variable(target: TargetKind, tmp_path: Path) -> None:
    file = tmp_path / "kernel.py"
    file.write_text(SOURCE, encoding="utf-8")
    files = pipeline.emit_project([pipeline.front(file, "shifted")], target, "shifted").files
    text = next(text for path, text in files.items() if path.startswith("src/") and "_c." not in path)
    assert "// x[i + mine_begin, :]" in text and "mine_begin = offsets(g)" in text


OVERWRITTEN = """
import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def normalised(x: I.In[I.f32, ("M", "N")], h: I.InOut[I.f32, ("M", "N")], y: I.Out[I.f32, ("M", "N")]):
    for row in I.parallel(I.domain(0, x.shape[0])):
        total = x[row, :] + h[row, :]
        h[row, :] = total
        y[row, :] = 1.0 * total * I.rsqrt(I.reduce.sum(total * total, axis=0))
"""


def test_what_was_stored_is_read_back_and_factors_of_one_are_left_out(target: TargetKind, tmp_path: Path) -> None:
    file = tmp_path / "kernel.py"
    file.write_text(OVERWRITTEN, encoding="utf-8")
    files = pipeline.emit_project([pipeline.front(file, "normalised")], target, "normalised").files
    text = next(text for path, text in files.items() if path.startswith("src/") and "_c." not in path)
    assert "const float total = h_row[n];" in text and "h_row[n] * inverse_root" in text
    assert "copy" not in text and "workspace" not in text and "1.0f" not in text
