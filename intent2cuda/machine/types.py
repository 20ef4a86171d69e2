"""C++ types that emitted code uses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from intent2cuda.types.dtype import DType


@dataclass(frozen=True)
class Scalar:
    """An element type: `float`, `std::int32_t`, `intent::f16`, ..."""

    dtype: DType


@dataclass(frozen=True)
class IndexT:
    """`index_t`, the signed 64-bit type of coordinates and extents."""


@dataclass(frozen=True)
class Int:
    """`int`, for thread-local counters with a proven range."""


@dataclass(frozen=True)
class Pointer:
    to: CType
    const: bool
    restrict: bool = False


@dataclass(frozen=True)
class View:
    """`intent::View<const T, rank>`, passed by value."""

    dtype: DType
    rank: int
    const: bool


@dataclass(frozen=True)
class Named:
    """A type by its name: `cudaStream_t`, `dim3`, `std::size_t`, `bool`, `void`, `auto` (never for a scalar)."""

    name: str


CType: TypeAlias = Scalar | IndexT | Int | Pointer | View | Named
