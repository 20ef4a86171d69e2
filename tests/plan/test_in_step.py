"""Views that may be one memory: loops over single elements show it by themselves, however many views there are."""

from __future__ import annotations

from pathlib import Path

import pytest
from intent2cuda.ir.kernel import Kernel
from intent2cuda.parse import parse_kernel
from intent2cuda.plan import plan
from intent2cuda.plan.in_step import in_step
from intent2cuda.plan.structures import CANDIDATES, Structures

SOURCE = """
import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def at_once(x: I.In[I.f32, ("M", "N")], y: I.Out[I.f32, ("M", "N")], z: I.Out[I.f32, ("M", "N")]):
    value = I.exp(x[:, :])
    y[:, :] = value
    z[:, :] = value * 2.0


@intent.kernel
def read_again(x: I.In[I.f32, ("N",)], y: I.Out[I.f32, ("N",)], z: I.Out[I.f32, ("N",)]):
    for i in I.parallel(I.domain(0, x.shape[0])):
        y[i] = x[i] * 2.0
        z[i] = x[i] * 3.0


@intent.kernel
def by_points(x: I.In[I.f32, ("M", "N")], y: I.Out[I.f32, ("M", "N")]):
    for i, j in I.parallel((I.domain(0, x.shape[0]), I.domain(0, x.shape[1]))):
        y[i, j] = x[i, j] * 2.0


@intent.kernel
def backwards(x: I.In[I.f32, ("N",)], y: I.Out[I.f32, ("N",)]):
    for i in I.parallel(I.domain(0, x.shape[0])):
        y[i] = x[x.shape[0] - 1 - i] * 2.0


@intent.kernel
def by_rows(x: I.In[I.f32, ("M", "N")], y: I.Out[I.f32, ("M", "N")]):
    y[:, :] = x[:, :] - I.reduce.max(x[:, :], axis=1)[:, None]
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "views.py"
    path.write_text(SOURCE)
    return path


def may_be_one(kernel: Kernel, written: str, other: str) -> bool:
    views = {parameter.name: parameter for parameter in kernel.parameters}
    return in_step(Structures(kernel).open.of(CANDIDATES[0][2]), views[written], views[other])


@pytest.mark.parametrize(
    ("name", "written", "other", "expected"),
    [
        ("at_once", "y", "x", True),  # the value is taken before anything is stored
        ("at_once", "z", "x", True),
        ("by_points", "y", "x", True),
        ("backwards", "y", "x", False),  # another member reads the element
        ("by_rows", "y", "x", False),  # not a loop over single elements
    ],
)
def test_members_that_touch_one_element(file: Path, name: str, written: str, other: str, expected: bool) -> None:
    assert may_be_one(parse_kernel(file, name).kernel, written, other) is expected


def test_what_is_read_after_a_store_must_be_other_memory(file: Path) -> None:
    kernel = parse_kernel(file, "read_again").kernel
    assert not may_be_one(kernel, "y", "x") and may_be_one(kernel, "z", "x")


def test_many_views_do_not_become_disjoint(tmp_path: Path) -> None:
    """The rule does not depend on how many pairs there are."""
    count = 40
    inputs = ", ".join(f'x{n}: I.In[I.f32, ("N",)]' for n in range(count))
    total = " + ".join(f"x{n}[:]" for n in range(count))
    path = tmp_path / "sum.py"
    path.write_text(
        "import intent2cuda as intent\nimport intent2cuda.language as I\n\n\n@intent.kernel\n"
        f'def sum_all({inputs}, y: I.Out[I.f32, ("N",)]):\n    y[:] = {total}\n'
    )
    rules = plan(parse_kernel(path, "sum_all").kernel, "cpu").concrete.overlaps
    assert [rule.rule for rule in rules] == ["same_or_disjoint"] * count
