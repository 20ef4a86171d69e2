"""A loop that stores a part of a row is one call, which puts vectors where lines of the cache begin."""

from __future__ import annotations

from pathlib import Path

import pytest

from intent2cuda import pipeline

SOURCE = """
import intent2cuda as intent
import intent2cuda.language as I

@intent.kernel
def part(x: I.In[I.f32, ("M", "N")], y: I.InOut[I.f32, ("M", "N")]):
    M, N = x.shape
    for m in I.parallel(I.domain(0, M)):
        for n in I.parallel({members}):
            {body}
"""


@pytest.mark.parametrize(
    ("members", "body", "call"),
    [
        ("I.domain(1, N - 1)", "y[m, n] = x[m, n - 1] + y[m, n]", "intent::map_inside(y_row, 1, N - 1, "),
        ("I.domain(3, N)", "y[m, n] = x[m, n - 3]", "intent::map_inside(y_row, 3, N, "),
        ("I.domain(0, N - 1)", "y[m, n] = x[m, n + 1] + y[m, n]", ""),
        ("I.domain(1, N, 2)", "y[m, n] = x[m, n - 1] + y[m, n]", ""),
        ("I.domain(1, N - 1)", "y[n, m] = x[m, n - 1] + y[n, m]", ""),
    ],
)
def test_parts_of_rows(tmp_path: Path, members: str, body: str, call: str) -> None:
    path = tmp_path / "kernel.py"
    path.write_text(SOURCE.format(members=members, body=body))
    text = pipeline.emit_project([pipeline.front(path, "part")], "cpu", "part").files["src/part.cpp"]
    assert call in text if call else "map_inside" not in text
