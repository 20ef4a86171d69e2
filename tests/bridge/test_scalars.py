"""Runtime scalars: which numbers each type takes, and the bits that the kernel sees."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from intent2cuda import ArgumentError, DTypeError
from intent2cuda._bridge import Entry
from intent2cuda.api.arrays import numpy_dtype
from intent2cuda.project.interface import Parameter

MakeEntry = Callable[..., Entry]


@pytest.fixture
def bits(entry: MakeEntry) -> Callable[[str, object], Any]:
    """The value that a kernel sees of a scalar, as a NumPy scalar of its type."""

    def seen(name: str, value: object) -> Any:
        room = np.zeros(1, np.uint64)
        entry("bits", Parameter("s", "scalar", name), Parameter("y", "out", "u64", (1,)))(value, room)
        return room.view(numpy_dtype(name))[0]

    return seen


@pytest.mark.parametrize("name", ["i8", "i16", "i32", "i64", "index", "u8", "u16", "u32", "u64"])
def test_integers(bits: Callable[[str, object], Any], name: str) -> None:
    limits = np.iinfo(numpy_dtype(name))
    for value in (limits.min, limits.max, 0, 1, np.int8(7), np.uint64(9)):
        assert bits(name, value) == value
    for value in (int(limits.min) - 1, int(limits.max) + 1, 10**30):
        with pytest.raises(DTypeError, match=f"parameter `s` is {value}, outside the range of {name}"):
            bits(name, value)
    for value in (1.0, np.float32(1), "1", None):
        with pytest.raises(DTypeError, match=f"parameter `s` takes an integer for {name}; it is a"):
            bits(name, value)
    with pytest.raises(DTypeError, match=f"takes a scalar of type {name}; it is a bool"):
        bits(name, True)


def test_bools(bits: Callable[[str, object], Any]) -> None:
    for value in (True, False, np.True_, np.False_):
        assert bits("bool", value) == value
    for value in (1, 0.0, np.int8(1), "True"):
        with pytest.raises(DTypeError, match="takes a scalar of type bool"):
            bits("bool", value)


@pytest.mark.parametrize("name", ["f64", "f32", "f16", "bf16", "f8e5m2", "f8e4m3fn"])
def test_floats_are_rounded_once(bits: Callable[[str, object], Any], name: str) -> None:
    dtype = numpy_dtype(name)
    largest = float(ml_dtypes.finfo(dtype).max)
    tiny = float(ml_dtypes.finfo(dtype).smallest_subnormal)
    random = np.random.default_rng(5)
    values = [0.0, -0.0, 1.0, -1.5, 0.1, largest, -largest, tiny, tiny / 2, tiny * 1.5, tiny * 0.75, 3, np.float32(0.3)]
    values += list(random.standard_normal(200) * 10.0 ** random.integers(-9, 2, 200))
    for value in values:
        if abs(float(value)) <= largest:
            seen = bits(name, value)
            assert seen.tobytes() == np.float64(value).astype(dtype).tobytes(), value
    assert np.isnan(bits(name, float("nan")))


def test_float_overflow(bits: Callable[[str, object], Any]) -> None:
    for name in ("f64", "f32", "f16", "bf16", "f8e5m2"):
        assert bits(name, float("-inf")) == float("-inf")
    assert bits("f32", 1e300) == float("inf")
    assert bits("f16", 65519.0) == 65504.0
    assert bits("f16", 65520.0) == float("inf")
    assert bits("f8e4m3fn", 448.0) == 448.0
    assert bits("f8e4m3fn", 463.0) == 448.0
    for value in (465.0, float("inf"), 1e300):
        with pytest.raises(DTypeError, match="`s` has no value for this number in f8e4m3fn"):
            bits("f8e4m3fn", value)


def test_other_kinds_of_numbers(bits: Callable[[str, object], Any]) -> None:
    assert bits("f32", ml_dtypes.bfloat16(1.5)) == 1.5
    assert bits("f32", np.int64(3)) == 3
    for value in ("1", None, 1j, [1.0]):
        with pytest.raises(DTypeError, match="takes a number for f32"):
            bits("f32", value)
    with pytest.raises(DTypeError, match="takes a scalar of type f32; it is a bool"):
        bits("f32", True)
    with pytest.raises(DTypeError, match="takes a scalar of type f32; it is an array"):
        bits("f32", np.ones(1, np.float32))


def test_streams(entry: MakeEntry) -> None:
    stream = entry("stream", Parameter("y", "out", "u64", (1,)), has_stream=True)
    y = np.ones(1, np.uint64)
    stream(y)
    assert y[0] == 0
    stream(y, stream=0x1234)
    assert y[0] == 0x1234
    stream(y, stream=None)
    assert y[0] == 0
    refused: Callable[..., None] = stream
    with pytest.raises(ArgumentError, match="`stream` is the address of a CUDA stream"):
        refused(y, stream="main")
    with pytest.raises(ArgumentError, match="takes no keyword argument but `stream`"):
        refused(y, queue=1)
