"""Rows that ordered loops carry through scans are what the interpreter says, wherever old and new elements are read."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import intent2cuda as intent

KERNELS = Path(__file__).with_name("carried_kernels.py")
LENGTHS = (0, 1, 15, 16, 17, 1000)
ROUNDS = (0, 1, 2, 5)
PLAIN = (
    "left", "right", "mirrored", "crossed", "both_in_place", "other_row", "near_prefixes", "read_in_round",
    "last_element", "after_the_loop", "nested", "until",
)  # fmt: skip
Array = NDArray[Any]


@cache
def kernel(name: str, target: str) -> Any:
    return intent.compile(intent.load(f"{KERNELS}:{name}"), target=target)


def numbers(*shape: int) -> Array:
    return np.random.default_rng(sum(shape)).integers(-9, 10, shape).astype(np.int32)


def agrees(name: str, *arrays: Array) -> None:
    """Twice, for what a thread keeps between calls still has the rows of the first one."""
    outputs = [kernel(name, target).run(*arrays) for target in ("reference", "cpu", "cpu")]
    want, *found = (each if isinstance(each, tuple) else (each,) for each in outputs)
    for each in found:
        for mine, other in zip(each, want, strict=True):
            np.testing.assert_array_equal(mine, other)


@pytest.mark.parametrize("name", PLAIN)
def test_rows_read_where_the_kernel_says(name: str) -> None:
    for length in LENGTHS:
        for rounds in ROUNDS:
            agrees(name, numbers(rounds, length), numbers(length))


@pytest.mark.parametrize("name", ["left", "mirrored", "crossed"])
def test_rows_that_all_threads_scan(name: str) -> None:
    agrees(name, numbers(3, 100_001), numbers(100_001))


def test_rows_read_at_places_of_the_data() -> None:
    for length in LENGTHS:
        where = np.random.default_rng(length).integers(0, max(length, 1), length).astype(np.int32)
        agrees("picked", numbers(5, length), where, numbers(length))


def test_rows_of_floats() -> None:
    for length in LENGTHS:
        x, first = numbers(5, length).astype(np.float32), numbers(length).astype(np.float32)
        agrees("floats", x, first)
        if length > 3:
            x[2, length // 2], first[3] = np.nan, -0.0
            agrees("floats", x, first)


def test_rows_of_each_thread() -> None:
    for length in LENGTHS:
        agrees("many", numbers(7, 6, length))
    agrees("many", numbers(40, 30, 100))


@pytest.mark.parametrize("name", ["fixed", "one_element", "old_element"])
def test_rows_of_known_length(name: str) -> None:
    for rounds in ROUNDS:
        agrees(name, numbers(rounds, 20), numbers(20))
