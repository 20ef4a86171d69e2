"""NumPy's side: dtypes, the memory of foreign arrays, output shapes solved from inputs."""

from __future__ import annotations

import array

import ml_dtypes
import numpy as np
import pytest

from intent2cuda import ShapeError
from intent2cuda.api.arrays import allocate_outputs, host_array, numpy_dtype
from intent2cuda.project.interface import Interface, Parameter
from intent2cuda.types.dtype import DTYPES


def test_every_element_type_has_a_numpy_dtype_of_its_size() -> None:
    for dtype in DTYPES:
        assert numpy_dtype(dtype.name).itemsize == dtype.bytes
    assert numpy_dtype("bf16") == ml_dtypes.bfloat16
    assert numpy_dtype("index") == np.int64


def test_host_array_is_the_same_memory() -> None:
    memory = np.zeros((2, 3), np.float32)

    class Producer:
        def __dlpack__(self, **options):
            return memory.__dlpack__(**options)

        def __dlpack_device__(self):
            return (1, 0)

    for value in (memory, Producer(), memoryview(memory)):
        assert np.shares_memory(host_array(value), memory)
    assert host_array(array.array("i", [1, 2])).tolist() == [1, 2]


INTERFACE = Interface(
    "product",
    (
        Parameter("a", "in", "bf16", ("M", "K")),
        Parameter("scale", "scalar", "f32"),
        Parameter("c", "out", "bf16", ("M", 4, "N")),
        Parameter("b", "inout", "bf16", ("K", "N")),
        Parameter("d", "out", "i32", ()),
    ),
)


def test_outputs_are_sized_from_the_inputs() -> None:
    a, b = np.zeros((2, 3), ml_dtypes.bfloat16), np.zeros((3, 5), ml_dtypes.bfloat16)
    c, d = allocate_outputs(INTERFACE, (a, 1.0, b))
    assert (c.shape, c.dtype, d.shape, d.dtype) == ((2, 4, 5), a.dtype, (), np.int32)
    assert allocate_outputs(INTERFACE, (memoryview(np.zeros((0, 1))), 1.0, b))[0].shape == (0, 4, 5)


def test_an_extent_that_no_input_fixes() -> None:
    interface = Interface("make", (Parameter("n", "scalar", "i32"), Parameter("y", "out", "f32", ("N",))))
    with pytest.raises(ShapeError, match="make: no input fixes the extent `N` of parameter `y`"):
        allocate_outputs(interface, (4,))
