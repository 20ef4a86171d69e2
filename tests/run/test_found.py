"""What users found: each kernel of found_kernels.py gives NumPy's answer on every target."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import intent2cuda as intent

KERNELS = Path(__file__).with_name("found_kernels.py")
TARGETS = ("reference", "cpu", "cuda-sim")
Array = NDArray[Any]


def kernel(name: str, target: str) -> Any:
    return intent.compile(intent.load(f"{KERNELS}:{name}"), target=target)


def random(*shape: int) -> Array:
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize("target", TARGETS)
class TestFound:
    def test_statements_over_different_extents_run_once(self, target: str) -> None:
        o, p = np.zeros((5, 300), np.float32), np.zeros(300, np.float32)
        kernel("two_extents", target)(o, p)
        assert (o == 1).all() and (p == 1).all()

    def test_joined_value_is_stored_and_read(self, target: str) -> None:
        a, b = random(7, 33), random(33, 7).T.copy()
        o, p = kernel("joined_and_read", target).run(a, b)
        assert np.array_equal(o, np.stack([a, b], -1)) and np.array_equal(p, b - a)

    def test_two_columns_of_one_view(self, target: str) -> None:
        a = random(2, 5, 9)
        o, p = kernel("two_columns", target).run(a)
        assert np.array_equal(o, a[0].T) and np.allclose(p, a[0, :, 0] + a[0, :, -1])

    def test_rows_merged_by_a_branch(self, target: str) -> None:
        a, f = random(7, 33), np.arange(7) % 3 == 0
        want = np.where(f[:, None], a * 2, np.exp(a) - a.max(1, keepdims=True))
        assert np.allclose(kernel("merged_rows", target).run(a, f), want, rtol=1e-6)

    def test_product_of_gathered_rows(self, target: str) -> None:
        a, b, ix = random(7, 33), random(33, 17), np.array([3, 0, 6, 6, 2], np.int32)
        assert np.allclose(kernel("gathered_product", target).run(a, b, ix), a[ix] @ b, rtol=1e-5, atol=1e-5)
