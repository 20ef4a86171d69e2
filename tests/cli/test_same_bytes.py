"""What is emitted depends on the source and the request only: not on hash seeds, folders or processes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import tree

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SEEDS = ("0", "1", "4242")


def emit(folder: Path, name: str, target: str, seed: str) -> dict[str, bytes]:
    """Every file that a process of its own emits in a folder; it stands elsewhere in every folder."""
    words = [sys.executable, "-P", "-m", "intent2cuda", "emit", f"{name}/kernel.py", "--target", target, "-o", "out"]
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    found = tree(folder / "out")
    shutil.rmtree(folder / "out")
    return found


@pytest.mark.req("S5")
@pytest.mark.parametrize(("name", "target"), [("02_photo", "cpu"), ("04_softmax", "cuda"), ("07_digits", "cpu")])
def test_seeds_folders_and_processes(tmp_path: Path, name: str, target: str) -> None:
    found: list[dict[str, bytes]] = []
    for number, seed in enumerate(SEEDS):
        folder = tmp_path / f"{'deep/' * number}place{number}"
        shutil.copytree(EXAMPLES / name, folder / name, ignore=shutil.ignore_patterns("emitted"))
        (folder / "pyproject.toml").write_text("")
        found.append(emit(folder, name, target, seed))
    assert {"MANIFEST.json", "diagnostics/lineage.json", "diagnostics/plan.json"} <= set(found[0])
    for other in found[1:]:
        assert other == found[0]
    text = b"".join(found[0].values())
    assert str(tmp_path).encode() not in text and str(EXAMPLES).encode() not in text
