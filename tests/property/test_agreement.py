"""Two readings of the language agree on random kernels, before and after the rewrites."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from intent2cuda import interpret, rewrite
from intent2cuda.ir.kernel import Kernel
from intent2cuda.parse import parse_kernel

from .naive import Naive
from .programs import row_kernels, whole_kernels

SLOW = settings(
    deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
EXTENTS = st.tuples(st.integers(0, 4), st.integers(0, 4))


def parsed(source: str) -> Kernel:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kernel.py"
        path.write_text(source)
        return parse_kernel(path, "kernel").kernel


def inputs(m: int, n: int, seed: int) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    quarters = rng.integers(-40, 40, (m, n)).astype(np.float32) / 4
    special = rng.choice(np.array([np.nan, np.inf, -np.inf, 1e30], np.float32), (m, n))
    return {
        "a": (rng.integers(-(2**31), 2**31, (m, n)) >> rng.integers(0, 31, (m, n))).astype(np.int32),
        "f": np.where(rng.uniform(size=(m, n)) < 0.9, quarters, special),
        "v": rng.integers(-9, 9, n).astype(np.int32),
        "w": rng.integers(-9, 9, m).astype(np.float32),
        "n": int(rng.integers(-5, 5)),
        "p": np.zeros((m, n), np.int32),
        "q": np.zeros((m, n), np.float32),
        "r": np.zeros(m, np.int32),
    }


def results(arguments: dict[str, Any]) -> list[Any]:
    return [arguments[name] for name in "pqr"]


def agree(source: str, extents: tuple[int, int], seed: int) -> None:
    kernel = parsed(source)
    wanted = inputs(*extents, seed)
    Naive(kernel, wanted, random.Random(seed)).run()
    for variant, checked in ((kernel, False), (kernel, True), (rewrite.run(kernel), True)):
        actual = inputs(*extents, seed)
        interpret.run(variant, actual, checked=checked)
        for got, want in zip(results(actual), results(wanted), strict=True):
            np.testing.assert_array_equal(got, want)


@SLOW
@given(source=whole_kernels(), extents=EXTENTS, seed=st.integers(0, 2**32 - 1))
def test_whole_tensors(source: str, extents: tuple[int, int], seed: int) -> None:
    agree(source, extents, seed)


@pytest.mark.req("L45")
@SLOW
@given(source=row_kernels(), extents=EXTENTS, seed=st.integers(0, 2**32 - 1))
def test_rows_with_control(source: str, extents: tuple[int, int], seed: int) -> None:
    agree(source, extents, seed)
