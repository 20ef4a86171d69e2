"""Every command on docs/vendoring.md works, and prints what stands below it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from intent2cuda.project import toolchain
from intent2cuda.project.errors import ToolchainError

PAGE = Path(__file__).resolve().parents[2] / "docs" / "vendoring.md"
BLOCK = re.compile(r"^```(\w+)(?: ([^\n]*))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def has_nvcc() -> bool:
    try:
        return bool(toolchain.nvcc())
    except ToolchainError:
        return False


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """The tools of this Python; what pip installs goes into a folder, built with what is here already."""
    return {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PIP_TARGET": str(tmp_path / "site"),
        "PIP_NO_BUILD_ISOLATION": "0",  # of an option that says no, 0 is yes
        "PIP_NO_DEPS": "1",
        "PYTHONPATH": str(tmp_path / "site"),
    }


def commands(text: str) -> Iterator[tuple[str, str]]:
    """Each command with the lines below it."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, printed = part.partition("\n")
        yield command, printed


def test_page(tmp_path: Path, environment: dict[str, str]) -> None:
    ran: list[str] = []
    for kind, words, body in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        if kind != "console":
            path = tmp_path / words
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(body, encoding="utf-8")
            continue
        if words == "nvcc" and not has_nvcc():
            continue
        for command, printed in commands(body):
            done = subprocess.run(
                ["sh", "-c", command], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, f"{command}\n{done.stdout[-3000:]}{done.stderr[-3000:]}"
            assert not printed or done.stdout == printed, command
            ran.append(command.split()[0])
    assert {"intent2cuda", "cmake", "g++", "pip", "python"} <= {*ran}
