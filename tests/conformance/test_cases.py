"""The conformance cases that the language part covers, by area and target: one run of the suite each."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
AREAS = ("algorithms", "buffers", "contract", "control", "domains", "dtypes", "helpers", "indexing", "parallel",
         "pointwise", "ragged", "reduce", "shapes")  # fmt: skip
TARGETS = ("reference", "cpu", "cuda-sim")


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("area", AREAS)
def test_area(area: str, target: str) -> None:
    command = [sys.executable, str(HERE / "run.py"), "--targets", target, "--area", area, "--jobs", "1"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=1500)
    failed = [row for row in done.stdout.splitlines() if row.split()[3:4] not in ([], ["pass"], ["skip"], ["verdict"])]
    assert done.returncode == 0, "\n".join(failed)[-6000:] + done.stderr[-2000:]
    assert " 0 failed" in done.stdout and not done.stdout.rstrip().splitlines()[-1].startswith("0 passed")


def test_no_area_is_forgotten() -> None:
    """What is neither run here nor named as unsupported would be lost."""
    folders = {p.name for p in (HERE / "cases").iterdir() if p.is_dir() and any(p.glob("[a-z]*.py"))}
    listed = (HERE / "scope.toml").read_text(encoding="utf-8")
    assert {area for area in folders if f'"{area}/*"' not in listed} == set(AREAS)
