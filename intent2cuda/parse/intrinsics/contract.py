"""Products: matmul and its smaller forms, outer, and the general contraction."""

from __future__ import annotations

from collections.abc import Mapping

from intent2cuda.base.intexpr import IntExpr
from intent2cuda.ir import infer
from intent2cuda.ir.ops import Broadcast, Contract
from intent2cuda.ir.value import Value
from intent2cuda.parse.context import Context
from intent2cuda.parse.describe import described, extent_text
from intent2cuda.parse.literals import dtype_of, tensor
from intent2cuda.parse.operators import operands
from intent2cuda.parse.shaping import common_shape, require_equal, stretch
from intent2cuda.parse.static import dtype_argument, static_axis, static_bool
from intent2cuda.parse.values import Tuple, Val
from intent2cuda.types.dtype import EIGHT_BIT_FLOATS, DType
from intent2cuda.types.value_type import Shape, TensorType

Arguments = Mapping[str, Val]
Pairs = tuple[tuple[int, int], ...]

_PAIRS = "kir.contract.pairs"


def matmul(cx: Context, path: str, given: Arguments) -> Val:
    lhs, rhs, accumulator = factors(cx, path, given, "lhs", "rhs")
    for value, other in ((lhs, rhs), (rhs, lhs)):
        if value.tensor.rank < 2:
            vector = "I.vecmat" if value is lhs else "I.matvec"
            cx.refuse(
                "kir.contract.rank",
                f"I.matmul takes rank 2 or more, not {value.tensor.rank}",
                f"use {vector}" if other.tensor.rank > 1 else "use I.dot",
            )
    flipped = [static_bool(cx, given.get(name), f"`{name}`") for name in ("transpose_lhs", "transpose_rhs")]
    inner = (-2 if flipped[0] else -1, -1 if flipped[1] else -2)
    a, b = lhs.tensor.shape[inner[0]], rhs.tensor.shape[inner[1]]
    if a != b and a == rhs.tensor.shape[-3 - inner[1]]:
        _refuse_extents(cx, a, b, f"use transpose_rhs={not flipped[1]}")
    return _batched(cx, (lhs, rhs), (2, 2), inner, accumulator)


def _refuse_extents(cx: Context, a: IntExpr, b: IntExpr, help: str) -> None:
    if a.constant is not None and b.constant is not None:
        cx.refuse(
            "kir.contract.extent", f"the paired extents {extent_text(a)} and {extent_text(b)} are not equal", help
        )


def matvec(cx: Context, path: str, given: Arguments) -> Val:
    matrix, vector, accumulator = factors(cx, path, given, "matrix", "vector")
    _ranks(cx, path, matrix, vector)
    inner = -2 if static_bool(cx, given.get("transpose"), "`transpose`") else -1
    return _batched(cx, (matrix, vector), (2, 1), (inner, -1), accumulator)


def vecmat(cx: Context, path: str, given: Arguments) -> Val:
    vector, matrix, accumulator = factors(cx, path, given, "vector", "matrix")
    _ranks(cx, path, matrix, vector)
    inner = -1 if static_bool(cx, given.get("transpose"), "`transpose`") else -2
    return _batched(cx, (vector, matrix), (1, 2), (-1, inner), accumulator)


def _ranks(cx: Context, path: str, matrix: Value, vector: Value) -> None:
    if matrix.tensor.rank < 2 or vector.tensor.rank < 1:
        cx.refuse(
            "kir.contract.rank",
            f"I.{path} takes a matrix of rank 2 or more and a vector, not rank "
            f"{matrix.tensor.rank} and {vector.tensor.rank}",
            "give the matrix and the vector in their places",
        )


def dot(cx: Context, path: str, given: Arguments) -> Val:
    lhs, rhs, accumulator = factors(cx, path, given, "lhs", "rhs")
    for value in (lhs, rhs):
        if value.tensor.rank != 1:
            cx.refuse(
                "kir.contract.rank",
                f"I.dot takes rank 1, not {value.tensor.rank}",
                "use I.matmul, I.matvec or I.contract",
            )
    return _contract(cx, lhs, rhs, ((0, 0),), (), accumulator)


def outer(cx: Context, path: str, given: Arguments) -> Val:
    lhs, rhs = operands(cx, "mul", given["lhs"], given["rhs"])
    for value in (lhs, rhs):
        if value.tensor.rank != 1:
            cx.refuse("kir.outer", f"I.outer takes rank 1, not {value.tensor.rank}", "use None axes and *")
    shape = (*lhs.tensor.shape, *rhs.tensor.shape)
    spread: list[Value] = []
    for value, axes in ((lhs, (0, None)), (rhs, (None, 0))):
        spread.append(cx.emitter.value(TensorType(value.tensor.dtype, shape)))
        cx.emitter.emit(Broadcast(value, axes, spread[-1]))
    return cx.emitter.pointwise("mul", *spread)


def contract(cx: Context, path: str, given: Arguments) -> Val:
    lhs, rhs, accumulator = factors(cx, path, given, "lhs", "rhs")
    reduce, batch = axis_pairs(cx, path, given, (lhs.tensor.rank, rhs.tensor.rank))
    return _contract(cx, lhs, rhs, reduce, batch, accumulator)


