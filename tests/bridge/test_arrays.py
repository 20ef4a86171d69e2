"""Arrays of NumPy and of other libraries reach the kernel without a copy, or are refused by name."""

from __future__ import annotations

import array
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from intent2cuda import ArgumentError, DeviceError, DTypeError, ShapeError, StrideError
from intent2cuda._bridge import Entry
from intent2cuda.project.interface import Parameter

MakeEntry = Callable[..., Entry]
F32 = np.float32


class Producer:
    """A library with arrays of its own: nothing but the DLPack protocol."""

    def __init__(self, values: np.ndarray[Any, Any], device: tuple[int, int] = (1, 0), versioned: bool = True) -> None:
        self._values = values
        self._device = device
        self._versioned = versioned

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._device

    def __dlpack__(self, **options: Any) -> Any:
        if not self._versioned and "max_version" in options:
            raise TypeError("an old producer knows no max_version")
        return self._values.__dlpack__(**options)


class DeviceArray:
    """An array on a CUDA device, as its interface describes it."""

    def __init__(self, typestr: str = "<f4", shape: tuple[int, ...] = (4,), read_only: bool = False) -> None:
        data = (0x1000, read_only)
        self.__cuda_array_interface__ = {"shape": shape, "typestr": typestr, "data": data, "version": 3}


def test_softmax_of_any_strides(softmax: Entry) -> None:
    base = np.random.default_rng(1).standard_normal((6, 10)).astype(F32)
    for x in (base, base[::2, 1:], base[::-1, ::-1], base.T, np.broadcast_to(base[0], (3, 10)), base[:, ::3]):
        for room in (np.empty(x.shape, F32), np.empty(x.shape[::-1], F32).T, np.empty((*x.shape, 2), F32)[..., 1]):
            softmax(x, room)
            expected = np.exp(x - x.max(axis=1, keepdims=True))
            np.testing.assert_allclose(room, expected / expected.sum(axis=1, keepdims=True), rtol=1e-6)


def test_negative_strides(axpy: Entry) -> None:
    x, y = np.arange(5, dtype=F32), np.ones(5, F32)
    axpy(x[::-1], y, 2.0)
    assert y.tolist() == [9, 7, 5, 3, 1]
    axpy(x, y[::-1], 1.0)
    assert y.tolist() == [13, 10, 7, 4, 1]


def test_empty_arrays_may_have_odd_strides(axpy: Entry) -> None:
    odd = np.lib.stride_tricks.as_strided(np.empty(4, F32), (0,), (3,))
    axpy(odd, odd, 1.0)


def test_a_single_element_may_have_an_odd_stride(axpy: Entry) -> None:
    memory = np.ones(4, F32)
    one = np.lib.stride_tricks.as_strided(memory, (1,), (3,))
    axpy(one, one, 2.0)
    assert memory.tolist() == [3, 1, 1, 1]


@pytest.mark.parametrize(
    ("name", "dtype"),
    [("f16", np.float16), ("bf16", ml_dtypes.bfloat16), ("i16", np.int16), ("u16", np.uint16)],
)
def test_two_byte_types(entry: MakeEntry, name: str, dtype: type) -> None:
    copy = entry("copy2", Parameter("x", "in", name, ("N",)), Parameter("y", "out", name, ("N",)))
    x, y = np.array([1, 2, 3, 4], dtype), np.zeros(4, dtype)
    copy(x[::-1], y)
    assert y.tolist() == [4, 3, 2, 1]
    with pytest.raises(DTypeError, match=rf"`x` holds float32; it takes {name}"):
        copy(np.zeros(4, F32), y)


@pytest.mark.parametrize(
    ("name", "dtype"),
    [("f8e4m3fn", ml_dtypes.float8_e4m3fn), ("f8e5m2", ml_dtypes.float8_e5m2), ("bool", np.bool_), ("i8", np.int8)],
)
def test_one_byte_types(entry: MakeEntry, name: str, dtype: type) -> None:
    copy = entry("copy1", Parameter("x", "in", name, ("N",)), Parameter("y", "out", name, ("N",)))
    x, y = np.array([1, 0, 1], dtype), np.zeros(3, dtype)
    copy(x, y)
    assert y.astype(F32).tolist() == [1, 0, 1]


def test_equal_dtypes_may_be_different_objects(axpy: Entry) -> None:
    other = np.dtype({"names": ["a"], "formats": ["<f4"]})["a"]
    y = np.zeros(3, np.dtype("f4").newbyteorder("<"))
    axpy(np.ones(3, other), y, 1.0)
    assert y.tolist() == [1, 1, 1]
    with pytest.raises(DTypeError, match="`x` holds >f4"):
        axpy(np.ones(3, ">f4"), y, 1.0)


@pytest.mark.parametrize("versioned", [True, False])
def test_dlpack_is_not_copied(axpy: Entry, versioned: bool) -> None:
    x, y = np.arange(6, dtype=F32), np.zeros(3, F32)
    axpy(Producer(x[::-2], versioned=versioned), Producer(y, versioned=versioned), 2.0)
    assert y.tolist() == [10, 6, 2]


def test_dlpack_memory_is_released(axpy: Entry) -> None:
    import sys

    y = np.zeros(3, F32)
    before = sys.getrefcount(y)
    for _ in range(10):
        axpy(Producer(y), Producer(y), 1.0)
    assert sys.getrefcount(y) == before


