"""Checked builds find what checked runs of the interpreter find, and change nothing where the rules are kept."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import intent2cuda as intent

FILE = Path(__file__).resolve().parent / "kernels.py"
T5 = np.arange(5, dtype=np.float32)
T52 = np.arange(10, dtype=np.float32).reshape(5, 2)
FAR = 1 << 41
Z5, Z3, Z2 = (np.zeros(n, np.float32) for n in (5, 3, 2))


def ints(*values: int) -> Any:
    return np.array(values, np.int32)


LEGAL = [
    ("lookup", (T5, ints(0, 4, 2), Z3)),
    ("rows", (T52, np.array([0, 4, 2]), np.zeros((3, 2), np.float32))),
    ("segment_sum", (T5, ints(0, 2, 5), Z2)),
    ("segment_copy", (T5, ints(0, 2, 2, 5), Z5)),
    ("scatter_add", (T52, ints(0, 1, 1, 0, 2), np.zeros((3, 2), np.float32))),
    ("counts", (ints(0, 1, 1, -7, 2), np.zeros(3, np.int32))),
    ("place", (T5, ints(0, 1, 3, 4, 2), Z5)),
    ("permute", (T5, ints(0, 1, 3, 4, 2), Z5)),
    ("product_rows", (T52[:3], T52[:2], np.array(1, np.int32), np.zeros((2, 3, 2), np.float32))),
    ("half", (T5, np.array(5, np.int32), Z5, Z5)),
    ("buffered", (T5, ints(0, 2, 0, 2, 0), Z5)),
    ("spread", (T5, ints(0, 99), np.zeros((2, 0), np.float32))),
    ("promised", (T5, ints(0, 4, 2), Z3)),
    ("product_of_rows", (T52, np.ones((2, 3), np.float32), np.array([0, 4]), np.zeros((2, 3), np.float32))),
    ("product_of_rows", (T52[:, :0], np.ones((0, 3), np.float32), np.array([0, 9]), np.ones((2, 3), np.float32))),
    ("outer", (T5, Z3, ints(0, 4), np.zeros((2, 3), np.float32))),
    ("shifted", (T5, np.array(4, np.int32), Z3)),
    ("slice_sums", (T5, np.array([0, 2, 5]), Z2)),
    ("slice_copies", (T5, np.array([0, 2, 4]), Z5)),
    ("ordered_sums", (T5, np.array([0, 2, 5]), Z2)),
    ("chains", (ints(1, 2, -1, 0, -5), np.zeros(5, np.int32))),
    ("chosen", (T52, ints(0, 1, 0, 1, 0), Z5)),
    ("every", (T5, np.array(2), Z2)),
    ("every", (T5[:0], np.array(-3), Z2)),
    ("every_pair", (T52, np.array(1), np.array(5), np.zeros((5, 2), np.float32))),
    ("every_pair", (T52[:, :0], np.array(-9), np.array(99), np.zeros((5, 0), np.float32))),
    ("every_guarded", (T5, np.array(99), Z5)),
]
BROKEN = [
    ("promised", (T5, ints(0, 5, 2), Z3), intent.PromiseError, "position 5 is outside axis 0 of table, which has 5"),
    ("spread", (T5, ints(0, 99), np.zeros((2, 3), np.float32)), intent.BoundsError, "position 99 is outside axis 0"),
    ("lookup", (T5, ints(0, -1, 2), Z3), intent.BoundsError, "position -1 is outside axis 0 of table, which has 5"),
    ("lookup", (T5, ints(0, 5, 2), Z3), intent.BoundsError, "position 5 is outside axis 0 of table, which has 5"),
    ("lookup", (T5[:0], ints(0), Z3[:1]), intent.BoundsError, "position 0 is outside axis 0 of table, which has 0"),
    ("rows", (T52, np.array([0, 9]), np.zeros((2, 2), np.float32)), intent.BoundsError, "position 9 is outside axis 0"),
    ("segment_sum", (T5, ints(0, 2, 6), Z2), intent.RegionError, "part 2:6 does not lie inside the domain 0:5"),
    ("segment_sum", (T5, ints(0, 2, 1), Z2), intent.RegionError, "part 2:1 does not lie inside the domain 0:5"),
    ("segment_copy", (T5, ints(0, 3, 2, 5), Z5), intent.RegionError, "part 3:2 does not lie inside the domain 0:5"),
    ("segment_copy", (T5[:0], ints(0, -1), Z5[:0]), intent.RegionError, "part 0:-1 does not lie inside the domain 0:0"),
    ("scatter_add", (T52, ints(0, 1, 1, 0, 3), np.zeros((3, 2), np.float32)), intent.BoundsError, "position 3 is"),
    ("counts", (ints(0, 1, -2), np.zeros(3, np.int32)), intent.BoundsError, "value -2 has none of the 3 bins"),
    ("place", (T5, ints(0, 1, 3, 4, 12), Z5), intent.BoundsError, "position 12 is outside axis 0 of y, which has 5"),
    ("place", (T5, ints(0, 1, 3, 3, 2), Z5), intent.RaceError, "a point writes y[3], which another point"),
    ("permute", (T5, ints(0, 1, 3, 0, 2), Z5), intent.DuplicateError, "y[0] is written twice by one statement"),
    (
        "product_rows",
        (T52[:3], T52[:2], np.array(2, np.int32), np.zeros((2, 3, 2), np.float32)),
        intent.BoundsError,
        "position 2 is outside axis 0 of y, which has 2",
    ),
    ("half", (T5, np.array(4, np.int32), Z5, Z5), intent.UninitialisedError, "y[4] is read before it is written"),
    ("buffered", (T5, ints(0, 2, 3, 2, 0), Z5), intent.UninitialisedError, "state[3] is read before it is written"),
    # Nothing is computed from what is read, and yet it is read.
    (
        "product_of_rows",
        (T52, np.ones((2, 0), np.float32), np.array([0, 9]), np.zeros((2, 0), np.float32)),
        intent.BoundsError,
        "position 9 is outside axis 0 of a, which has 5",
    ),
    ("outer", (T5, Z5[:0], ints(0, -2), np.zeros((2, 0), np.float32)), intent.BoundsError, "position -2 is outside"),
    ("shifted", (T5, np.array(5, np.int32), Z5[:0]), intent.BoundsError, "position 5 is outside axis 0 of a"),
    ("slice_sums", (T5, np.array([0, 2, 6]), Z2), intent.BoundsError, "position 5 is outside axis 0 of x, which has 5"),
    ("slice_copies", (T5, np.array([-1, 2]), Z5), intent.BoundsError, "position -1 is outside axis 0 of y"),
    ("ordered_sums", (T5, np.array([0, 2, 6]), Z2), intent.BoundsError, "position 5 is outside axis 0 of x"),
    ("chains", (ints(1, 2, 7, 0, -5), np.zeros(5, np.int32)), intent.BoundsError, "position 7 is outside axis 0 of"),
    ("chosen", (T52, ints(0, 1, 2, 1, 0), Z5), intent.BoundsError, "position 2 is outside axis 1 of x, which has 2"),
    (
        "chosen_twice",
        (np.zeros((2, 4, 3), np.float32), ints(0, 3), Z2),
        intent.BoundsError,
        "position 3 is outside axis 2 of x, which has 3",
    ),
    ("every", (T5, np.array(3), Z3), intent.BoundsError, "position 5 is outside axis 0 of x, which has 5"),
]


def call(name: str, target: str, arguments: tuple[Any, ...], checked: bool = True) -> list[Any]:
    copies = [np.array(value) for value in arguments]
    intent.compile(intent.load(f"{FILE}:{name}"), target, checked=checked)(*copies)
    return copies


@pytest.mark.parametrize(("name", "arguments"), LEGAL, ids=[name for name, _ in LEGAL])
def test_legal_calls_give_what_unchecked_ones_give(name: str, arguments: tuple[Any, ...]) -> None:
    for found, wanted in zip(call(name, "cpu", arguments), call(name, "cpu", arguments, checked=False), strict=True):
        np.testing.assert_array_equal(found, wanted)


@pytest.mark.req("L7", "L9")
@pytest.mark.parametrize(("name", "arguments", "error", "text"), BROKEN)
def test_both_targets_say_the_same_of_a_broken_rule(
    name: str, arguments: tuple[Any, ...], error: type[intent.CheckError], text: str
) -> None:
    said: list[str] = []
    for target in ("reference", "cpu"):
        with pytest.raises(error) as raised:
            call(name, target, arguments)
        assert type(raised.value) is error
        said.append(str(raised.value))
    assert said[0] == said[1] and text in said[0] and f"{name}: kernels.py:" in said[0]


FAR_BROKEN = [
    ("slice_sums", (T5, np.array([0, 2, FAR]), Z2)),
    ("slice_copies", (T5, np.array([-FAR, 2]), Z5)),
    ("ordered_sums", (T5, np.array([0, 2, FAR]), Z2)),
    ("chains", (ints(9, -1, -1, -1, -1), np.zeros(5, np.int32))),
    ("every", (T5, np.array(FAR), Z5)),
    ("every_pair", (T52, np.array(-FAR), np.array(5), np.zeros((5, 2), np.float32))),
]


@pytest.mark.parametrize("number", range(len(FAR_BROKEN)), ids=[name for name, _ in FAR_BROKEN])
def test_a_broken_rule_is_told_soon(number: int) -> None:
    """In a process of its own: what the offsets say would take hours."""
    line = f"import test_rules as t; t.call(*t.FAR_BROKEN[{number}][:1], 'cpu', t.FAR_BROKEN[{number}][1])"
    command = [sys.executable, "-c", line]
    done = subprocess.run(command, cwd=FILE.parent, check=False, timeout=120, capture_output=True, text=True)
    assert "BoundsError" in done.stderr.splitlines()[-1]


def test_a_proved_kernel_has_no_inspections() -> None:
    kernel = intent.load(f"{FILE}:proved")
    plain, checked = intent.emit(kernel), intent.emit(kernel, checked=True)
    assert plain["src/proved.cpp"] == checked["src/proved.cpp"]
    assert '"checked"' in checked["MANIFEST.json"] and '"checked"' not in plain["MANIFEST.json"]


def test_what_cannot_be_checked_is_refused_by_name() -> None:
    with pytest.raises(intent.IntentError, match="points that read what others write of y") as refused:
        intent.compile(intent.load(f"{FILE}:neighbours"), "cpu", checked=True)
    assert refused.value.code == "check.unsupported"
    with pytest.raises(intent.IntentError) as refused:
        intent.emit(intent.load(f"{FILE}:lookup"), "cuda", checked=True)
    assert refused.value.code == "check.target"
