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
    assert "// x[i + offsets_element, :]" in text and "offsets_element = offsets(g)" in text
