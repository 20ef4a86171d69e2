"""Calls whose extents do not agree: every target says the same, with parameters, axes, numbers and a line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import intent2cuda as intent

from .conftest import HEAD

KERNELS = """

@intent.kernel
def product(a: I.In[I.f32, ("M", "K")], b: I.In[I.f32, ("L", "N")], c: I.Out[I.f32, ("M", "N")]):
    c[:, :] = I.matmul(a[:, :], b[:, :], acc_dtype=I.f32)


@intent.kernel
def total(x: I.In[I.f32, ("M", "N")], y: I.Out[I.f32, ("M",)]):
    y[:] = I.reduce.sum(x[:, :], axis=0)


@intent.kernel
def added(x: I.In[I.f32, ("M",)], y: I.In[I.f32, ("K",)], z: I.Out[I.f32, ("M",)]):
    z[:] = x[:] + y[:]


@intent.kernel
def flat(x: I.In[I.f32, ("M", "N")], n: I.i32, y: I.Out[I.f32, ("K",)]):
    y[:] = I.reshape(x[:, :], (n,))
"""

TEXTS = {
    "product": "axis 1 of a (K) and axis 0 of b (L) must have the same extent, as paired axes of a product "
    "(kernels.py:7): 3 and 4",
    "total": "axis 1 of x (N) and axis 0 of x (M) must have the same extent, as `y` takes a value of its own extents "
    "(kernels.py:12): 3 and 2",
    "added": "axis 0 of y (K) must have extent 1 or that of axis 0 of x (M) (kernels.py:17): 2 and 4",
    "flat": "M*N (M: axis 0 of x, N: axis 1 of x) and n must be equal, as I.reshape keeps the number of elements "
    "(kernels.py:22): 6 and 5",
}


def zeros(*shape: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    return np.zeros(shape, np.float32)


ARGUMENTS: dict[str, Callable[[], tuple[object, ...]]] = {
    "product": lambda: (zeros(2, 3), zeros(4, 5), zeros(2, 5)),
    "total": lambda: (zeros(2, 3), zeros(2)),
    "added": lambda: (zeros(4), zeros(2), zeros(4)),
    "flat": lambda: (zeros(2, 3), 5, zeros(5)),
}


@pytest.mark.parametrize("target", ["reference", "cpu", "cuda-sim"])
def test_extents_that_only_a_call_knows(tmp_path: Path, target: str) -> None:
    path = tmp_path / "kernels.py"
    path.write_text(HEAD + KERNELS)
    for name, text in TEXTS.items():
        artifact = intent.compile(intent.load(f"{path}:{name}"), target)
        with pytest.raises(intent.ShapeError) as refused:
            artifact(*ARGUMENTS[name]())
        assert str(refused.value) == f"{name}: {text}"


def test_two_names_of_one_extent_are_noted(tmp_path: Path) -> None:
    """Names of axes that a kernel needs to be equal; that one may be 1, or is a scalar, is no reason for a note."""
    path = tmp_path / "kernels.py"
    path.write_text(HEAD + KERNELS)
    notes = {name: intent.compile(intent.load(f"{path}:{name}"), "reference").diagnostics for name in TEXTS}
    assert [len(found) for found in notes.values()] == [1, 1, 0, 0], notes
    (note,) = notes["product"]
    assert (note.code, note.severity.value, note.line, note.column) == ("kir.extent.two_names", "note", 7, 15)
    assert note.message == (
        "axis 1 of a (K) and axis 0 of b (L) are two names of one extent: a call in which they differ is refused"
    )
    assert note.help == "write one name for both in the signature, such as K"
