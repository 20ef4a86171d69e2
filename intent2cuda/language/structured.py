"""Operations with a declared algebra: reductions, scans, folds over regions, contractions, histograms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from intent2cuda.language.intrinsic import Product, Tensor, Value, intrinsic, member
from intent2cuda.types.dtype import DType

Axes = int | tuple[int, ...]
Pairs = tuple[tuple[int, int], ...]
Helper = Callable[..., Any]


class Reduce:
    """`I.reduce` and the builtin reductions under it."""

    @member("reduce")
    def __call__(
        self,
        value: Product,
        axis: Axes,
        identity: Product,
        combine: Helper,
        combine_operands: tuple[Value, ...] = (),
        acc_dtype: DType | None = None,
    ) -> Product:
        """All members along `axis` combined by a pure helper, in any order and grouping; the axes go away.

        identity: per component a scalar, or the whole remaining slice. combine: `I.add`, `I.maximum`, `I.minimum`, or
        an `intent.fn` of two members and the operands. acc_dtype: the members are cast to it first; not for products.
        """
        ...

    @staticmethod
    @member("reduce")
    def sum(value: Tensor, *, axis: Axes, acc_dtype: DType | None = None) -> Value:
        """The sum along `axis`, zero without members.

        i8 and i16 are added as i32, u8 and u16 as u32, f8, f16 and bf16 as f32; a bool needs `acc_dtype`.
        """
        ...

    @staticmethod
    @member("reduce")
    def max(value: Tensor, *, axis: Axes, acc_dtype: DType | None = None) -> Value:
        """The greatest member along `axis`; NaN when one is. Without members: the least value of the dtype."""
        ...

    @staticmethod
    @member("reduce")
    def any(value: Tensor, *, axis: Axes) -> Value:
        """Whether a member of a bool tensor holds along `axis`; false without members."""
        ...

    @staticmethod
    @member("reduce")
    def all(value: Tensor, *, axis: Axes) -> Value:
        """Whether every member of a bool tensor holds along `axis`; true without members."""
        ...


class ArgReduce:
    """Reductions that also say where."""

    @staticmethod
    @member("arg_reduce")
    def max(value: Tensor, axis: int, acc_dtype: DType | None = None) -> tuple[Value, Value]:
        """The greatest members along one axis and their positions (index): the first on ties, the first NaN if any.

        An empty axis gives the least value of the dtype and the position 2^63 - 1.
        """
        ...


reduce = Reduce()
arg_reduce = ArgReduce()


@intrinsic
def scan(
    value: Product,
    axis: int,
    identity: Product,
    combine: Helper,
    combine_operands: tuple[Value, ...] = (),
    inclusive: bool = True,
    reverse: bool = False,
    acc_dtype: DType | None = None,
) -> Product:
    """The combinations of all members up to each position of one axis, in order; the shape stays.

    Exclusive: without the member itself. Reverse: of the members from the position on, the earlier one on the left.
    """
    ...


@intrinsic
def cumsum(
    value: Tensor, *, axis: int, inclusive: bool = True, reverse: bool = False, acc_dtype: DType | None = None
) -> Tensor:
    """The running sum along one axis; dtypes widen as in `reduce.sum`."""
    ...


@intrinsic
def cummax(
    value: Tensor, *, axis: int, inclusive: bool = True, reverse: bool = False, acc_dtype: DType | None = None
) -> Tensor:
    """The running maximum along one axis; NaN from the first NaN on."""
    ...


@intrinsic
def region_fold(
    source: Product, axis: int, summarize: Helper, combine: Helper, identity: Product, operands: tuple[Value, ...] = ()
) -> Product:
    """The summaries of any division of an axis into consecutive slices, combined in order.

    summarize: of the slices and the operands. combine: of two summaries. An empty source gives `identity`.
    """
    ...


@intrinsic
def region_scan(
    source: Product,
    axis: int,
    summarize: Helper,
    combine: Helper,
    identity: Product,
    initial_state: Product,
    apply: Helper,
    emit: Helper,
    operands: tuple[Value, ...] = (),
) -> tuple[Product, Product]:
    """The tensors that `emit` makes of each slice and of the state before it, and the state after the last slice.

    apply: of a summary and a state, to the next state. emit: of the slices, the state and the operands; each of its
    tensors has the extent of the slice once.
    """
    ...


@intrinsic
def contract(lhs: Tensor, rhs: Tensor, reduce: Pairs, acc_dtype: DType, batch: Pairs = ()) -> Tensor:
    """The sum of products over the paired axes of `reduce`, accumulated in `acc_dtype`; `batch` pairs are kept once.

    Axes of the result: those of `lhs` that are not reduced, then those of `rhs` neither reduced nor batch.
    """
    ...


@intrinsic
def dot(lhs: Tensor, rhs: Tensor, *, acc_dtype: DType) -> Tensor:
    """The sum of products of two vectors, a tensor of rank 0."""
    ...


@intrinsic
def matvec(matrix: Tensor, vector: Tensor, *, acc_dtype: DType, transpose: bool = False) -> Tensor:
    """Matrix times vector; leading batch axes broadcast."""
    ...


@intrinsic
def vecmat(vector: Tensor, matrix: Tensor, *, acc_dtype: DType, transpose: bool = False) -> Tensor:
    """Vector times matrix; leading batch axes broadcast."""
    ...


@intrinsic
def matmul(
    lhs: Tensor, rhs: Tensor, *, acc_dtype: DType, transpose_lhs: bool = False, transpose_rhs: bool = False
) -> Tensor:
    """Matrix product over the last two axes; leading batch axes broadcast.

    transpose_lhs, transpose_rhs: the last two axes of that operand are swapped first.
    """
    ...


@intrinsic
def outer(lhs: Tensor, rhs: Tensor) -> Tensor:
    """Every product of an element of one vector and one of another, in their dtype."""
    ...


@intrinsic
def histogram(values: Tensor, bins: int, valid: Value, count_dtype: DType) -> Tensor:
    """How often each of 0 ... bins - 1 stands in `values` where `valid` holds; counts wrap."""
    ...
