"""How element types lie in NumPy arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from intent2cuda.types import dtype as t
from intent2cuda.types.dtype import DType

Array: TypeAlias = NDArray[Any]

NUMPY: Mapping[DType, np.dtype[Any]] = {
    t.BOOL: np.dtype(np.bool_),
    t.INDEX: np.dtype(np.int64),
    t.I8: np.dtype(np.int8),
    t.I16: np.dtype(np.int16),
    t.I32: np.dtype(np.int32),
    t.I64: np.dtype(np.int64),
    t.U8: np.dtype(np.uint8),
    t.U16: np.dtype(np.uint16),
    t.U32: np.dtype(np.uint32),
    t.U64: np.dtype(np.uint64),
    t.F8E4M3FN: np.dtype(ml_dtypes.float8_e4m3fn),
    t.F8E5M2: np.dtype(ml_dtypes.float8_e5m2),
    t.F16: np.dtype(np.float16),
    t.BF16: np.dtype(ml_dtypes.bfloat16),
    t.F32: np.dtype(np.float32),
    t.F64: np.dtype(np.float64),
}
"""The NumPy dtype of the arrays that hold an element type; index is stored as a signed 64-bit integer."""


def is_narrow(dtype: DType) -> bool:
    """Whether the type is a float below f32, which evaluates in f32."""
    return dtype.is_float and dtype.bits < 32


def widened(array: Array, dtype: DType) -> Array:
    """The elements in the type in which `dtype` evaluates: f32 for the narrow floats, else as they are."""
    return array.astype(np.float32) if is_narrow(dtype) else array
