"""Committed emitted projects are what the examples give now, and build by themselves without a warning."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from intent2cuda.cli.main import main
from intent2cuda.project import toolchain
from intent2cuda.project.cmake import build_project, python_options
from intent2cuda.project.errors import ToolchainError

ROOT = Path(__file__).resolve().parents[2]
PROJECTS = sorted(p.parent for p in ROOT.glob("examples/*/emitted/*/MANIFEST.json"))
THOROUGH = "INTENT2CUDA_TEST_EFFORT" in os.environ
WARNINGS = "-Wall -Wextra -Wconversion -Werror"


def shown(path: Path) -> str:
    return "/".join(path.relative_to(ROOT / "examples").parts)


def of(target: str) -> list[Path]:
    return [p for p in PROJECTS if p.name == target]


@pytest.mark.parametrize("project", PROJECTS, ids=shown)
def test_project_is_up_to_date(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(project.parents[1] / "kernel.py"), "-o", str(project)]) == 0, capsys.readouterr().out


@pytest.mark.parametrize("project", of("cpu") if THOROUGH else of("cpu")[::4], ids=shown)
def test_cpu_project_builds_without_a_warning(project: Path, tmp_path: Path) -> None:
    name = json.loads((project / "MANIFEST.json").read_text())["project"]
    options = {f"{name.upper()}_PYTHON": "OFF", "CMAKE_CXX_FLAGS": WARNINGS}
    if not THOROUGH:
        options["CMAKE_CXX_FLAGS_RELEASE"] = "-O1"
    shutil.copytree(project, tmp_path / "project")
    build_project(tmp_path / "project", tmp_path / "build", options=options)
    assert (tmp_path / "build" / f"lib{name}.a").is_file()


def test_python_module_of_a_project_works(tmp_path: Path) -> None:
    project = ROOT / "examples" / "04_softmax" / "emitted" / "cpu"
    shutil.copytree(project, tmp_path / "project")
    build_project(tmp_path / "project", tmp_path / "build", options=python_options())
    script = (
        "import numpy as np, softmax\n"
        "x = np.random.default_rng(0).standard_normal((7, 33)).astype(np.float32)\n"
        "y = np.empty_like(x)\n"
        "softmax.softmax(x, y)\n"
        "e = np.exp(x - x.max(1, keepdims=True))\n"
        "assert np.allclose(y, e / e.sum(1, keepdims=True), rtol=1e-5)\n"
        "try:\n"
        "    softmax.softmax(x, y[:, :5])\n"
        "except ValueError as error:\n"
        "    assert 'y' in str(error)\n"
        "else:\n"
        "    raise AssertionError('a wrong shape was accepted')\n"
    )
    python = python_options()["Python_EXECUTABLE"]
    done = subprocess.run([python, "-c", script], cwd=tmp_path / "build", capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("project", of("cuda") if THOROUGH else of("cuda")[::3], ids=shown)
def test_cuda_project_compiles_without_warnings_or_spills(project: Path, tmp_path: Path) -> None:
    try:
        nvcc = str(toolchain.nvcc().path)
    except ToolchainError:
        pytest.skip("nvcc is not on this machine")
    for source in sorted((project / "src").glob("*.cu")):
        flags = ["-std=c++17", "-O3", "-Werror", "all-warnings", f"-Xcompiler={WARNINGS.replace(' ', ',')}"]
        codes = [f"-gencode=arch=compute_{a},code=sm_{a}" for a in (("80", "90a") if THOROUGH else ("80",))]
        command = [nvcc, *flags, *codes, "-Xptxas", "-v", "-I", str(project / "include"), "-c", str(source)]
        done = subprocess.run(
            [*command, "-o", str(tmp_path / "k.o")], capture_output=True, text=True, check=False, timeout=300
        )
        assert done.returncode == 0, done.stderr[-4000:]
        spills = [line for line in done.stderr.splitlines() if "spill" in line and " 0 bytes spill stores" not in line]
        assert not spills
