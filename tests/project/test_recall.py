"""Emitted projects are recalled only while nothing that they depend on has changed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from intent2cuda.project.cache import Cache
from intent2cuda.project.emitted import EmittedProject
from intent2cuda.project.recall import recall, remember

REQUEST = {"kernels": [["k.py", "saxpy"]], "constexprs": []}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "k.py"
    path.write_text("text of the kernel")
    return path


@pytest.fixture
def project(saxpy: Callable[..., EmittedProject], cache: Cache, source: Path) -> EmittedProject:
    """A project that was remembered."""
    made = saxpy()
    assert recall(cache, REQUEST) is None
    remember(cache, REQUEST, [source], made)
    return made


def test_the_same_project_comes_back(project: EmittedProject, cache: Cache) -> None:
    assert recall(cache, REQUEST) == project
    assert recall(cache, {**REQUEST, "constexprs": [["N", "int", "3"]]}) is None


def test_an_edited_source(project: EmittedProject, cache: Cache, source: Path) -> None:
    source.write_text("another text")
    assert recall(cache, REQUEST) is None
    remember(cache, REQUEST, [source], project)
    assert recall(cache, REQUEST) == project
    source.unlink()
    assert recall(cache, REQUEST) is None


@pytest.mark.parametrize("name", ["include/intent/view.hpp", "package.py"])
def test_an_edited_package(
    saxpy: Callable[..., EmittedProject],
    cache: Cache,
    source: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
) -> None:
    runtime = tmp_path / "runtime"
    edited = runtime / name
    edited.parent.mkdir(parents=True)
    edited.write_text("before")
    monkeypatch.setattr("intent2cuda.project.recall.runtime_directory", lambda: runtime)
    remember(cache, REQUEST, [source], saxpy())
    assert recall(cache, REQUEST) is not None
    edited.write_text("afterwards")
    assert recall(cache, REQUEST) is None


def test_a_damaged_entry(project: EmittedProject, cache: Cache) -> None:
    (entry,) = cache.entries()
    (entry / "files" / "src" / "saxpy.cpp").write_text("int other;")
    assert recall(cache, REQUEST) is None
