"""Values of a stated shape: full, zeros, reshape, transpose, join."""

from __future__ import annotations

from collections.abc import Mapping

from intent2cuda.base.intexpr import IntExpr, Monomial
from intent2cuda.ir import infer
from intent2cuda.ir.ops import Broadcast, Join, Reshape, Transpose
from intent2cuda.ir.value import Value
from intent2cuda.parse.context import Context
from intent2cuda.parse.describe import described, extent_text, shape_text
from intent2cuda.parse.literals import dtype_of, tensor
from intent2cuda.parse.shaping import require_equal
from intent2cuda.parse.static import (
    bounded_shape,
    dtype_argument,
    extent_of,
    shape_argument,
    shape_items,
    static_integer,
)
from intent2cuda.parse.values import Dots, Extent, Literal, Nothing, Tuple, Val
from intent2cuda.types.dtype import DType
from intent2cuda.types.value_type import Shape, TensorType

Arguments = Mapping[str, Val]


def full(cx: Context, path: str, given: Arguments) -> Val:
    dtype = dtype_argument(cx, given["dtype"], "dtype")
    shape = shape_argument(cx, given["shape"], dtype)
    found = dtype_of(given["fill"])
    if found is not None and found != dtype:
        cx.refuse(
            "kir.full.dtype", f"the fill of I.full is {found}, not {dtype}", f"convert with I.cast(..., I.{dtype})"
        )
    fill = tensor(cx, given["fill"], dtype, "the fill of I.full")
    if fill.tensor.shape:
        cx.refuse(
            "kir.full.fill",
            f"the fill of I.full is a scalar, not {described(fill)}",
            "broadcast by an operation, or use None axes",
        )
    return filled(cx, fill, shape)


def zeros(cx: Context, path: str, given: Arguments) -> Val:
    dtype = dtype_argument(cx, given["dtype"], "dtype")
    shape = shape_argument(cx, given["shape"], dtype)
    return filled(cx, zero(cx, dtype), shape)


def zero(cx: Context, dtype: DType) -> Value:
    return cx.emitter.constant(False if dtype.is_bool else 0.0 if dtype.is_float else 0, dtype)


def filled(cx: Context, fill: Value, shape: Shape) -> Value:
    """A scalar in every position of a shape."""
    if not shape:
        return fill
    result = cx.emitter.value(TensorType(fill.tensor.dtype, shape))
    cx.emitter.emit(Broadcast(fill, (None,) * len(shape), result))
    return result


def reshape(cx: Context, path: str, given: Arguments) -> Val:
    value = given["value"]
    if isinstance(value, Literal | Extent):
        cx.refuse(
            "src.reshape.scalar", f"{described(value)} has no axes to reshape", "use I.full for a tensor of one value"
        )
    source = tensor(cx, value, None, "the value of I.reshape")
    if not source.tensor.shape:
        cx.refuse(
            "src.reshape.scalar",
            f"{described(source)} has no axes to reshape: it is a scalar",
            "use I.full for a tensor of one value",
        )
    shape = bounded_shape(
        cx, _target(cx, source.tensor.shape, given["shape"]), source.tensor.dtype, "kir.reshape.shape"
    )
    before, after = infer.count(source.tensor.shape), infer.count(shape)
    a, b = extent_text(before), extent_text(after)
    if before.constant is not None and after.constant is not None and before != after:
        cx.refuse(
            "kir.reshape.count",
            f"a value of {a} elements, {shape_text(source.tensor.shape)}, becomes {shape_text(shape)} of {b}",
            "keep the number of elements",
        )
    require_equal(cx, before, after, "I.reshape keeps the number of elements", "kir.reshape.count")
    if shape == source.tensor.shape:
        return source
    result = cx.emitter.value(TensorType(source.tensor.dtype, shape))
    cx.emitter.emit(Reshape(source, result))
    return result


def _target(cx: Context, source: Shape, given: Val) -> Shape:
    """The new shape, with an ellipsis replaced by the extent it stands for."""
    items = shape_items(cx, given if not isinstance(given, Dots) else Tuple((given,)), "kir.reshape.shape")
    for item in items:
        if isinstance(item, Literal) and item.value == -1:
            cx.refuse(
                "src.reshape.minus_one",
                "-1 is no extent: an inferred one is written `...`",
                "write ... once, for example (..., 4)",
            )
    dots = [k for k, item in enumerate(items) if isinstance(item, Dots)]
    if len(dots) > 1:
        cx.refuse(
            "src.reshape.inferred_many", f"only one extent can be inferred, not {len(dots)}", "write the others out"
        )
    extents = [IntExpr.of(1) if k in dots else extent_of(cx, item, "kir.reshape.shape") for k, item in enumerate(items)]
    if dots:
        extents[dots[0]] = _inferred(cx, source, infer.count(tuple(extents)))
    return tuple(extents)


