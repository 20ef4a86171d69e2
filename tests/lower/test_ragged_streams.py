"""What the members of ragged rows are read from one after the other is named, so that it is fetched ahead."""

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
    weight: I.In[I.f32, ("Z",)],
    x: I.In[I.f32, ("N",)],
    shift: I.In[I.f32, ("G",)],
    y: I.Out[I.f32, ("G",)],
):
    members = I.domain(0, weight.shape[0])
    for g in I.parallel(I.domain(0, y.shape[0])):
        part = members[start[g] : start[g + 1]]
        y[g] = {value}
"""


@pytest.mark.parametrize(
    ("value", "streams"),
    [
        ("I.reduce.sum(weight[part] * x[place[part]], axis=0)", ["weight_line", "place_line"]),
        ("I.reduce.sum(x[place[part]] - shift[g], axis=0)", ["place_line"]),
        (
            "I.reduce.max(weight[part], axis=0) + I.reduce.sum(I.exp(weight[part]) * x[place[part]], axis=0)",
            ["weight_line", "place_line"],
        ),
    ],
)
def test_lines_that_members_walk_along_are_streams(tmp_path: Path, value: str, streams: list[str]) -> None:
    path = tmp_path / "kernel.py"
    path.write_text(SOURCE.format(value=value))
    text = pipeline.emit_project([pipeline.front(path, "rows")], "cpu", "rows").files["src/rows.cpp"]
    call = text[text.index("intent::ragged_folds(") : text.index("void rows(")]
    assert re.findall(r"intent::PrefetchAhead\{(\w+)\}", call) == streams
