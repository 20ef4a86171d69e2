"""Writing projects into folders: all or nothing, only what differs, nobody's edits."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from intent2cuda import ProjectError
from intent2cuda.base.diagnostics import InternalError
from intent2cuda.base.files import MANIFEST
from intent2cuda.project.tree import lay_out, write_tree

Tree = Callable[[Mapping[str, str]], dict[str, str]]


def contents(folder: Path) -> dict[str, str]:
    return {p.relative_to(folder).as_posix(): p.read_text() for p in folder.rglob("*") if p.is_file()}


def test_a_new_folder(tmp_path: Path, tree: Tree) -> None:
    files = tree({"src/a.cpp": "a", "include/p/p.hpp": "p"})
    written = write_tree(tmp_path / "out" / "deep", files)
    assert contents(tmp_path / "out") == {f"deep/{path}": text for path, text in files.items()}
    assert written.written == ("MANIFEST.json", "include/p/p.hpp", "src/a.cpp")


def test_only_what_differs_is_written(tmp_path: Path, tree: Tree) -> None:
    write_tree(tmp_path, tree({"a": "1", "b": "1"}))
    stamp = (tmp_path / "a").stat().st_mtime_ns
    written = write_tree(tmp_path, tree({"a": "1", "b": "2"}))
    assert written.written == ("MANIFEST.json", "b") and written.unchanged == ("a",)
    assert (tmp_path / "a").stat().st_mtime_ns == stamp
    assert contents(tmp_path) == tree({"a": "1", "b": "2"})
    assert write_tree(tmp_path, tree({"a": "1", "b": "2"})).written == ()


def test_edited_files_are_kept(tmp_path: Path, tree: Tree) -> None:
    write_tree(tmp_path, tree({"a": "1", "b": "1"}))
    (tmp_path / "b").write_text("mine")
    with pytest.raises(ProjectError, match="not as it was emitted: b") as caught:
        write_tree(tmp_path, tree({"a": "2", "b": "2"}))
    assert caught.value.code == "project.edited"
    assert contents(tmp_path) == {**tree({"a": "1", "b": "1"}), "b": "mine"}
    write_tree(tmp_path, tree({"a": "2", "b": "2"}), force=True)
    assert contents(tmp_path) == tree({"a": "2", "b": "2"})


@pytest.mark.parametrize("other", [{"project": "q", "target": "cpu"}, {"project": "p", "target": "cuda"}])
def test_another_project_is_kept(tmp_path: Path, tree: Tree, other: dict[str, str]) -> None:
    def project(text: str, **named: str) -> dict[str, str]:
        files = tree({"a": text})
        return {**files, MANIFEST: json.dumps({**json.loads(files[MANIFEST]), **named})}

    first, second = project("1", project="p", target="cpu"), project("2", **other)
    write_tree(tmp_path, first)
    with pytest.raises(ProjectError, match="holds the project `p` for cpu") as caught:
        write_tree(tmp_path, second)
    assert caught.value.code == "project.other" and "name p and target cpu" in caught.value.diagnostics[0].help
    assert contents(tmp_path) == first
    write_tree(tmp_path, second, force=True)
    assert contents(tmp_path) == second


def test_files_that_were_never_emitted_are_kept(tmp_path: Path, tree: Tree) -> None:
    (tmp_path / "a").write_text("mine")
    (tmp_path / "notes").write_text("mine too")
    with pytest.raises(ProjectError):
        write_tree(tmp_path, tree({"a": "1"}))
    write_tree(tmp_path, tree({"a": "1"}), force=True)
    assert contents(tmp_path) == {**tree({"a": "1"}), "notes": "mine too"}


def test_orphans_go_unless_they_were_edited(tmp_path: Path, tree: Tree) -> None:
    write_tree(tmp_path, tree({"a": "1", "old/b": "1", "old/c": "1"}))
    (tmp_path / "old" / "c").write_text("edited")
    assert write_tree(tmp_path, tree({"a": "1"})).removed == ("old/b",)
    assert contents(tmp_path) == {**tree({"a": "1"}), "old/c": "edited"}


def test_a_failure_changes_nothing(tmp_path: Path, tree: Tree) -> None:
    before = tree({"a": "1", "b": "1", "c": "1"})
    write_tree(tmp_path, before)
    (tmp_path / "b").unlink()
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "in the way").write_text("")
    with pytest.raises(ProjectError, match=r"cannot be written here: .*directory"):
        write_tree(tmp_path, tree({"a": "2", "b": "2", "c": "2"}), force=True)
    (tmp_path / "b" / "in the way").unlink()
    assert contents(tmp_path) == {path: text for path, text in before.items() if path != "b"}
    with pytest.raises(ProjectError, match="File exists"):
        write_tree(tmp_path / "new", {"a": "1", "a/b": "1"})
    assert sorted(p.name for p in tmp_path.iterdir()) == ["MANIFEST.json", "a", "b", "c"]


def test_a_place_that_is_no_folder(tmp_path: Path, tree: Tree) -> None:
    (tmp_path / "file").write_text("mine")
    for place in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(ProjectError, match="the project cannot be written here") as caught:
            write_tree(place, tree({"a": "1"}))
        assert caught.value.code == "project.unwritable" and str(place) in str(caught.value)
    assert contents(tmp_path) == {"file": "mine"}


@pytest.mark.parametrize("path", ["/etc/x", "../x", "a/../../x", ""])
def test_paths_that_lead_out(tmp_path: Path, path: str) -> None:
    with pytest.raises(InternalError):
        lay_out(tmp_path, {path: ""})
    with pytest.raises(InternalError):
        write_tree(tmp_path / "out", {path: ""})


@pytest.mark.parametrize("text", ["", "[]", '{"files": 3}', '{"files": {"a": 3}}', "\x00"])
def test_a_manifest_that_cannot_be_read_protects_everything(tmp_path: Path, tree: Tree, text: str) -> None:
    (tmp_path / "MANIFEST.json").write_text(text)
    (tmp_path / "a").write_text("1")
    with pytest.raises(ProjectError):
        write_tree(tmp_path, tree({"a": "2"}))