def _inferred(cx: Context, source: Shape, rest: IntExpr) -> IntExpr:
    total = infer.count(source)
    if rest.constant == 0:
        cx.refuse("src.reshape.ambiguous", "an extent beside an extent of 0 cannot be inferred", "write the extent out")
    if total.constant is not None and rest.constant is not None and total.constant % rest.constant:
        cx.refuse(
            "kir.reshape.count",
            f"{total.constant} elements are not divisible by {rest.constant}",
            "choose extents that divide the count",
        )
    return quotient(total, rest)


def quotient(total: IntExpr, divisor: IntExpr) -> IntExpr:
    """The quotient of extents; common factors cancel, since one that is 0 makes the whole empty."""
    if len(divisor.terms) != 1:
        return total // divisor
    factors, number = divisor.terms[0]
    terms: list[tuple[Monomial, int]] = []
    for monomial, coefficient in total.terms:
        left = list(monomial)
        for factor in factors:
            if factor not in left:
                return total // divisor
            left.remove(factor)
        if coefficient % number:
            return total // divisor
        terms.append((tuple(left), coefficient // number))
    return sum((IntExpr(((monomial, c),)) for monomial, c in terms), IntExpr(()))


def transpose(cx: Context, path: str, given: Arguments) -> Val:
    source = tensor(cx, given["value"], None, "the value of I.transpose")
    rank = source.tensor.rank
    permutation = tuple(reversed(range(rank)))
    if not isinstance(given.get("permutation", Nothing()), Nothing):
        permutation = _permutation(cx, given["permutation"], rank)
    if permutation == tuple(range(rank)):
        return source
    shape = infer.transposed_shape(source.tensor.shape, permutation)
    result = cx.emitter.value(TensorType(source.tensor.dtype, shape))
    cx.emitter.emit(Transpose(source, permutation, result))
    return result


def _permutation(cx: Context, given: Val, rank: int) -> tuple[int, ...]:
    items = given.items if isinstance(given, Tuple) else (given,)
    axes = [static_integer(cx, item, "an axis of a permutation", "kir.permute.constant") for item in items]
    code, help = "kir.permute.not_bijective", f"name each of the {rank} axes once"
    if len(axes) != rank:
        cx.refuse(code, f"a permutation of {len(axes)} axes for a value of rank {rank}", help)
    for axis in axes:
        if not -rank <= axis < rank:
            cx.refuse(code, f"axis {axis} is outside a value of rank {rank}", help)
    positive = tuple(axis % rank for axis in axes)
    for axis in positive:
        if positive.count(axis) > 1:
            cx.refuse(code, f"axis {axis} stands twice in the permutation", help)
    return positive


def join(cx: Context, path: str, given: Arguments) -> Val:
    dtypes = [dtype_of(given[side]) for side in ("lhs", "rhs")]
    if dtypes[0] is not None and dtypes[1] is not None and dtypes[0] != dtypes[1]:
        cx.refuse(
            "kir.join.dtype", f"I.join of {dtypes[0]} and {dtypes[1]}", f"convert one with I.cast(..., I.{dtypes[0]})"
        )
    known = dtypes[0] or dtypes[1]
    lhs, rhs = (tensor(cx, given[side], known, "an operand of I.join") for side in ("lhs", "rhs"))
    a, b = lhs.tensor.shape, rhs.tensor.shape
    help = "join equal shapes; it does not broadcast"
    if len(a) != len(b):
        cx.refuse(
            "kir.join.shape", f"I.join of rank {len(a)} and rank {len(b)}: {shape_text(a)} and {shape_text(b)}", help
        )
    for x, y in zip(a, b, strict=True):
        if x.constant is not None and y.constant is not None and x != y:
            cx.refuse("kir.join.shape", f"I.join of the extents {x.constant} and {y.constant}", help)
        require_equal(cx, x, y, "I.join takes equal shapes", "kir.join.shape")
    result = cx.emitter.value(TensorType(lhs.tensor.dtype, (*a, IntExpr.of(2))))
    cx.emitter.emit(Join(lhs, rhs, result))
    return result
