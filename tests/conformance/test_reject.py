"""Programs that must be refused, with their legal twins, by topic; and sources that are hardly programs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent / "reject"
FOLDERS = sorted({path.parent.name for path in HERE.glob("*/*.py")} - {"malformed"})
SHARES = (["malformed"], FOLDERS[::2], FOLDERS[1::2])  # each process reads the whole catalogue


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(HERE / "run_reject.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=1500)


@pytest.mark.parametrize("topics", SHARES, ids=" ".join)
def test_topics(topics: list[str]) -> None:
    # The emission of accepted sources with hostile names and texts is tested in tests/run and by the heavy checks.
    done = run(*(f"{topic}/" for topic in topics), "--jobs", "1", "--no-emit")
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    judged = {line.split()[0] for line in done.stdout.splitlines() if len(line.split()) == 3}
    assert judged >= {*topics}


def test_the_catalogue_is_well_formed() -> None:
    done = run("--check")
    assert done.returncode == 0, done.stdout
