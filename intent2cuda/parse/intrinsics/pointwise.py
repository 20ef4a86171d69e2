"""Functions element by element: math, choice, conversions."""

from __future__ import annotations

import math
from collections.abc import Mapping

from intent2cuda.ir.ops import Bitcast
from intent2cuda.ir.value import Value
from intent2cuda.parse import folding
from intent2cuda.parse.context import Context
from intent2cuda.parse.literals import constant, dtype_of, no_tensor, tensor
from intent2cuda.parse.operators import binary, operands, selection
from intent2cuda.parse.shaping import broadcast
from intent2cuda.parse.static import dtype_argument, static_bool
from intent2cuda.parse.values import EnumMember, Extent, Literal, Val
from intent2cuda.types.dtype import BOOL, F32, INDEX, DType
from intent2cuda.types.value_type import BufferType, TensorType

Arguments = Mapping[str, Val]


def unary(cx: Context, path: str, given: Arguments) -> Val:
    """A function of one value that keeps dtype and shape."""
    flags = _permissions(cx, path, given)
    (value,) = operands(cx, path, given["value"])
    _require_f32(cx, path, value.tensor.dtype, flags)
    return cx.emitter.pointwise(path, value, approximate=flags[0], flush_to_zero=flags[1])


def two_operands(cx: Context, path: str, given: Arguments) -> Val:
    """`add`, `maximum` and their like."""
    return binary(cx, path, given["lhs"], given["rhs"])


def fdiv(cx: Context, path: str, given: Arguments) -> Val:
    flags = _permissions(cx, path, given)
    values = operands(cx, "div", given["lhs"], given["rhs"])
    _require_f32(cx, path, values[0].tensor.dtype, flags)
    return cx.emitter.pointwise("div", *broadcast(cx, values), approximate=flags[0], flush_to_zero=flags[1])


def _permissions(cx: Context, path: str, given: Arguments) -> tuple[bool, bool]:
    approximate = static_bool(cx, given.get("approximate"), f"`approximate` of I.{path}")
    flush = static_bool(cx, given.get("flush_to_zero"), f"`flush_to_zero` of I.{path}")
    if flush and not approximate:
        cx.refuse("kir.numerics", f"`flush_to_zero` of I.{path} needs `approximate`", "add approximate=True")
    return approximate, flush


def _require_f32(cx: Context, path: str, dtype: DType, flags: tuple[bool, bool]) -> None:
    if flags[0] and dtype != F32:
        cx.refuse(
            "kir.numerics",
            f"`approximate` of I.{path} is for f32, not {dtype}",
            "leave it out, or convert with I.cast(..., I.f32)",
        )


def cast(cx: Context, path: str, given: Arguments) -> Val:
    dtype = dtype_argument(cx, given["dtype"], "dtype", "kir.cast.dtype")
    value = given["value"]
    if isinstance(value, Literal):
        return constant(cx, _converted(cx, value, dtype), dtype, fresh=True)
    if isinstance(value, Extent) and dtype == INDEX:
        return value
    return cx.emitter.cast(_convertible(cx, value, "kir.cast.operand"), dtype)


def _convertible(cx: Context, value: Val, code: str) -> Value:
    """The operand of a conversion."""
    if dtype_of(value) is None:
        kept = isinstance(value, EnumMember) or (isinstance(value, Value) and isinstance(value.type, BufferType))
        return no_tensor(cx, value, "a tensor or scalar to convert", "" if kept else code)
    return tensor(cx, value)


def _converted(cx: Context, literal: Literal, dtype: DType) -> Literal:
    """A constant converted by the language's rules of casts."""
    value = literal.value
    if dtype.is_bool:
        return Literal(value != 0)
    if dtype.is_float:
        return literal if not isinstance(value, bool) else Literal(float(value))
    if isinstance(value, float):
        low, high = dtype.integer_range
        if math.isnan(value) or math.isinf(value) or not low <= int(value) <= high:
            cx.refuse(
                "src.literal.range", f"{folding.shown(literal)} has no value in {dtype}", "use a constant in its range"
            )
        return Literal(int(value))
    wrapped = int(value) % (1 << dtype.bits)
    if dtype.is_signed and wrapped >> (dtype.bits - 1):
        wrapped -= 1 << dtype.bits
    return literal if wrapped == value and not isinstance(value, bool) else Literal(wrapped)


def bitcast(cx: Context, path: str, given: Arguments) -> Val:
    dtype = dtype_argument(cx, given["dtype"], "dtype", "kir.bitcast.dtype")
    value = (
        _convertible(cx, given["value"], "kir.bitcast.operand")
        if not isinstance(given["value"], Literal)
        else (tensor(cx, given["value"]))
    )
    source = value.tensor.dtype
    for side in (source, dtype):
        if side in (BOOL, INDEX):
            cx.refuse("kir.bitcast", f"I.bitcast does not take {side}", "convert with I.cast")
    if source.bits != dtype.bits:
        cx.refuse(
            "kir.bitcast",
            f"I.bitcast keeps the width: {source} has {source.bits} bits, {dtype} has {dtype.bits}",
            "name a dtype of the same width, or convert with I.cast",
        )
    if source == dtype:
        return value
    result = cx.emitter.value(TensorType(dtype, value.tensor.shape, value.tensor.is_scalar))
    cx.emitter.emit(Bitcast(value, result))
    return result


def select(cx: Context, path: str, given: Arguments) -> Val:
    condition = tensor(cx, given["condition"], BOOL, "the condition of I.select")
    if not condition.tensor.dtype.is_bool:
        cx.refuse(
            "kir.select",
            f"the condition of I.select is a bool, not {condition.tensor.dtype}",
            "compare first, for example x != 0",
        )
    return selection(cx, condition, given["true_value"], given["false_value"], "I.select")


def mask(cx: Context, path: str, given: Arguments) -> Val:
    value = given["value"]
    found = dtype_of(value)
    if found is None and not isinstance(value, Literal):
        no_tensor(cx, value, "the value of I.mask")
    valid = tensor(cx, given["valid"], BOOL, "`valid` of I.mask")
    if not valid.tensor.dtype.is_bool:
        cx.refuse(
            "kir.mask", f"`valid` of I.mask is a bool, not {valid.tensor.dtype}", "compare first, for example x != 0"
        )
    fill = dtype_of(given["fill"])
    if found is not None and fill is not None and fill != found:
        cx.refuse(
            "kir.mask", f"the fill of I.mask is {fill}, the value is {found}", f"convert with I.cast(..., I.{found})"
        )
    return selection(cx, valid, value, given["fill"], "I.mask")
