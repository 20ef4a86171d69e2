"""Result shapes and dtypes of ops from their operands: one statement of each rule, for the builder and the verifier."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from intent2cuda.base.intexpr import IntExpr
from intent2cuda.ir.terms import Along, Lanes, Point, Slice, Term, Whole
from intent2cuda.types.dtype import BOOL, DType
from intent2cuda.types.scalar_fn import SCALAR_FNS, Result
from intent2cuda.types.value_type import DomainType, Shape, TensorType, scalar


def tensor_or_scalar(dtype: DType, shape: Shape) -> TensorType:
    """A scalar when no axis is left."""
    return TensorType(dtype, shape) if shape else scalar(dtype)


def selected_shape(shape: Shape, terms: Sequence[Term]) -> Shape:
    """The extents that index terms select from a shape of as many axes."""
    selected: list[IntExpr] = []
    lanes_placed = False
    for extent, term in zip(shape, terms, strict=True):
        match term:
            case Whole():
                selected.append(extent)
            case Slice():
                selected.append(term.extent)
            case Along():
                selected.append(term.domain.domain.extent)
            case Point():
                pass
            case Lanes():
                if not lanes_placed:
                    selected += term.index.tensor.shape
                lanes_placed = True
    return tuple(selected)


def pointwise_type(fn: str, operands: Sequence[TensorType]) -> TensorType:
    """The type of a scalar function's result. The last operand has the dtype of all but the condition of a select."""
    dtype = BOOL if SCALAR_FNS[fn].result is Result.BOOL else operands[-1].dtype
    return TensorType(dtype, operands[-1].shape, all(operand.is_scalar for operand in operands))


def without_axes(shape: Shape, axes: Sequence[int]) -> Shape:
    return tuple(extent for axis, extent in enumerate(shape) if axis not in axes)


def transposed_shape(shape: Shape, permutation: Sequence[int]) -> Shape:
    return tuple(shape[axis] for axis in permutation)


def contracted_shape(
    lhs: Shape, rhs: Shape, reduce: Sequence[tuple[int, int]], batch: Sequence[tuple[int, int]]
) -> Shape:
    kept = without_axes(lhs, [left for left, _ in reduce])
    return (*kept, *without_axes(rhs, [right for _, right in (*reduce, *batch)]))


def subregion_type(source: DomainType, begin: IntExpr | None, end: IntExpr | None) -> DomainType:
    """Coordinates of the source (unit step) from `begin` to before `end`; a missing bound is the source's own."""
    first = source.begin if begin is None else begin
    last = source.begin + source.extent if end is None else end
    return DomainType(first, last - first, source.step)


def count(shape: Shape) -> IntExpr:
    """The number of elements, with extents taken as they stand."""
    return prod(shape, start=IntExpr.of(1))


def slice_type(source: TensorType, axis: int, extent: IntExpr) -> TensorType:
    """A part of a tensor along one axis."""
    return TensorType(source.dtype, (*source.shape[:axis], extent, *source.shape[axis + 1 :]))


def assembled_type(part: TensorType, slice_extent: IntExpr, extent: IntExpr) -> TensorType:
    """What the parts of a region scan's output give together; the extent of the slice stands on one of their axes."""
    return TensorType(part.dtype, tuple(extent if e == slice_extent else e for e in part.shape))


def expanded_shape(compressed: Shape, axis: int, logical_extent: IntExpr) -> Shape:
    """The shape of a compressed operand with its absent positions."""
    return (*compressed[:axis], logical_extent, *compressed[axis + 1 :])
