"""Rows that a reduction reads by number are named, so that those of later members are asked for ahead."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from intent2cuda import pipeline

SOURCE = """
import intent2cuda as intent
import intent2cuda.language as I

@intent.kernel
def rows(
    start: I.In[I.i32, ("E",)],
    place: I.In[I.i32, ("Z",)],
    bag: I.In[I.i64, ("G", "L")],
    weight: I.In[I.f32, ("Z",)],
    x: I.In[I.f32, ("N", "C")],
    y: I.Out[I.f32, ("G", "C")],
):
    members = I.domain(0, weight.shape[0])
    for g in I.parallel(I.domain(0, y.shape[0])):
        part = members[start[g] : start[g + 1]]
        {body}
"""


@pytest.mark.parametrize(
    ("body", "ahead"),
    [
        ("y[g, :] = I.reduce.sum(weight[part][:, None] * x[place[part], :], axis=0)", "x_lines, place_line, begin, Z"),
        ("y[g, :] = I.reduce.max(x[bag[g, :], :] * 2.0, axis=0)", "x_lines, bag_row, 0, L"),
        ("y[g, :] = I.reduce.sum(weight[part][:, None] * x[part, :], axis=0)", ""),
        ("y[g, :] = I.reduce.sum(x[place[part] + 1, :], axis=0)", ""),
    ],
)
def test_rows_by_number_are_asked_for_ahead(tmp_path: Path, body: str, ahead: str) -> None:
    path = tmp_path / "kernel.py"
    path.write_text(SOURCE.format(body=body))
    project = pipeline.emit_project([pipeline.front(path, "rows")], "cpu", "rows")
    found = re.findall(r"intent::RowsAhead\{([^}]*)\}", project.files["src/rows.cpp"])
    assert [re.sub(r"\w*begin", "begin", arguments) for arguments in found] == ([ahead] if ahead else [])
    assert ("intent/cpu/rows_ahead.hpp" in project.files["src/rows.cpp"]) == bool(ahead)
