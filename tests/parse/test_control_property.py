"""Structured control does what Python does: random programs, read by the front end and run by Python itself."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from intent2cuda.interpret import run
from intent2cuda.ir.verify import verify
from intent2cuda.parse import parse_kernel

from .control_programs import ControlPrograms

START = ((0, 0), (3, -7), (50, 11), (-1, 96))


class Anything:
    """Annotations are subscripts of something, whatever it is."""

    def __getitem__(self, _: object) -> None:
        return None


LANGUAGE = SimpleNamespace(In=Anything(), Out=Anything(), i64=int, cast=lambda value, _: value)


def python_result(text: str, first: int, second: int) -> list[int]:
    scope: dict[str, Any] = {"I": LANGUAGE, "intent": SimpleNamespace(fn=lambda f: f, kernel=lambda f: f)}
    lines = [line for line in text.splitlines() if not line.startswith("import")]
    exec("\n".join(lines), scope)
    found = [0, 0, 0]
    scope["kernel"](found, first, second)
    return found


@pytest.mark.req("L53", "L56", "L57", "K39")
@pytest.mark.parametrize("seed", range(120))
def test_random_control_equals_python(seed: int, tmp_path: Path) -> None:
    text = ControlPrograms(seed).text()
    path = tmp_path / "control.py"
    path.write_text(text)
    kernel = verify(parse_kernel(path, "kernel").kernel)
    for first, second in START:
        o = np.zeros(3, np.int64)
        run(kernel, {"o": o, "first": first, "second": second})
        assert o.tolist() == python_result(text, first, second), text
