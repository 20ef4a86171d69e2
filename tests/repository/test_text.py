"""The repository speaks of the product alone, and its version stands in one place."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

from intent2cuda.version import VERSION

ROOT = Path(__file__).resolve().parents[2]
FOREIGN = re.compile(r"/ro[o]t/|/tm[p]/tea|pypi[.]o[r]g|debian[.]o[r]g|npmj[s][.]o[r]g|pythonhoste[d]")


def tracked() -> list[Path]:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False).stdout.split(
        "\n"
    )
    return [ROOT / name for name in listed if name and (ROOT / name).is_file()]


def test_no_path_of_a_machine_and_no_registry() -> None:
    found = [
        p.relative_to(ROOT).as_posix()
        for p in tracked()
        if p.suffix not in (".png", ".jpg") and FOREIGN.search(p.read_text(encoding="utf-8", errors="replace"))
    ]
    assert not found


def test_version_is_the_same_everywhere() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["version"] == VERSION
    assert f"## {VERSION}" in (ROOT / "CHANGELOG.md").read_text()
