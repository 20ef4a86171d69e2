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


def quarters(x: Array) -> Array:
    return np.clip(np.floor(x * np.float32(4)) * np.float32(0.25), -8, 8)


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

    def test_carries_that_yield_themselves(self, target: str) -> None:
        x = random(7, 33)
        o, p, q = kernel("carried_unchanged", target).run(x)
        a = (x * np.float32(0.5) + x * 2) * np.float32(0.5) + x * 2
        assert np.allclose(o, a, rtol=1e-6) and np.array_equal(p, x * 2) and np.array_equal(q, x[:, 0])

    def test_value_that_two_loops_start_with(self, target: str) -> None:
        x, y = np.round(random(7, 33)), np.round(random(33, 5))
        g, o = np.zeros_like(x), np.zeros((3, 7, 5), np.float32)
        kernel("carried_twice", target)(x, y, g, o)
        first = quarters(x @ y)
        kept = first
        for _ in range(5):
            kept = quarters(kept * np.float32(1.5))
        again = first
        for t in range(3):
            assert np.array_equal(o[t], kept + again)
            again = quarters(again * np.float32(0.5) + first)
        assert np.array_equal(g, x)

    def test_carry_that_nothing_reads(self, target: str) -> None:
        z, w, g = np.round(random(33)), random(7), np.round(random(7, 33))
        kept = quarters(quarters(z * np.float32(1.5)) * np.float32(0.5) + z)
        want = g + np.clip(kept, -1, 1)
        want = want + 3 * np.clip(want, -1, 1)
        kernel("carried_and_unread", target)(z, w, g)
        assert np.allclose(g, want, rtol=1e-6)

    def test_carry_through_memory_beside_another(self, target: str) -> None:
        z, w, h, o = random(300), random(7), np.zeros(300, np.float32), np.zeros(7, np.float32)
        kernel("carried_through_memory", target)(z, w, h, o)
        assert np.allclose(h, (z + np.float32(0.25)) * 4, rtol=1e-6) and np.allclose(o, w * 1.875, rtol=1e-6)

    def test_whole_tensor_in_place_round_by_round(self, target: str) -> None:
        want = random(600)
        a = want.copy()
        kernel("stencil_rounds", target)(a, 3)
        for _ in range(3):
            padded = np.pad(want, 1)
            want = (padded[:-2] + padded[1:-1] + padded[2:]) * np.float32(0.5)
        assert np.allclose(a, want, rtol=1e-5, atol=1e-6)

    def test_sums_go_where_one_thread_reads_and_writes(self, target: str) -> None:
        g, h, e = np.round(random(3, 5)), np.round(random(5)), np.round(random(3))
        first = (e + g @ h) ** 2
        second = h + first.sum()
        kernel("sums_in_place", target)(g, h, e)
        assert np.array_equal(e, first) and np.array_equal(h, second)
