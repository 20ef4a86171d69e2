"""Operations with a declared algebra: reductions, scans, folds over regions, contractions, histograms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from intent2cuda.language.intrinsic import Product, Tensor, Value, intrinsic, member
from intent2cuda.types.dtype import DType

Axes = int | tuple[int, ...]
"""One axis or several, compile-time; -1 is the last one."""
Pairs = tuple[tuple[int, int], ...]
"""Pairs of an axis of the left operand and one of the right, compile-time."""
Helper = Callable[..., Any]
"""A function under `@intent.fn`."""


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

        value: a tensor, or a tuple or record of tensors with one extent on each of the axes.
        axis: one or a tuple, compile-time, negative from the end.
        identity: per component a scalar, or the whole remaining slice; then `combine` works on slices.
        combine: `I.add`, `I.maximum`, `I.minimum`, or an `intent.fn` of two members and the operands.
        combine_operands: runtime values that `combine` takes after the two members.
        acc_dtype: the members are cast to it first; not for products.
        Shapes: without the axes; scalars when none is left. No members give the identity.
        Dtypes: any; members, identity and what `combine` returns have one form.
        Refused: `kir.reduce.axes` an axis out of range, twice or unknown; `kir.reduce.identity`, `kir.reduce.schema` an
        identity or a result of another form; `kir.reduce.extent` components of other extents; `kir.reduce.combine` what
        is no helper; `kir.reduce.impure` a helper with an effect, a buffer or random numbers; `kir.reduce.accumulator`
        `acc_dtype` for a product.
        """
        ...

    @staticmethod
    @member("reduce")
    def sum(value: Tensor, *, axis: Axes, acc_dtype: DType | None = None) -> Value:
        """The sum along `axis`, zero without members.

        axis: one or a tuple, compile-time, negative from the end.
        Shapes: without the axes; a scalar when none is left.
        Dtypes: numbers. i8 and i16 are added as i32, u8 and u16 as u32, f8, f16 and bf16 as f32; the others, and what
        `acc_dtype` says, as they are. A bool needs `acc_dtype`. The result has the dtype of the addition.
        Refused: `kir.reduce.axes` an axis out of range, twice or unknown; `kir.reduce.dtype` a bool without
        `acc_dtype`; `kir.reduce.accumulator` bool as `acc_dtype`; `src.call.unknown_argument` an identity or kept
        dimensions.
        """
        ...

    @staticmethod
    @member("reduce")
    def max(value: Tensor, *, axis: Axes, acc_dtype: DType | None = None) -> Value:
        """The greatest member along `axis`; NaN when one is. Without members: the least value of the dtype.

        axis: one or a tuple, compile-time, negative from the end.
        Shapes: without the axes; a scalar when none is left.
        Dtypes: numbers, and kept; the least value is -inf, -448 for f8e4m3fn, the minimum of an integer.
        Refused: `kir.reduce.axes` an axis out of range, twice or unknown; `kir.reduce.dtype` bool.
        """
        ...

    @staticmethod
    @member("reduce")
    def any(value: Tensor, *, axis: Axes) -> Value:
        """Whether a member holds along `axis`; false without members.

        axis: one or a tuple, compile-time, negative from the end.
        Shapes: without the axes; a scalar when none is left.
        Dtypes: bool.
        Refused: `kir.reduce.axes` an axis out of range, twice or unknown; `kir.reduce.dtype` another dtype.
        """
        ...

    @staticmethod
    @member("reduce")
    def all(value: Tensor, *, axis: Axes) -> Value:
        """Whether every member holds along `axis`; true without members.

        axis: one or a tuple, compile-time, negative from the end.
        Shapes: without the axes; a scalar when none is left.
        Dtypes: bool.
        Refused: `kir.reduce.axes` an axis out of range, twice or unknown; `kir.reduce.dtype` another dtype.
        """
        ...


