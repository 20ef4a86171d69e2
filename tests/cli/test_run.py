"""`run`: a kernel is compiled and called on inputs given as text."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from .conftest import HEAD, Cli


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
        (["x=[1]", "x=[2]"], "`x` is given twice"),
        (["x=[1]", "--constexpr", "FACTOR=1", "--constexpr", "FACTOR=2"], "gives `FACTOR` twice"),
        (["x=[1"], "write @file.npy"),
        (["x=nothing.npy"], "write @file.npy"),
        (["x=random(-1)"], "write @file.npy"),
        (["x=[[1], [1, 2]]"], "cannot be read"),
        (["x=ones(99999999999,99999999999)"], "cannot be read"),
        (["x=@nothing.npy"], "cannot be read"),
        (["x=@empty.npy"], "it is no .npy file"),
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


def test_cuda_is_not_for_arrays_of_the_host(
    cli: Cli, one: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody is asked to install a compiler for a call that cannot be made."""
    monkeypatch.setattr("intent2cuda.project.toolchain.NVCC_PLACES", (str(tmp_path / "nvcc"),))
    said = cli("run", one, "x=[1]", "--target", "cuda")
    assert said.status == 2 and "error[cli.usage]" in said.err and "--target cuda-sim" in said.err


class TestSize:
    """Extents that no input fixes are given."""

    @pytest.fixture
    def steps(self, tmp_path: Path) -> Path:
        path = tmp_path / "steps.py"
        path.write_text(
            HEAD
            + '\n\n@intent.kernel\ndef steps(x: I.In[I.f32, ("K",)], y: I.Out[I.f32, ("N", "K")]):\n'
            + "    for i in I.parallel(I.domain(0, y.shape[0])):\n        y[i, :] = x[:] + I.cast(i, I.f32)\n"
        )
        return path

    @pytest.mark.parametrize("target", ["reference", "cpu"])
    def test_outputs_have_it(self, cli: Cli, steps: Path, target: str) -> None:
        said = cli("run", steps, "x=[1, 2]", "--size", "N=3", "--target", target, "--compare")
        assert said.status == 0, said.err
        assert "y: float32 [3, 2], 1 to 4" in said.out and "reference 0" in said.out
        assert "float32 [0, 2]" in cli("run", steps, "x=[1, 2]", "--size", "N=0", "--size", "K=2").out

    @pytest.mark.parametrize(
        ("sizes", "words"),
        [
            ([], "no input fixes the extent `N` of the output `y`\nhelp: say it: --size N=100"),
            (["K=2"], "say it: --size N=100"),
            (["N=3", "M=3"], "steps has no extent `M`\nhelp: its extents are: K, N"),
            (["N=3", "K=3"], "--size K=3, and the inputs make it 2"),
            (["N=3", "N=4"], "`N` is given twice"),
            (["N"], "--size is written NAME=N"),
            (["N=-1"], "--size is written NAME=N"),
            (["N=x"], "--size is written NAME=N"),
            (["N=99999999999999999999"], "--size is written NAME=N"),
            (["N=999999999999999999"], "no memory for the outputs"),
        ],
    )
    def test_others_are_refused(self, cli: Cli, steps: Path, sizes: list[str], words: str) -> None:
        options = [word for size in sizes for word in ("--size", size)]
        said = cli("run", steps, "x=[1, 2]", *options, "--target", "reference")
        assert said.status == 2 and words in said.err and "error[cli.usage]" in said.err
