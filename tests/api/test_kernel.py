"""Kernels as objects: importing them is harmless, calling them is refused, their place is known."""

from __future__ import annotations

from pathlib import Path

import pytest

import intent2cuda as intent


@intent.kernel
def bare(x, y):
    """Twice a vector."""
    raise AssertionError("a kernel never runs as Python")


@intent.kernel()
def called(x, y):
    raise AssertionError("a kernel never runs as Python")


@intent.fn
def helper(x):
    raise AssertionError("a helper never runs as Python")


@pytest.mark.parametrize(("kernel", "name"), [(bare, "bare"), (called, "called")])
def test_decorated_functions_know_their_place(kernel: intent.Kernel, name: str) -> None:
    assert kernel.name == kernel.__name__ == name
    assert kernel.path == Path(__file__)
    assert Path(__file__).read_text().splitlines()[kernel.line - 1].startswith("@intent.kernel")
    assert kernel.function is not None


def test_documentation_is_kept() -> None:
    assert bare.__doc__ == "Twice a vector."


def test_calls_are_refused() -> None:
    with pytest.raises(intent.ArgumentError, match=r"bare is a kernel: compile it first, intent.compile\(bare, "):
        bare(1, y=2)
    with pytest.raises(intent.ArgumentError, match="helper is a helper of kernels; only a kernel can call it"):
        helper(1)


def test_load_reads_nothing(tmp_path: Path) -> None:
    path = tmp_path / "k.py"
    path.write_text("raise SystemExit\n")
    kernel = intent.load(f"{path}:softmax")
    assert (kernel.path, kernel.name, kernel.function) == (path, "softmax", None)


@pytest.mark.parametrize("place", ["", "k.py", "k.py:", ":softmax", "k.py:not a name", "k.py:1"])
def test_places_that_are_none(place: str) -> None:
    with pytest.raises(intent.IntentError, match="names no kernel"):
        intent.load(place)


def test_a_place_that_is_no_text() -> None:
    with pytest.raises(intent.ArgumentError, match=r"a kernel's place is a text, path/file.py:name; it is 5"):
        intent.load(5)


def test_a_file_that_is_missing(tmp_path: Path) -> None:
    with pytest.raises(intent.IntentError, match="there is no file"):
        intent.load(f"{tmp_path}/none.py:softmax")
