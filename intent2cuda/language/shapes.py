"""Tensors made, and tensors in another shape."""

from __future__ import annotations

from intent2cuda.language.intrinsic import Product, Scalar, Shape, Tensor, intrinsic
from intent2cuda.types.dtype import DType


@intrinsic
def full(shape: Shape, fill: Scalar, dtype: DType) -> Tensor:
    """A tensor of `shape` full of the scalar `fill`.

    shape: ints, extents, integer scalars, domains (their extent) and symbols of the signature.
    Shapes: that of `shape`; `()` is rank 0.
    Dtypes: any; a literal `fill` takes `dtype`, another one must have it.
    Refused: `kir.full.fill` a fill that is no scalar; `kir.shape.extent`, `kir.shape.negative` an extent that is no
    integer or below zero; `src.literal.*` a literal that `dtype` does not hold.
    """
    ...


@intrinsic
def zeros(shape: Shape, dtype: DType) -> Tensor:
    """A tensor of `shape` that holds zeros, false for bool.

    Shapes, Dtypes, Refused: as for `I.full`.
    """
    ...


@intrinsic
def reshape(value: Tensor, shape: Shape) -> Tensor:
    """The same elements in row-major order under another shape.

    Shapes: as many elements; one extent may be `...`, which is inferred.
    Dtypes: any, and kept.
    Refused: `kir.reshape.count` another number of elements; `src.reshape.inferred_many`, `src.reshape.ambiguous` two
    inferred extents, or one beside an extent of 0; `src.reshape.minus_one` -1 for `...`; `src.reshape.scalar` a scalar.
    """
    ...


@intrinsic
def transpose(value: Tensor, permutation: tuple[int, ...] | None = None) -> Tensor:
    """The tensor whose axis `i` is axis `permutation[i]` of `value`; without a permutation the axes are reversed.

    Shapes: any rank.
    Dtypes: any, and kept.
    Refused: `kir.permute.not_bijective` a permutation without each axis once.
    """
    ...


@intrinsic
def join(lhs: Tensor, rhs: Tensor) -> Tensor:
    """Two tensors side by side on a new last axis of extent 2: `lhs` at 0, `rhs` at 1.

    Shapes: equal ones, of any rank.
    Dtypes: any, the same for both.
    Refused: `kir.join.dtype` two dtypes; `kir.join.shape` two shapes, or extents not known to be equal.
    """
    ...


@intrinsic
def record(**fields: Product) -> Product:
    """An immutable product with named fields, in the order in which they are written; `r.field` reads one.

    fields: scalars, tensors, tuples and records.
    Refused: `kir.record.empty` no field; `kir.record.positional` a field without a name; `kir.record.field` a dtype or
    a domain; `kir.buffer.escape` a buffer.
    """
    ...
