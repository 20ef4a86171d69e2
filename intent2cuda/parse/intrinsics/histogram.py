"""Counting values by bin."""

from __future__ import annotations

from collections.abc import Mapping

from intent2cuda.base.intexpr import IntExpr
from intent2cuda.ir.ops import Histogram
from intent2cuda.ir.value import Value
from intent2cuda.parse.context import Context
from intent2cuda.parse.describe import described, shape_text
from intent2cuda.parse.indexing import integer_dtype, scalar_expression
from intent2cuda.parse.literals import tensor
from intent2cuda.parse.shaping import fit
from intent2cuda.parse.static import bounded_shape, dtype_argument
from intent2cuda.parse.values import Literal, Val
from intent2cuda.types.dtype import BOOL, INDEX, DType
from intent2cuda.types.value_type import Shape, TensorType

Arguments = Mapping[str, Val]


def histogram(cx: Context, path: str, given: Arguments) -> Val:
    """How often each number below `bins` stands among the valid values."""
    values = _values(cx, given["values"])
    bins = _bins(cx, given["bins"])
    valid = _valid(cx, given["valid"], values.tensor.shape)
    dtype = _count_dtype(cx, given["count_dtype"])
    shape = bounded_shape(cx, (bins,), dtype, "kir.histogram.bins")
    result = cx.emitter.value(TensorType(dtype, shape))
    cx.emitter.emit(Histogram(values, result, valid))
    return result


def _values(cx: Context, given: Val) -> Value:
    role = "the values of I.histogram"
    values = tensor(cx, given, None, role)
    if not values.tensor.shape:
        cx.refuse(
            "kir.histogram.values",
            f"{role} are a tensor, not {described(given)}",
            "compare it, or count with I.atomic.add",
        )
    if not values.tensor.dtype.is_integer:
        cx.refuse(
            "kir.histogram.values",
            f"{role} are of an integer dtype, not {values.tensor.dtype}",
            "convert with I.cast(..., I.i32)",
        )
    return values


def _bins(cx: Context, given: Val) -> IntExpr:
    integer_dtype(cx, given, "the number of bins", "kir.histogram.bins")
    bins = scalar_expression(cx, given)
    if bins.constant is not None and bins.constant <= 0:
        cx.refuse("kir.histogram.bins", f"the number of bins is positive, not {bins.constant}", "name at least one bin")
    return bins


def _valid(cx: Context, given: Val, shape: Shape) -> Value | None:
    """The validity in the shape of the values; None where all are valid."""
    if isinstance(given, Literal) and given.value is True:
        return None
    role = "`valid` of I.histogram"
    valid = tensor(cx, given, BOOL, role)
    if not valid.tensor.dtype.is_bool:
        cx.refuse(
            "kir.histogram.valid",
            f"{role} is a bool, not {valid.tensor.dtype}",
            "compare first, for example value >= 0",
        )
    if valid.tensor.rank > len(shape):
        cx.refuse(
            "kir.histogram.valid",
            f"{role}, {shape_text(valid.tensor.shape)}, would enlarge the values, {shape_text(shape)}",
            "give the values the full shape, for example with None axes",
        )
    return fit(cx, valid, shape, "kir.histogram.valid", role)


def _count_dtype(cx: Context, given: Val) -> DType:
    dtype = dtype_argument(cx, given, "count_dtype", "kir.histogram.counts")
    if not dtype.is_integer or dtype == INDEX:
        cx.refuse(
            "kir.histogram.counts",
            f"`count_dtype` of I.histogram is an integer of fixed width, not {dtype}",
            "use count_dtype=I.i32",
        )
    return dtype
