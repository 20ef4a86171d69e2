"""Arguments of the random kernels: small numbers mostly, and what is special about their dtypes."""

from __future__ import annotations

from typing import Any

import numpy as np

from .naive.scalars import STORED

OUTPUTS = ("p", "q", "r", "o", "c", "d")


def arguments(m: int, n: int, seed: int, odd: str = "i32") -> dict[str, Any]:
    """Arrays and numbers for every parameter, the same for the same seed. `odd` is the dtype of h and o."""
    rng = np.random.default_rng(seed)
    return {
        "a": (rng.integers(-(2**31), 2**31, (m, n)) >> rng.integers(0, 31, (m, n))).astype(np.int32),
        "f": _floats(rng, (m, n), "f32"),
        "v": rng.integers(-9, 9, n).astype(np.int32),
        "w": rng.integers(-9, 9, m).astype(np.float32),
        "n": int(rng.integers(-5, 5)),
        "p": np.zeros((m, n), np.int32),
        "q": np.zeros((m, n), np.float32),
        "r": np.zeros(m, np.int32),
        "h": _array(rng, (m, n), odd),
        "o": np.zeros((m, n), STORED[odd]),
        "c": rng.integers(-9, 9, 4).astype(np.int32),
        "d": rng.integers(-9, 9, 4).astype(np.int32),
    }


def _array(rng: np.random.Generator, shape: tuple[int, int], dtype: str) -> Any:
    stored = np.dtype(STORED[dtype])
    if stored.kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    if stored.kind in "iu":
        least, greatest = np.iinfo(stored).min, np.iinfo(stored).max
        wide = rng.integers(least, greatest, shape, stored, endpoint=True)
        return wide >> rng.integers(0, stored.itemsize * 8, shape).astype(stored)
    return _floats(rng, shape, dtype)


def _floats(rng: np.random.Generator, shape: tuple[int, int], dtype: str) -> Any:
    greatest = {"f8e4m3fn": 448.0, "f8e5m2": 57344.0, "f16": 60000.0}.get(dtype, 1e30)
    special = rng.choice(np.array([np.nan, np.inf, -np.inf, greatest]), shape)
    return np.where(rng.uniform(size=shape) < 0.9, rng.integers(-40, 40, shape) / 4, special).astype(STORED[dtype])


def plain(array: Any) -> Any:
    """The array in a dtype that NumPy itself compares."""
    return array if array.dtype.kind in "biu" else array.astype(np.float64)
