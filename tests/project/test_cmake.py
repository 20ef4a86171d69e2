"""Building a project with its own CMakeLists.txt."""

from __future__ import annotations

from pathlib import Path

import pytest

from intent2cuda import ToolchainError
from intent2cuda.project.cmake import build_project, python_options

LISTS = """
cmake_minimum_required(VERSION 3.20)
project(two LANGUAGES CXX)
add_library(two SHARED a.cpp b.cpp)
target_compile_definitions(two PRIVATE A=${A})
"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "source"
    folder.mkdir()
    (folder / "CMakeLists.txt").write_text(LISTS)
    (folder / "a.cpp").write_text("int a() { return A; }")
    (folder / "b.cpp").write_text("int b() { return 2; }")
    return folder


def test_progress_and_product(source: Path, tmp_path: Path) -> None:
    steps: list[tuple[int, int, str]] = []
    build_project(source, tmp_path / "build", options={"A": "3"}, on_progress=lambda *step: steps.append(step))
    assert (tmp_path / "build" / "libtwo.so").is_file()
    assert steps[0] == (0, 0, "configure")
    assert steps[-1][:2] == (3, 3) and "libtwo.so" in steps[-1][2]


def test_a_failed_step_keeps_the_compilers_words(source: Path, tmp_path: Path) -> None:
    (source / "b.cpp").write_text("int b() { return nonsense; }")
    with pytest.raises(ToolchainError, match=r"b.cpp:1:18: error: .*nonsense"):
        build_project(source, tmp_path / "build", options={"A": "3"})


def test_missing_cmake(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("sys.executable", str(tmp_path / "python"))
    with pytest.raises(ToolchainError, match="cmake was not found"):
        build_project(source, tmp_path / "build")


def test_python_options() -> None:
    assert (Path(python_options()["pybind11_DIR"]) / "pybind11Config.cmake").is_file()
