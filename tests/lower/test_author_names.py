"""What the author named keeps its name, where the compiler has a variable that could be called so as well."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from intent2cuda import pipeline
from intent2cuda.project.emitted import TargetKind

RAGGED = """
@intent.kernel
def kernel(x: I.In[I.f32, ("M", "D")], offsets: I.In[I.i32, ("E",)], out: I.Out[I.f32, ("G", "D")],
           place: I.Out[I.i32, ("G",)]):
    rows = I.ragged(outer=I.domain(0, out.shape[0]), members=I.domain(0, x.shape[0]), offsets=offsets)
    for g in I.parallel(rows.outer):
        v = x[rows[g], :]
        begin, where = I.arg_reduce.max(I.reduce.sum(v, axis=1), axis=0)
        best = begin + 1.0
        end = best * 2.0
        count = end + begin
        out[g, :] = I.reduce.sum(v, axis=0) * best + end + count
        place[g] = I.cast(where, I.i32)
"""

ROWS = """
@intent.kernel
def kernel(x: I.In[I.f32, ("N", "K")], out: I.Out[I.f32, ("N",)]):
    for row in I.parallel(I.domain(0, x.shape[0])):
        sum = I.reduce.sum(x[row, :] * x[row, :], axis=0) / 3.0
        peak = I.reduce.max(x[row, :], axis=0) + sum
        found = (sum + peak) * I.cast(x.shape[1], I.f32)
        condition = I.select(found > 0.0, found, peak)
        k = condition + 2.0
        out[row] = found + condition * k * I.reduce.sum(I.exp(x[row, :] - k), axis=0)
"""


@pytest.mark.parametrize(
    ("text", "names"),
    [(RAGGED, "begin where best end count"), (ROWS, "sum peak found condition k")],
    ids=("ragged", "rows"),
)
def test_the_compiler_takes_no_name_of_the_author(text: str, names: str, target: TargetKind, tmp_path: Path) -> None:
    file = tmp_path / "kernel.py"
    file.write_text(f"import intent2cuda as intent\nimport intent2cuda.language as I\n\n{text}", encoding="utf-8")
    files = pipeline.emit_project([pipeline.front(file, "kernel")], target, "named").files
    source = next(t for path, t in files.items() if path.startswith("src/") and "_c." not in path)
    declared = re.findall(r"(?:float|index_t) (\w+) = ", source)
    for name in names.split():
        assert declared.count(name) == 1
        assert f"{name}_value" not in declared and f"{name}_next" not in declared


SCALARS = """
@intent.kernel
def kernel(x: I.In[I.f32, ("N",)], a: I.f32, b: I.f32, steps: I.i32, out: I.Out[I.f32, ("N",)]):
    slope = (x[:] * (1.0 - a**b) - 1.0) / ((1.0 - b**a) - x[:])
    out[:] = ((1.0 - a) * x[:] + 1.0) / ((1.0 - b) - x[:]) + slope / (x[:] + I.cast(steps, I.f32))
"""


def test_equal_roles_are_told_apart_by_what_they_are_made_of(tmp_path: Path) -> None:
    file = tmp_path / "kernel.py"
    file.write_text(f"import intent2cuda as intent\nimport intent2cuda.language as I\n\n{SCALARS}", encoding="utf-8")
    source = pipeline.emit_project([pipeline.front(file, "kernel")], "cpu", "named").files["src/kernel.cpp"]
    declared = re.findall(r"const float (\w+) = ", source)
    assert {"difference", "a_difference", "power_difference", "steps_f32"} <= set(declared)
    assert not [name for name in declared if name.endswith("_2")]


BUFFERS = """
@intent.kernel
def kernel(x: I.In[I.i32, ("B", "H")], out: I.Out[I.i32, ("B", "H")]):
    B, H = x.shape
    for b in I.parallel(I.domain(0, B)):
        h = I.buffer((H,), dtype=I.i32, init=0)
        for _ in I.domain(0, 3):
            for r in I.parallel(I.domain(0, H)):
                h[r] = h[r] + x[b, H - 1 - r]
        out[b, :] = h[:]
"""


def test_no_piece_of_scratch_memory_is_called_like_an_extent(tmp_path: Path) -> None:
    file = tmp_path / "kernel.py"
    file.write_text(f"import intent2cuda as intent\nimport intent2cuda.language as I\n\n{BUFFERS}", encoding="utf-8")
    source = pipeline.emit_project([pipeline.front(file, "kernel")], "cpu", "named").files["src/kernel.cpp"]
    assert "struct HScratch;" in source and "struct H;" not in source