class ArgReduce:
    """Reductions that also say where."""

    @staticmethod
    @member("arg_reduce")
    def max(value: Tensor, axis: int, acc_dtype: DType | None = None) -> tuple[Value, Value]:
        """The greatest members along one axis and their positions: the first on ties, the first NaN if there is one.

        An empty axis gives the least value of the dtype and the position 2^63 - 1.

        Shapes: a pair of results without the axis.
        Dtypes: numbers; positions are index.
        Refused: `kir.reduce.axes` several axes, or one out of range; `kir.reduce.dtype` bool.
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
    """The combinations of all members up to each position of one axis, in order, grouped in any way.

    value, identity, combine, combine_operands, acc_dtype: as for `I.reduce`; `combine` need not be commutative.
    inclusive: with the member itself; an exclusive scan begins with the identity.
    reverse: of the members from the position on, the earlier one on the left.
    Shapes: kept.
    Refused: `kir.scan.axes` several axes, or one out of range; `kir.scan.identity`, `kir.scan.schema` an identity or a
    result of another form; `kir.scan.impure` a helper with an effect; `src.constexpr.value` a direction that is no
    constant.
    """
    ...


@intrinsic
def cumsum(
    value: Tensor, *, axis: int, inclusive: bool = True, reverse: bool = False, acc_dtype: DType | None = None
) -> Tensor:
    """The running sum along one axis.

    inclusive, reverse: as for `I.scan`.
    Shapes: kept.
    Dtypes: numbers; they widen as in `I.reduce.sum`.
    Refused: `kir.scan.axes` several axes, or one out of range; `kir.scan.dtype` a bool without `acc_dtype`.
    """
    ...


@intrinsic
def cummax(
    value: Tensor, *, axis: int, inclusive: bool = True, reverse: bool = False, acc_dtype: DType | None = None
) -> Tensor:
    """The running maximum along one axis; NaN from the first NaN on.

    inclusive, reverse: as for `I.scan`; an exclusive one begins with the least value of the dtype.
    Shapes: kept.
    Dtypes: numbers except f8, and kept.
    Refused: `kir.scan.axes` several axes, or one out of range; `kir.scan.dtype` bool; `kir.dtype.operator`
    f8.
    """
    ...


@intrinsic
def region_fold(
    source: Product, axis: int, summarize: Helper, combine: Helper, identity: Product, operands: tuple[Value, ...] = ()
) -> Product:
    """The summaries of any division of an axis into consecutive slices, combined in order.

    Nothing tells how many slices there are or where they end: the author declares that the summary of two adjacent
    slices is the combination of their summaries, and that `identity` changes no summary.

    source: a tensor, or a tuple of tensors with one extent on the axis. `I.indices(axis)` as one of them gives
    coordinates.
    summarize: an `intent.fn` of the slices and the operands. Their extent shapes tensors (`v.shape`), and is no value.
    combine: an `intent.fn` of two summaries, the earlier one first.
    identity: of the form of a summary; a bare `0.0` is f64.
    operands: what `summarize` takes after the slices; literals and Constexprs are compile-time inside.
    Shapes: that of a summary. An empty axis gives `identity`.
    Refused: `kir.region_fold.missing_part` no helper or identity; `kir.region_fold.axis`,
    `kir.region_fold.component_axis`, `kir.region_fold.axis_relation` an axis out of range, a component without it, or
    of another extent; `kir.region_fold.schema` summaries of two forms, or other parameters; `kir.region_fold.effect` a
    helper with an effect, a buffer or random numbers; `kir.region_fold.observes_segment` a use of the extent of a slice
    as a value.
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

    source, summarize, combine, identity, operands: as for `I.region_fold`.
    initial_state: the state before the first slice.
    apply: an `intent.fn` of a summary and a state, to the state behind the slice.
    emit: an `intent.fn` of the slices, the state and the operands; each of its tensors has the extent of the slice
    once.
    Shapes: the emitted tensors with the extent of the source in place of that of a slice, then the state.
    Refused: `kir.region_scan.missing_part` no helper, identity or state; `kir.region_scan.axis`,
    `kir.region_scan.component_axis`, `kir.region_scan.axis_relation` as for the fold; `kir.region_scan.members` an
    emitted tensor with the extent of the slice never or twice; `kir.region_scan.schema` states or summaries of two
    forms; `kir.region_scan.impure` a helper with an effect; `kir.region_scan.observes_segment` a use of the extent of a
    slice as a value.
    """
    ...


@intrinsic
def contract(lhs: Tensor, rhs: Tensor, reduce: Pairs, acc_dtype: DType, batch: Pairs = ()) -> Tensor:
    """The sum of products over the paired axes of `reduce`, accumulated in `acc_dtype`.

    reduce: pairs of an axis of `lhs` and one of `rhs`; at least one.
    batch: pairs that are walked together and kept once.
    Shapes: the axes of `lhs` that are not reduced, batch ones included, then those of `rhs` neither reduced nor batch.
    Paired extents are equal; a reduced extent of 0 gives zeros.
    Dtypes: numbers, the same for both; the result has `acc_dtype`: a float for floats (16 bits or more), an integer for
    integers.
    Refused: `kir.contract.pairs` no pair, an axis twice or out of range; `kir.contract.extent` paired extents that are
    not equal or not known to be; `kir.contract.dtype` two dtypes, or bool; `kir.contract.accumulator` an `acc_dtype` of
    the other kind, bool or f8.
    """
    ...


@intrinsic
def dot(lhs: Tensor, rhs: Tensor, *, acc_dtype: DType) -> Tensor:
    """The sum of products of two vectors.

    Shapes: two vectors of one extent; a tensor of rank 0.
    Dtypes, Refused: as for `I.contract`; `kir.contract.rank` other ranks.
    """
    ...


@intrinsic
def matvec(matrix: Tensor, vector: Tensor, *, acc_dtype: DType, transpose: bool = False) -> Tensor:
    """Matrix times vector.

    transpose: the last two axes of the matrix are swapped first.
    Shapes: [..., M, K] and [..., K] give [..., M]; leading axes broadcast.
    Dtypes, Refused: as for `I.contract`; `kir.contract.rank` other ranks.
    """
    ...


@intrinsic
def vecmat(vector: Tensor, matrix: Tensor, *, acc_dtype: DType, transpose: bool = False) -> Tensor:
    """Vector times matrix.

    transpose: the last two axes of the matrix are swapped first.
    Shapes: [..., K] and [..., K, N] give [..., N]; leading axes broadcast.
    Dtypes, Refused: as for `I.contract`; `kir.contract.rank` other ranks.
    """
    ...


@intrinsic
def matmul(
    lhs: Tensor, rhs: Tensor, *, acc_dtype: DType, transpose_lhs: bool = False, transpose_rhs: bool = False
) -> Tensor:
    """Matrix product over the last two axes.

    transpose_lhs, transpose_rhs: the last two axes of that operand are swapped first.
    Shapes: [..., M, K] and [..., K, N] give [..., M, N]; leading axes broadcast.
    Dtypes, Refused: as for `I.contract`; `kir.contract.rank` an operand of rank 1 or 0.
    """
    ...


@intrinsic
def outer(lhs: Tensor, rhs: Tensor) -> Tensor:
    """Every product of an element of one vector and one of another.

    Shapes: [M] and [N] give [M, N].
    Dtypes: numbers, the same for both, and kept.
    Refused: `kir.outer` other ranks.
    """
    ...


@intrinsic
def histogram(values: Tensor, bins: int, valid: Value, count_dtype: DType) -> Tensor:
    """How often each of 0 ... bins - 1 stands in `values` where `valid` holds; counts wrap.

    valid: a bool scalar, or a tensor that broadcasts to the values. Where it does not hold a value may be anything.
    bins: a positive integer, also a runtime scalar.
    Shapes: one axis of `bins`.
    Dtypes: integers to count, and an integer of fixed width as `count_dtype`.
    Refused: `kir.histogram.values`, `kir.histogram.bins`, `kir.histogram.valid`, `kir.histogram.counts` other values,
    bins, validity or counts.
    """
    ...