def axis_pairs(cx: Context, path: str, given: Arguments, ranks: tuple[int, int]) -> tuple[Pairs, Pairs]:
    """The paired axes of `reduce` and of `batch`: distinct axes inside the ranks, at least one reduced."""
    reduce = _pairs(cx, given["reduce"], "reduce", ranks)
    batch = _pairs(cx, given.get("batch", Tuple(())), "batch", ranks)
    if not reduce:
        cx.refuse(_PAIRS, f"`reduce` of I.{path} names no pair", "name a pair of axes, for example ((1, 0),)")
    for side, which in (("left", 0), ("right", 1)):
        named = [pair[which] for pair in reduce]
        repeated = [axis for axis in named if named.count(axis) > 1]
        if repeated:
            cx.refuse(_PAIRS, f"the {side} axis {repeated[0]} is in two pairs of `reduce`", "pair each axis once")
        both = [pair[which] for pair in batch if pair[which] in named]
        if both:
            cx.refuse(_PAIRS, f"the {side} axis {both[0]} is in `batch` and in `reduce`", "keep batch and reduce apart")
        in_batch = [pair[which] for pair in batch]
        if len(set(in_batch)) != len(in_batch):
            cx.refuse(_PAIRS, f"a {side} axis is in two pairs of `batch`", "pair each axis once")
    return reduce, batch


def _pairs(cx: Context, given: Val, name: str, ranks: tuple[int, int]) -> Pairs:
    pairs: list[tuple[int, int]] = []
    for item in given.items if isinstance(given, Tuple) else (given,):
        if not isinstance(item, Tuple) or len(item.items) != 2:
            cx.refuse(
                _PAIRS,
                f"`{name}` is a tuple of pairs of axes, not of {described(item)}",
                "write ((lhs_axis, rhs_axis),)",
            )
        left, right = item.items
        pairs.append((static_axis(cx, left, ranks[0], _PAIRS), static_axis(cx, right, ranks[1], _PAIRS)))
    return tuple(pairs)


def factors(cx: Context, path: str, given: Arguments, first: str, second: str) -> tuple[Value, Value, DType]:
    """Both operands in one numeric dtype, and the accumulator."""
    accumulator = dtype_argument(cx, given["acc_dtype"], "acc_dtype", "kir.contract.accumulator")
    dtypes = [dtype_of(given[name]) for name in (first, second)]
    if dtypes[0] is not None and dtypes[1] is not None and dtypes[0] != dtypes[1]:
        cx.refuse(
            "kir.contract.dtype",
            f"I.{path} of {dtypes[0]} and {dtypes[1]}",
            f"convert one with I.cast(..., I.{dtypes[0]})",
        )
    lhs, rhs = (tensor(cx, given[name], None, f"an operand of I.{path}") for name in (first, second))
    dtype = lhs.tensor.dtype
    if dtype.is_bool:
        cx.refuse("kir.contract.dtype", f"I.{path} does not take bool", "convert with I.cast first")
    if accumulator.is_bool or accumulator in EIGHT_BIT_FLOATS or dtype.is_float != accumulator.is_float:
        cx.refuse(
            "kir.contract.accumulator",
            f"{dtype} does not accumulate in {accumulator}",
            "use acc_dtype=I.f32" if dtype.is_float else "use acc_dtype=I.i32",
        )
    return lhs, rhs, accumulator


def _batched(
    cx: Context, values: tuple[Value, Value], cores: tuple[int, int], inner: tuple[int, int], accumulator: DType
) -> Value:
    """A product of core axes; leading axes are batch axes that broadcast."""
    lhs, rhs = values
    check_pair(cx, lhs.tensor.shape[inner[0]], rhs.tensor.shape[inner[1]])
    leading = [value.tensor.shape[: value.tensor.rank - core] for value, core in zip(values, cores, strict=True)]
    if leading[1]:
        common = common_shape(cx, leading[0], leading[1])
        lhs, rhs = (_leading(cx, value, common, core) for value, core in zip(values, cores, strict=True))
        leading = [common, common]
    batch = tuple((axis, axis) for axis in range(len(leading[1])))
    reduce = ((lhs.tensor.rank + inner[0], rhs.tensor.rank + inner[1]),)
    return _contract(cx, lhs, rhs, reduce, batch, accumulator)


def _leading(cx: Context, value: Value, batch: Shape, core: int) -> Value:
    return stretch(cx, value, (*batch, *value.tensor.shape[value.tensor.rank - core :]))


def check_pair(cx: Context, a: IntExpr, b: IntExpr) -> None:
    """Refuses paired axes of different extents, or lets the call test them."""
    require_equal(cx, a, b, "paired axes of a product", "kir.contract.extent")


def _contract(cx: Context, lhs: Value, rhs: Value, reduce: Pairs, batch: Pairs, accumulator: DType) -> Value:
    for left, right in (*reduce, *batch):
        check_pair(cx, lhs.tensor.shape[left], rhs.tensor.shape[right])
    shape = infer.contracted_shape(lhs.tensor.shape, rhs.tensor.shape, reduce, batch)
    result = cx.emitter.value(TensorType(accumulator, shape))
    cx.emitter.emit(Contract(lhs, rhs, reduce, batch, result))
    return result
