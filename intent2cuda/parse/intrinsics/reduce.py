"""Reductions: the builtin ones, and those by a helper of the author."""

from __future__ import annotations

from collections.abc import Mapping

from intent2cuda.ir import infer
from intent2cuda.ir.ops import ArgReduce, Combiner, Reduce, ReduceBy
from intent2cuda.ir.value import Value
from intent2cuda.parse.context import Context
from intent2cuda.parse.intrinsics.members import COMBINERS, MemberOperation, combined, is_neutral, members
from intent2cuda.parse.literals import tensor
from intent2cuda.parse.operators import binary
from intent2cuda.parse.products import rebuilt
from intent2cuda.parse.pure_regions import values
from intent2cuda.parse.static import accumulator, one_axis, static_axes
from intent2cuda.parse.values import Nothing, Tuple, Val
from intent2cuda.types.dtype import INDEX, sum_dtype

Arguments = Mapping[str, Val]

_COMBINERS: Mapping[str, Combiner] = {
    "reduce.sum": Combiner.ADD,
    "reduce.max": Combiner.MAXIMUM,
    "reduce.any": Combiner.ANY,
    "reduce.all": Combiner.ALL,
}

_BY_HELPER = MemberOperation(
    path="reduce",
    captures="combine_operands",
    helper="kir.reduce.combine",
    schema="kir.reduce.schema",
    impure="kir.reduce.impure",
    axes="kir.reduce.axes",
    extent="kir.reduce.extent",
    identity="kir.reduce.identity",
    accumulator="kir.reduce.accumulator",
)


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


def _accumulated(cx: Context, path: str, combiner: Combiner, source: Value, given: Val) -> Value:
    """The source in the dtype in which it is combined."""
    dtype = source.tensor.dtype
    if combiner in (Combiner.ANY, Combiner.ALL):
        if not dtype.is_bool:
            cx.refuse("kir.reduce.dtype", f"I.{path} takes bool, not {dtype}", "compare first, for example x != 0")
        return source
    chosen = accumulator(cx, path, given, "kir.reduce.accumulator")
    if chosen is not None:
        return cx.emitter.cast(source, chosen)
    if dtype.is_bool:
        help = "name an accumulator: acc_dtype=I.i32" if combiner is Combiner.ADD else "use I.reduce.any"
        cx.refuse("kir.reduce.dtype", f"I.{path} of bool", help)
    return cx.emitter.cast(source, sum_dtype(dtype)) if combiner is Combiner.ADD else source


def arg_max(cx: Context, path: str, given: Arguments) -> Val:
    """The greatest members along one axis and their positions."""
    source = tensor(cx, given["value"], None, "the value of I.arg_reduce.max")
    axis = one_axis(cx, path, given["axis"], source.tensor.rank, "kir.reduce.axes")
    chosen = accumulator(cx, path, given.get("acc_dtype", Nothing()), "kir.reduce.accumulator")
    source = source if chosen is None else cx.emitter.cast(source, chosen)
    if source.tensor.dtype.is_bool:
        cx.refuse("kir.reduce.dtype", "I.arg_reduce.max of bool", "convert with I.cast first")
    shape = infer.without_axes(source.tensor.shape, (axis,))
    best = cx.emitter.value(infer.tensor_or_scalar(source.tensor.dtype, shape))
    place = cx.emitter.value(infer.tensor_or_scalar(INDEX, shape))
    cx.emitter.emit(ArgReduce(source, axis, (best, place)))
    return Tuple((best, place))


def by_helper(cx: Context, path: str, given: Arguments) -> Val:
    """`I.reduce`: by a helper, or by an intrinsic that is a builtin reduction."""
    found = members(cx, _BY_HELPER, given)
    if found.token:
        (source,), (identity,), combiner = found.sources, values(found.identity), COMBINERS[found.token]
        result = cx.emitter.value(infer.tensor_or_scalar(source.tensor.dtype, found.left(source)))
        cx.emitter.emit(Reduce(combiner, source, found.axes, result))
        return result if is_neutral(cx, combiner, identity) else binary(cx, found.token, identity, result)
    identity, combine = combined(cx, found)
    results = [
        cx.emitter.value(infer.tensor_or_scalar(source.tensor.dtype, found.left(source))) for source in found.sources
    ]
    cx.emitter.emit(ReduceBy(found.sources, found.axes, identity, combine, tuple(results)))
    return rebuilt(found.value, results)
