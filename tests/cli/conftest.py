"""Running the command line inside the tests, on small kernel files of their own."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from intent2cuda.cli.main import main

HEAD = "import intent2cuda as intent\nimport intent2cuda.language as I\n"

SCALED = """
OFFSET = 1.5


@intent.fn
def moved(x):
    return x + OFFSET


@intent.kernel
def scaled(x: I.In[I.f32, ("N",)], y: I.Out[I.f32, ("N",)], FACTOR: I.Constexpr[int] = 2):
    \"\"\"y = FACTOR * (x + offset).\"\"\"
    y[:] = moved(x[:]) * I.cast(FACTOR, I.f32)
"""

TOTAL = """

@intent.kernel
def total(x: I.In[I.f32, ("M", "N")], sums: I.Out[I.f32, ("M",)]):
    for m in I.parallel(I.domain(0, x.shape[0])):
        sums[m] = I.reduce.sum(x[m, :], axis=0)
"""


@dataclass(frozen=True)
class Said:
    """What a command did: its exit status and what it printed."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Cli = Callable[..., Said]


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Cli:
    """Runs one command."""

    def run(*arguments: object) -> Said:
        capsys.readouterr()
        try:
            status = main([str(a) for a in arguments])
        except SystemExit as stop:  # argparse
            status = int(stop.code or 0)
        return Said(status, *capsys.readouterr())

    return run


@pytest.fixture
def one(tmp_path: Path) -> Path:
    """A file with one kernel."""
    path = tmp_path / "scaled.py"
    path.write_text(HEAD + SCALED)
    return path


@pytest.fixture
def two(tmp_path: Path) -> Path:
    """A file with two kernels."""
    path = tmp_path / "pair.py"
    path.write_text(HEAD + SCALED + TOTAL)
    return path


def tree(folder: Path) -> dict[str, bytes]:
    """Every file below a folder."""
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}
