"""A literal before a loop is f64 or i64 for good; what is said of that names the line that the author changes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from intent2cuda import pipeline
from intent2cuda.base.diagnostics import IntentError

TEXT = """import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def k(x: I.In[I.f32, ("N",)], d: I.In[I.f64, ("N",)], n: I.i32, y: I.Out[I.f32, ("N",)], z: I.Out[I.f64, ("N",)]):
    for m in I.parallel(I.domain(0, x.shape[0])):
        {}
"""


def diagnostics(tmp_path: Path, body: str) -> list[tuple[str, str]]:
    path = tmp_path / "k.py"
    path.write_text(TEXT.format(body.replace("\n", "\n        ")))
    try:
        pipeline.front(path, "k")
    except IntentError as error:
        return [(found.code, found.help) for found in error.diagnostics]
    return []


@pytest.mark.parametrize(
    ("body", "begun"),
    [
        ("t = 0.0\nfor i in range(3):\n    t = t + x[m]\ny[m] = t", "t = I.cast(0.0, I.f32)"),
        ("t = 0\nfor i in range(3):\n    t = t + d[m]\nz[m] = t", "t = I.cast(0, I.f64)"),
        ("t = -I.inf\nfor i in range(3):\n    t = I.maximum(x[m], t)\ny[m] = t", "t = I.cast(-I.inf, I.f32)"),
        ("t = 1.0\nfor i in range(3):\n    t = 0.5 * t - x[m]\ny[m] = t", "t = I.cast(1.0, I.f32)"),
        ("t = 1e-3\nfor i in range(3):\n    t = x[m]\ny[m] = t", "t = I.cast(1e-3, I.f32)"),
        ("t = 0\nwhile t < n:\n    t = t + 1\nz[m] = d[m]", "t = I.cast(0, I.i32)"),
        (
            "t = 0.0\nfor i in range(3):\n    for j in range(2):\n        t = t + x[m]\ny[m] = t",
            "t = I.cast(0.0, I.f32)",
        ),
        ("t = 2.0\nfor i in range(3):\n    t = t * t\ny[m] = t", "t = I.cast(2.0, I.f32)"),
        ("t = 2.0\nfor i in range(3):\n    t = t * 0.5\ny[m] = x[m] if n > 2 else t", "t = I.cast(2.0, I.f32)"),
    ],
)
def test_the_literal_before_the_loop_is_what_changes(tmp_path: Path, body: str, begun: str) -> None:
    """One finding, not one more for every use of the name; with what it says written out the kernel is read."""
    name = begun.partition(" ")[0]
    ((code, help),) = diagnostics(tmp_path, body)
    assert code in ("kir.dtype.mixed", "kir.loop.carry_type", "kir.store.dtype")
    assert help.endswith(f": begin with {begun}") and f"`{name}` begins as the literal" in help
    assert diagnostics(tmp_path, re.sub(rf"^{name} = .*", begun, body)) == []


def test_a_part_of_a_tuple(tmp_path: Path) -> None:
    body = "q = (1, 0.0)\nfor i in range(3):\n    q = (q[0] + 1, q[1] + x[m])\ny[m] = q[1]"
    assert diagnostics(tmp_path, body) == [
        ("kir.dtype.mixed", "a part of `q` begins as the literal 0.0: begin with I.cast(0.0, I.f32)")
    ]


@pytest.mark.parametrize(
    "body",
    [
        "t = x[m]\nfor i in range(3):\n    t = t + d[m]",  # its dtype was chosen
        "t = 0.5\nfor i in range(3):\n    t = t + n",  # 0.5 is no i32
        "t = True\nfor i in range(3):\n    t = t and x[m] > 0.0\ny[m] = t",
    ],
)
def test_others_are_converted(tmp_path: Path, body: str) -> None:
    ((_, help),) = diagnostics(tmp_path, body)
    assert "I.cast(..., " in help
