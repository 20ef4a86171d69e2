"""`run`: a kernel is compiled and called on inputs given as text."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from .conftest import Cli


@pytest.fixture(autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INTENT2CUDA_CACHE_DIR", str(tmp_path_factory.getbasetemp() / "cache"))


@pytest.mark.parametrize("target", ["reference", "cpu"])
def test_outputs_are_described_saved_and_compared(cli: Cli, one: Path, tmp_path: Path, target: str) -> None:
    saved = tmp_path / "y.npy"
    said = cli("run", one, "x=[1, 2, 4]", "--target", target, "--save", f"y={saved}", "--compare")
    assert said.status == 0 and said.err == ""
    assert "y: float32 [3], 5 to 11" in said.out and "largest difference from the reference 0" in said.out
    np.testing.assert_array_equal(np.load(saved), np.float32([5, 7, 11]))


def test_json_and_inputs_from_files(cli: Cli, two: Path, tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.arange(6, dtype=np.float32).reshape(2, 3))
    said = cli("run", f"{two}:total", f"x=@{tmp_path / 'x.npy'}", "--target", "reference", "--json")
    assert said.status == 0
    assert said.json["outputs"] == {"sums": {"summary": "float32 [2], 3 to 12, mean 7.5"}}


def test_constexpr(cli: Cli, one: Path) -> None:
    said = cli("run", one, "--target", "reference", "x=[1]", "--constexpr", "FACTOR=10")  # inputs stand anywhere
    assert "25 to 25" in said.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["x"], "NAME=VALUE"),
        ([], "x=random(8)"),
        (["x=[1]", "z=[1]"], "no input `z`"),
        (["x=[1"], "write @file.npy"),
        (["x=nothing.npy"], "write @file.npy"),
        (["x=random(-1)"], "write @file.npy"),
        (["x=[[1], [1, 2]]"], "cannot be read"),
        (["x=ones(99999999999,99999999999)"], "cannot be read"),
        (["x=@nothing.npy"], "cannot be read"),
        (["x=@empty.npy"], "cannot be read"),
        (["x=" + "[" * 100_000], "cannot be read"),
        (["x=[[1, 2]]"], "takes rank 1"),
        (["x=[1]", "--save", "x=a.npy"], "no output `x`"),
        (["x=[1]", "--save", "y"], "NAME=FILE.npy"),
        (["x=[1]", "--save", "y=no/such/folder/y.npy"], "No such file"),
    ],
)
def test_bad_arguments(
    cli: Cli, one: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty.npy").write_bytes(b"")
    said = cli("run", one, *arguments, "--target", "reference")
    assert said.status == 2 and words in said.err and "error[" in said.err and "Traceback" not in said.err


def test_one_kernel_at_a_time(cli: Cli, two: Path) -> None:
    said = cli("run", two, "x=[1]")
    assert said.status == 2 and f"name one: {two}:scaled" in said.err


def test_cuda_without_a_compiler(cli: Cli, one: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("intent2cuda.project.toolchain.NVCC_PLACES", (str(tmp_path / "nvcc"),))
    said = cli("run", one, "x=[1]", "--target", "cuda")
    assert said.status == 2 and "error[toolchain.missing]" in said.err and "nvcc" in said.err and "cuda-sim" in said.err
