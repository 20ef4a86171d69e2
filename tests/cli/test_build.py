"""`build`: the project's own CMake makes the libraries, wherever the folder is."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Cli, tree


def test_library_in_a_folder_with_an_awkward_name(
    cli: Cli, one: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    said = cli("build", one, "-o", "../two words", "--no-python", "--json")
    assert said.status == 0, said.out + said.err
    assert said.json["products"] == ["build/libscaled.a"]
    assert (tmp_path / "two words" / "build" / "libscaled.a").is_file()
    assert not tree(tmp_path / "elsewhere")
    assert cli("check", one, "-o", "../two words").status == 0
    again = cli("build", one, "-o", "../two words", "--no-python")
    assert (again.status, again.out) == (0, "../two words/build/libscaled.a\n")


def test_compiler_that_fails(cli: Cli, one: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = tmp_path / "broken-compiler"
    broken.write_text("#!/bin/sh\necho 'no space left'\nexit 3\n")
    broken.chmod(0o755)
    monkeypatch.setenv("CXX", str(broken))
    said = cli("build", one, "-o", tmp_path / "out", "--no-python")
    assert said.status == 2 and "error[toolchain." in said.err and "Traceback" not in said.err


def test_targets_without_a_library(cli: Cli, one: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("intent2cuda.project.toolchain.NVCC_PLACES", (str(tmp_path / "nvcc"),))
    for target, code in (("cuda-sim", "cli.usage"), ("reference", "cli.usage"), ("cuda", "toolchain.missing")):
        said = cli("build", one, "-o", tmp_path / "out", "--target", target)
        assert said.status == 2 and f"error[{code}]" in said.err
    assert not (tmp_path / "out").exists()


def test_a_folder_is_needed(cli: Cli, one: Path) -> None:
    assert cli("build", one).status == 2
