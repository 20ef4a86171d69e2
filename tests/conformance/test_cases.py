"""The conformance cases that the language part covers: a few runs of the suite for each target."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from .scope import outside

HERE = Path(__file__).resolve().parent
AREAS = ("algorithms", "atomics", "buffers", "contract", "control", "domains", "dtypes", "helpers", "histogram",
         "indexing", "parallel", "pointwise", "quantized", "ragged", "random", "reduce", "region", "scaled", "scan",
         "shapes", "sparse")  # fmt: skip


def is_outside(area: str, target: str) -> bool:
    """Whether scope.toml names the whole area for a target."""
    return f"{area}/*" in (*outside("kernels"), *outside(target))


# Every kernel on cpu. The simulator is slow, and the interpreter runs all cases in test_checked.py: some for them, and
# all of them where there is time.
EVERY = {} if "INTENT2CUDA_TEST_EFFORT" in os.environ else {"cuda-sim": "15", "reference": "8"}
RUNS = {"cpu": 7, "cuda-sim": 3, "reference": 2}
SHARES = [
    (target, [area for area in AREAS if not is_outside(area, target)][first::runs])
    for target, runs in RUNS.items()
    for first in range(runs)
]


def everything_passes(target: str, *chosen: str) -> None:
    command = [sys.executable, str(HERE / "run.py"), "--targets", target, "--jobs", "1", *chosen]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=1500)
    failed = [row for row in done.stdout.splitlines() if row.split()[3:4] not in ([], ["pass"], ["skip"], ["verdict"])]
    assert done.returncode == 0, "\n".join(failed)[-6000:] + done.stderr[-2000:]
    assert " 0 failed" in done.stdout and not done.stdout.rstrip().splitlines()[-1].startswith("0 passed")


@pytest.mark.parametrize(("target", "areas"), SHARES, ids=str)
def test_areas(target: str, areas: list[str]) -> None:
    everything_passes(target, "--area", ",".join(areas), "--every", EVERY.get(target, "1"))


@pytest.mark.usefixtures("as_shipped")
def test_algorithms_as_users_get_them() -> None:
    everything_passes("cpu", "--area", "algorithms")


def test_no_area_is_forgotten() -> None:
    assert set(AREAS) == {p.name for p in (HERE / "cases").iterdir() if p.is_dir() and any(p.glob("[a-z]*.py"))}


def test_the_reference_covers_everything() -> None:
    assert not outside("kernels") and not outside("reference")
