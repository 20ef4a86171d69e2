"""Builtin reductions."""

from __future__ import annotations

from collections.abc import Mapping

from intent2cuda.ir import infer
from intent2cuda.ir.ops import ArgReduce, Combiner, Reduce
from intent2cuda.ir.value import Value
from intent2cuda.parse.context import Context
from intent2cuda.parse.literals import tensor
from intent2cuda.parse.static import dtype_argument, static_axes
from intent2cuda.parse.values import Nothing, Tuple, Val
from intent2cuda.types.dtype import INDEX, DType, sum_dtype

Arguments = Mapping[str, Val]

_COMBINERS: Mapping[str, Combiner] = {
    "reduce.sum": Combiner.ADD,
    "reduce.max": Combiner.MAXIMUM,
    "reduce.any": Combiner.ANY,
    "reduce.all": Combiner.ALL,
}


def builtin(cx: Context, path: str, given: Arguments) -> Val:
    """`reduce.sum`, `.max`, `.any`, `.all`."""
    combiner = _COMBINERS[path]
    source = tensor(cx, given["value"], None, f"the value of I.{path}")
    axes = static_axes(cx, given["axis"], source.tensor.rank)
    source = _accumulated(cx, path, combiner, source, given.get("acc_dtype", Nothing()))
    shape = infer.without_axes(source.tensor.shape, axes)
    result = cx.emitter.value(infer.tensor_or_scalar(source.tensor.dtype, shape))
    cx.emitter.emit(Reduce(combiner, source, axes, result))
    return result


def _accumulated(cx: Context, path: str, combiner: Combiner, source: Value, accumulator: Val) -> Value:
    """The source in the dtype in which it is combined."""
    dtype = source.tensor.dtype
    if combiner in (Combiner.ANY, Combiner.ALL):
        if not dtype.is_bool:
            cx.refuse("kir.reduce.dtype", f"I.{path} takes bool, not {dtype}", "compare first, for example x != 0")
        return source
    chosen = _accumulator(cx, path, accumulator)
    if chosen is not None:
        return cx.emitter.cast(source, chosen)
    if dtype.is_bool:
        help = "name an accumulator: acc_dtype=I.i32" if combiner is Combiner.ADD else "use I.reduce.any"
        cx.refuse("kir.reduce.dtype", f"I.{path} of bool", help)
    return cx.emitter.cast(source, sum_dtype(dtype)) if combiner is Combiner.ADD else source


def _accumulator(cx: Context, path: str, given: Val) -> DType | None:
    if isinstance(given, Nothing):
        return None
    dtype = dtype_argument(cx, given, "acc_dtype")
    if dtype.is_bool:
        cx.refuse(
            "kir.reduce.accumulator",
            f"the accumulator acc_dtype of I.{path} cannot be bool",
            "use I.i32, or I.reduce.any",
        )
    return dtype


def arg_max(cx: Context, path: str, given: Arguments) -> Val:
    """The greatest members along one axis and their positions."""
    source = tensor(cx, given["value"], None, "the value of I.arg_reduce.max")
    axes = static_axes(cx, given["axis"], source.tensor.rank)
    if len(axes) != 1:
        cx.refuse(
            "kir.reduce.axes", f"I.arg_reduce.max takes one axis, not {len(axes)}", "reshape the axes into one first"
        )
    chosen = _accumulator(cx, path, given.get("acc_dtype", Nothing()))
    source = source if chosen is None else cx.emitter.cast(source, chosen)
    if source.tensor.dtype.is_bool:
        cx.refuse("kir.reduce.dtype", "I.arg_reduce.max of bool", "convert with I.cast first")
    shape = infer.without_axes(source.tensor.shape, axes)
    best = cx.emitter.value(infer.tensor_or_scalar(source.tensor.dtype, shape))
    place = cx.emitter.value(infer.tensor_or_scalar(INDEX, shape))
    cx.emitter.emit(ArgReduce(source, axes[0], (best, place)))
    return Tuple((best, place))
