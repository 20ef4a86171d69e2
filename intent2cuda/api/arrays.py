"""NumPy's side of the language: element types, arrays of arguments, memory for outputs."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from intent2cuda.api.errors import ShapeError
from intent2cuda.project.interface import Interface, Parameter

Array = NDArray[Any]

_NUMPY_NAMES: Mapping[str, str] = {
    "bool": "bool",
    "index": "int64",
    "i8": "int8",
    "i16": "int16",
    "i32": "int32",
    "i64": "int64",
    "u8": "uint8",
    "u16": "uint16",
    "u32": "uint32",
    "u64": "uint64",
    "f16": "float16",
    "f32": "float32",
    "f64": "float64",
}


@functools.cache
def numpy_dtype(name: str) -> np.dtype[Any]:
    """The NumPy dtype of an element type; ml_dtypes has those that NumPy lacks."""
    if name in _NUMPY_NAMES:
        return np.dtype(_NUMPY_NAMES[name])
    import ml_dtypes

    types: Mapping[str, type[Any]] = {
        "bf16": ml_dtypes.bfloat16,
        "f8e4m3fn": ml_dtypes.float8_e4m3fn,
        "f8e5m2": ml_dtypes.float8_e5m2,
    }
    return np.dtype(types[name])


def host_array(value: object) -> Array:
    """The argument's own memory as a NumPy array."""
    if isinstance(value, np.ndarray):
        return cast(Array, value)
    if hasattr(value, "__dlpack__"):
        return np.from_dlpack(cast(Any, value))
    return np.asarray(memoryview(cast(Any, value)))


def allocate_outputs(
    interface: Interface, inputs: Sequence[object], sizes: Mapping[str, int] | None = None
) -> list[Array]:
    """New arrays for the Out parameters, in order; their elements are undefined.

    inputs: the arguments of all other parameters, in order. sizes: extents that no input fixes.

    Raises:
        ShapeError: nothing says how large an output is.
    """
    symbols = {**(sizes or {}), **fixed_extents(interface, inputs)}
    outputs = (p for p in interface.parameters if p.kind == "out")
    return [np.empty(_shape(interface, p, symbols), numpy_dtype(p.dtype)) for p in outputs]


def fixed_extents(interface: Interface, inputs: Sequence[object]) -> dict[str, int]:
    """The named extents that the inputs have; where they differ, which the call refuses, that of the first."""
    given = [p for p in interface.parameters if p.kind != "out"]
    symbols: dict[str, int] = {}
    for parameter, value in zip(given, inputs, strict=False):
        if parameter.kind != "scalar":
            for symbol, extent in zip(parameter.extents, _extents(value), strict=False):
                if isinstance(symbol, str):
                    symbols.setdefault(symbol, extent)
    return symbols


def _shape(interface: Interface, parameter: Parameter, symbols: Mapping[str, int]) -> tuple[int, ...]:
    for extent in parameter.extents:
        if isinstance(extent, str) and extent not in symbols:
            message = f"{interface.name}: no input fixes the extent `{extent}` of parameter `{parameter.name}`"
            raise ShapeError(f"{message}; call the artifact with an array of your own for it")
    return tuple(symbols[extent] if isinstance(extent, str) else extent for extent in parameter.extents)


def _extents(value: object) -> tuple[int, ...]:
    """The extents of an array argument; empty for anything else, which the call itself refuses."""
    shape: object = getattr(value, "shape", None)
    if shape is None:
        try:
            shape = memoryview(cast(Any, value)).shape
        except TypeError:
            return ()
    return tuple(int(extent) for extent in cast(Sequence[int], shape))