def test_dlpack_refusals(axpy: Entry) -> None:
    y = np.zeros(3, F32)
    with pytest.raises(DTypeError, match="`x` holds f64; it takes f32"):
        axpy(Producer(np.zeros(3)), y, 1.0)
    with pytest.raises(DeviceError, match="`x` is on a device"):
        axpy(Producer(y, device=(2, 0)), y, 1.0)
    read_only = np.zeros(3, F32)
    read_only.flags.writeable = False
    with pytest.raises(ArgumentError, match="`y` is written by the kernel; the array is read-only"):
        axpy(y, Producer(read_only), 1.0)


def test_arrays_that_their_own_library_does_not_export(axpy: Entry) -> None:
    class Refusing(Producer):
        def __dlpack__(self, **options: Any) -> Any:
            raise BufferError("it requires a gradient")

    class Nonsense(Producer):
        def __dlpack_device__(self) -> Any:
            return "cpu"

    values = np.zeros(2, F32)
    with pytest.raises(ArgumentError, match="`x` cannot be read as an array: it requires a gradient"):
        axpy(Refusing(values), values, 1.0)
    with pytest.raises(ArgumentError, match="`x` cannot be read as an array: "):
        axpy(Nonsense(values), values, 1.0)


def test_buffers(axpy: Entry) -> None:
    y = array.array("f", [1, 2, 3])
    axpy(memoryview(array.array("f", [1, 2, 3]))[::-1], y, 2.0)
    assert y.tolist() == [7, 6, 5]
    with pytest.raises(DTypeError, match="`x` holds f64"):
        axpy(array.array("d", [1, 1, 1]), y, 1.0)
    with pytest.raises(DTypeError, match="`x` holds u8"):
        axpy(b"abc", y, 1.0)
    with pytest.raises(ArgumentError, match="`y` is written by the kernel; the array is read-only"):
        axpy(y, memoryview(y).toreadonly(), 1.0)


def test_what_is_no_array(axpy: Entry) -> None:
    with pytest.raises(ArgumentError, match="axpy: parameter `x` takes an array of rank 1; it is a list"):
        axpy([1.0, 2.0], np.zeros(2, F32), 1.0)


def test_read_only_output(axpy: Entry) -> None:
    x, y = np.ones(3, F32), np.ones(3, F32)
    y.flags.writeable = False
    axpy(y, x, 1.0)
    with pytest.raises(ArgumentError, match="`y` is written by the kernel; the array is read-only"):
        axpy(x, y, 1.0)
    assert y.tolist() == [1, 1, 1]


def test_rank(axpy: Entry) -> None:
    with pytest.raises(ShapeError, match="`x` has rank 2; it takes rank 1"):
        axpy(np.ones((2, 2), F32), np.ones(4, F32), 1.0)


def test_strides_that_no_kernel_can_use(axpy: Entry) -> None:
    memory = np.zeros(64, np.uint8)
    x, y = np.ones(3, F32), np.zeros(3, F32)
    with pytest.raises(StrideError, match="`x` has a stride of 6 bytes on axis 0, no multiple of its 4-byte elements"):
        axpy(np.ndarray((3,), F32, memory.data, 0, (6,)), y, 1.0)
    with pytest.raises(StrideError, match="`x` does not begin at a multiple of its 4-byte elements"):
        axpy(np.ndarray((3,), F32, memory.data, 1), y, 1.0)
    with pytest.raises(StrideError, match="`y` is written by the kernel; its stride on axis 0 is 0"):
        axpy(x, np.lib.stride_tricks.as_strided(y, (3,), (0,)), 1.0)


@pytest.mark.parametrize("strides", [(4, 4), (8, -4), (-4, 8)])
def test_written_elements_must_not_share_memory(softmax: Entry, strides: tuple[int, int]) -> None:
    memory = np.zeros(64, F32)
    windows, apart = np.ndarray((4, 3), F32, memory.data, 64, strides), np.zeros((4, 3), F32)
    with pytest.raises(StrideError, match=r"`y` is written by the kernel; its stride on axis \d .*may share memory"):
        softmax(apart, windows)
    softmax(windows, apart)
    assert np.allclose(apart, 1 / 3)


def test_written_elements_may_lie_anywhere_else(softmax: Entry) -> None:
    memory = np.zeros((5, 4, 6), F32)
    for y in (memory[1, ::-1, ::2].T, memory[::2, :, 3], memory[:, 3, ::-1], memory[4:, 2, :], memory[1, :, 5:]):
        softmax(np.zeros(y.shape, F32), y)
        assert np.allclose(y, 1 / y.shape[1])


def test_arrays_on_the_wrong_side(entry: MakeEntry, axpy: Entry) -> None:
    parameter = Parameter("y", "out", "f32", ("N",))
    device = entry("stream", parameter, on_device=True, has_stream=True)
    for host in (np.zeros(4, F32), Producer(np.zeros(4, F32)), array.array("f", [1])):
        with pytest.raises(DeviceError, match="`y` is in host memory; the kernel runs on a CUDA device"):
            device(host)
    with pytest.raises(DeviceError, match="`x` is on a CUDA device; the kernel runs on the host"):
        axpy(DeviceArray(), np.zeros(4, F32), 1.0)


def test_device_arrays_are_checked_like_others(entry: MakeEntry) -> None:
    device = entry("fail", Parameter("status", "scalar", "i32"), Parameter("y", "out", "f32", (4,)), on_device=True)
    with pytest.raises(DTypeError, match="`y` holds <f8"):
        device(5, DeviceArray("<f8"))
    with pytest.raises(ShapeError, match="`y` has extent 3 on axis 0; it takes 4"):
        device(5, DeviceArray(shape=(3,)))
    with pytest.raises(ArgumentError, match="`y` is written by the kernel; the array is read-only"):
        device(5, DeviceArray(read_only=True))
    with pytest.raises(DeviceError, match="fail: told to fail"):
        device(5, DeviceArray())
