"""The naive evaluator by itself: it reads every op, and its own arithmetic is right."""

from __future__ import annotations

import math
from typing import get_args

import numpy as np
import pytest

from intent2cuda.ir.ops import AnyOp, Yield
from intent2cuda.types.dtype import DType

from .naive import EVALUATE
from .naive.elements import philox_block
from .naive.scalars import FORMATS, STORED, fit


def test_every_op_is_read() -> None:
    assert EVALUATE.keys() == set(get_args(AnyOp)) - {Yield}


@pytest.mark.req("L129")
@pytest.mark.parametrize(
    ("counter", "key", "block"),
    [
        ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
        ((2**32 - 1,) * 4, (2**32 - 1,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
        (
            (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
            (0xA4093822, 0x299F31D0),
            (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
        ),
    ],
)
def test_published_blocks_of_philox(counter: tuple[int, ...], key: tuple[int, int], block: tuple[int, ...]) -> None:
    assert philox_block(counter, key) == block


@pytest.mark.parametrize("dtype", FORMATS, ids=str)
def test_rounding_to_a_format(dtype: DType) -> None:
    """Every number of the format is itself; between two neighbours the nearer one wins, in the middle the even one."""
    stored = STORED[dtype.name]
    bits = np.dtype(stored).itemsize * 8
    patterns = np.arange(1 << bits) if bits <= 16 else np.random.default_rng(0).integers(0, 1 << bits, 5000)
    numbers = np.sort(np.unique(_finite(patterns.astype(f"u{bits // 8}").view(stored))))
    assert all(fit(dtype, float(number)) == number for number in numbers)
    middles = (numbers[1:] + numbers[:-1]) / 2
    assert all(fit(dtype, float(number)) == float(stored(number)) for number in middles)


def _finite(array: np.ndarray) -> np.ndarray:
    with np.errstate(invalid="ignore"):
        wide = array.astype(np.float64)
    return wide[np.isfinite(wide)]


WIDE = (2**53 + 1, 2**60 + 2**36 + 1, -(2**63), 2**64 - 1, 16777217, -16777219, 65519, 65520)


@pytest.mark.parametrize("dtype", FORMATS, ids=str)
def test_rounding_of_integers(dtype: DType) -> None:
    """An integer is rounded once, from its exact value."""
    bits, _, greatest = FORMATS[dtype]
    for value in WIDE:
        nearest = _nearest(value, 1 << max(0, abs(value).bit_length() - bits))
        found = fit(dtype, value)
        assert found == nearest if abs(nearest) <= greatest else not math.isfinite(found)


def _nearest(value: int, unit: int) -> int:
    """The multiple of a unit next to an integer, of two as near the even one."""
    low = value // unit * unit
    rest = 2 * (value - low)
    return low if rest < unit or (rest == unit and low // unit % 2 == 0) else low + unit
