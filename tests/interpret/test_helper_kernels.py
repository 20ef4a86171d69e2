"""Author's text, front end and interpreter together: helpers with control flow of their own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from intent2cuda import interpret, pipeline
from intent2cuda.ir.kernel import Kernel

KERNELS = Path(__file__).resolve().parent / "helper_kernels.py"
SEEDS = (None, 0, 1)


def kernel(name: str) -> Kernel:
    return pipeline.front(KERNELS, name).kernel


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("width", [0, 1, 37])
def test_folds_with_loops_branches_gathers_and_products(width: int, seed: int | None) -> None:
    rng = np.random.default_rng(width)
    x, key = rng.standard_normal((9, width)), rng.integers(0, 5, (9, width))
    table, coefficients, squared = rng.standard_normal(5), rng.standard_normal((9, 3)), rng.integers(0, 2, 9) == 1
    best, mix, halved = np.empty(9), np.empty(9), np.empty(9, np.int64)
    arguments = {"x": x, "key": key, "table": table, "coefficients": coefficients, "squared": squared}
    outputs = {"best": best, "mix": mix, "halved": halved}
    interpret.run(kernel("folds"), {**arguments, **outputs}, checked=True, seed=seed)
    value = np.polynomial.polynomial.polyval(x, coefficients.T[::-1, :, None], tensor=False)
    value = np.where(squared[:, None], value**2, value)
    np.testing.assert_allclose(best, value.max(1, initial=-np.inf), rtol=1e-12)
    np.testing.assert_allclose(mix, (table[key] * value).sum(1), rtol=1e-10, atol=1e-12)
    for rounds, greatest in zip(halved, best, strict=True):
        assert rounds == max(0, int(np.ceil(np.log2(max(greatest, 1e-300) / 9))))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_combination_that_looks_up_what_each_point_captured(seed: int | None) -> None:
    x = np.random.default_rng(0).integers(0, 5, (7, 20)).astype(np.float32)
    y = np.empty(7, np.int64)
    interpret.run(kernel("least_place"), {"x": x, "y": y}, checked=True, seed=seed)
    assert y.tolist() == x.argmin(1).tolist()


@pytest.mark.parametrize("count", [0, 1, 9])
def test_scans_whose_members_are_matrices(count: int) -> None:
    m = np.random.default_rng(1).integers(-2, 3, (count, 2, 2)).astype(np.float64)
    upto, after = np.empty_like(m), np.empty_like(m)
    interpret.run(kernel("matrix_products"), {"m": m, "unit": np.eye(2), "upto": upto, "after": after}, checked=True)
    for place in range(count):
        np.testing.assert_array_equal(upto[place], np.linalg.multi_dot([np.eye(2), np.eye(2), *m[: place + 1]]))
        np.testing.assert_array_equal(after[place], np.linalg.multi_dot([np.eye(2), np.eye(2), *m[place + 1 :]]))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_lock_in_author_s_text(seed: int | None) -> None:
    y = np.zeros(1, np.int64)
    interpret.run(kernel("under_a_lock"), {"lock": np.zeros(1, np.int32), "y": y, "n": 30}, checked=True, seed=seed)
    assert y[0] == (3**30 - 1) // 2
