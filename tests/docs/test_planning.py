"""The worked examples of planning are what the product says, with the numbers that they are known by."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from intent2cuda.target.profile import profile_names

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "docs" / "planning"


@pytest.mark.req("P96")
def test_the_status_says_what_is_missing_and_what_is_tested_of_each_target() -> None:
    status = (PAGES / "README.md").read_text(encoding="utf-8").partition("## Status")[2]
    assert "version 0.0.0" in status and "experimental" in status
    missing = status.partition("Missing so far: ")[2]
    assert all(what in missing for what in ("routes and occupancy", "scheduler", "timelines"))
    assert re.findall(r"^\| (\S+) \| (?=plans are bound|every compiled)", status, re.MULTILINE) == list(profile_names())


def test_pages_are_up_to_date() -> None:
    command = [sys.executable, str(ROOT / "docs" / "make_planning.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.req("P13", "P14", "P32")
@pytest.mark.parametrize(
    ("page", "rows"),
    [
        ("softmax", ["| transc f32 | `M*N` |", "| fused, kept | 1 | `4*M*N` | `4*M*N` | `nothing` | `4*M*N` |"]),
        ("softmax", ["| statement by statement | 3 | `4*M*N; 4*M*N + 4*M; 4*M*N + 8*M` | `4*M; 4*M; 4*M*N` |"]),
        ("matmul", ["| fma f32 | `K*M*N` | 68,719,476,736 |", "| intensity | | 1365.5 |"]),
        ("attention", ["17,179,869,184", "134,217,728", "at most 4*B*H*K*Q", "ceildiv(K, g)"]),
        ("causal-attention", ["| transc f32 |", "67,141,632"]),
        ("ragged-mean", ["| add f32 | `D*data.offsets` | 64,000,000 |", "| bytes written | `4*D*G` | 2,560,000 |"]),
    ],
)
def test_numbers_of_the_examples(page: str, rows: list[str]) -> None:
    text = (PAGES / f"{page}.md").read_text(encoding="utf-8")
    assert not [row for row in rows if row not in text]
