"""Tensors made, and tensors in another shape."""

from __future__ import annotations

from intent2cuda.language.intrinsic import Product, Scalar, Shape, Tensor, intrinsic
from intent2cuda.types.dtype import DType


@intrinsic
def full(shape: Shape, fill: Scalar, dtype: DType) -> Tensor:
    """A tensor of `shape` full of the scalar `fill`; a literal takes `dtype`, another fill must have it."""
    ...


@intrinsic
def zeros(shape: Shape, dtype: DType) -> Tensor:
    """A tensor of `shape` that holds zeros."""
    ...


@intrinsic
def reshape(value: Tensor, shape: Shape) -> Tensor:
    """The same elements in row-major order under another shape; one extent may be `...`, then it is inferred."""
    ...


@intrinsic
def transpose(value: Tensor, permutation: tuple[int, ...] | None = None) -> Tensor:
    """The tensor whose axis `i` is axis `permutation[i]` of `value`; without a permutation the axes are reversed."""
    ...


@intrinsic
def join(lhs: Tensor, rhs: Tensor) -> Tensor:
    """Two tensors of one dtype and shape side by side on a new last axis of extent 2."""
    ...


@intrinsic
def record(**fields: Product) -> Product:
    """An immutable product with named fields, in the order in which they are written."""
    ...
