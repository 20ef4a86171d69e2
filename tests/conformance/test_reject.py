"""Programs that must be refused, with their legal twins, by topic; and sources that are hardly programs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent / "reject"
TOPICS = ("buffers", "constexpr", "contract", "control", "domains", "gather", "helpers", "malformed", "multi", "names",
          "parallel", "python", "reduce", "removed", "shapes", "signature", "target", "types", "views")  # fmt: skip


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(HERE / "run_reject.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=1500)


@pytest.mark.parametrize("topic", TOPICS)
def test_topic(topic: str) -> None:
    # The emission of accepted sources with hostile names and texts is tested in tests/run and by the heavy checks.
    done = run(f"{topic}/", "--jobs", "1", "--no-emit")
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert not done.stdout.rstrip().splitlines()[-1].startswith("0 passed")


def test_the_catalogue_is_well_formed() -> None:
    done = run("--check")
    assert done.returncode == 0, done.stdout
