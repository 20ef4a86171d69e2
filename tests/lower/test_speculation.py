"""What a loop asks for is read before it only where it is read at all, or surely exists."""

from __future__ import annotations

from pathlib import Path

import pytest

from intent2cuda import pipeline

HEAD = "import intent2cuda as intent\nimport intent2cuda.language as I\n\n\n@intent.kernel\n"
ROWS = """
    for n in I.parallel(I.domain(0, y.shape[0])):
        for d in I.parallel(I.domain(0, y.shape[1])):
            y[n, d] = {read} + 1.0
"""


def emitted(folder: Path, width: str, read: str) -> str:
    """The loop over the rows."""
    views = f"table: I.In[I.f32, ('K',)], index: I.In[I.i32, ('N',)], y: I.Out[I.f32, ('N', {width})]"
    file = folder / "kernel.py"
    file.write_text(f"{HEAD}def spread({views}):{ROWS.format(read=read)}", encoding="utf-8")
    files = pipeline.emit_project([pipeline.front(file, "spread")], "cpu", "spread").files
    text = next(text for path, text in files.items() if path.endswith("src/spread.cpp"))
    return text[text.index("for (index_t n") :]


@pytest.mark.parametrize(
    ("width", "read", "before"),
    [
        ("'D'", "table[index[n]]", False),  # rows may be empty, and then any index is legal
        ("'D'", "table[table.shape[0] - 1]", False),
        ("4", "table[index[n]]", True),
        ("'D'", "I.cast(index[n], I.f32)", True),
    ],
)
def test_a_read_stands_before_the_inner_loop(width: str, read: str, before: bool, tmp_path: Path) -> None:
    text = emitted(tmp_path, width, read)
    name = "table(" if "table" in read else "index(n)"
    assert name in text
    assert (text.index(name) < text.index("map_row")) is before
