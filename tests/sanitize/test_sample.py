"""Sanitizers find what they should in compiled kernels, and nothing in a sample of the conformance cases."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]


def under(sanitizer: str, script: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(HERE / "under.py"), sanitizer, sys.executable, str(script), *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=600)


@pytest.mark.parametrize(
    ("sanitizer", "fault", "words"),
    [
        ("address", "overrun", "heap-buffer-overflow"),
        ("address", "element", "use-after-poison"),
        ("address", "overflow", "signed integer overflow"),
        ("thread", "race", "data race"),
    ],
)
def test_planted_fault_is_found(sanitizer: str, fault: str, words: str, tmp_path: Path) -> None:
    done = under(sanitizer, HERE / "planted.py", str(tmp_path), fault)
    assert done.returncode != 0
    assert words in done.stderr and "planted.cpp" in done.stderr


@pytest.mark.parametrize("sanitizer", ["address", "thread"])
def test_ordered_threads_are_no_fault(sanitizer: str, tmp_path: Path) -> None:
    done = under(sanitizer, HERE / "planted.py", str(tmp_path), "ordered")
    assert done.returncode == 0, done.stderr[-4000:]


def test_memory_that_runs_out_ends_no_process() -> None:
    suite = ROOT / "tests" / "conformance" / "run.py"
    done = under("memory", suite, "--targets", "cpu", "--area", "contract", "--case", "matmul.nn[65")
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    assert "bad_alloc" in done.stdout and "\n0 passed, 0 failed" in done.stdout


@pytest.mark.parametrize(
    ("sanitizer", "area", "case"), [("address", "ragged", "offsets"), ("thread", "scan", "cummax")]
)
def test_cases_are_clean(sanitizer: str, area: str, case: str) -> None:
    suite = ROOT / "tests" / "conformance" / "run.py"
    done = under(sanitizer, suite, "--targets", "cpu", "--area", area, "--case", case)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    assert " 0 failed" in done.stdout and "\n0 passed" not in done.stdout
