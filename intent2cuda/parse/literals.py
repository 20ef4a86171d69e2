"""Literals take the dtype of their place; everything else that is no runtime tensor is refused where one must stand."""

from __future__ import annotations

import math

from intent2cuda.base.intexpr import IntExpr
from intent2cuda.ir.ops import Load
from intent2cuda.ir.terms import Whole
from intent2cuda.ir.value import Value
from intent2cuda.parse import folding
from intent2cuda.parse.context import Context, RefusedError
from intent2cuda.parse.describe import described
from intent2cuda.parse.sizes import holds
from intent2cuda.parse.values import (
    EnumMember,
    EnumType,
    Extent,
    Function,
    HostName,
    HostValue,
    Literal,
    Nothing,
    Poison,
    Ragged,
    Record,
    Text,
    Tuple,
    Val,
    Void,
)
from intent2cuda.types.dtype import BOOL, F8E4M3FN, F64, I64, INDEX, DType
from intent2cuda.types.rounding import greatest, rounded
from intent2cuda.types.value_type import BufferType, DomainType, TensorType, ViewType, scalar


def default_dtype(literal: Literal) -> DType:
    """The dtype of a literal that nothing adapts."""
    return BOOL if isinstance(literal.value, bool) else I64 if isinstance(literal.value, int) else F64


def constant(cx: Context, literal: Literal, dtype: DType, fresh: bool = False) -> Value:
    """The literal as a constant of a dtype that must be able to represent it; a `fresh` one can be named."""
    value = representable(cx, literal, dtype)
    return cx.emitter.constant(value, dtype, literal.text, fresh, literal.named)


def representable(cx: Context, literal: Literal, dtype: DType) -> bool | int | float:
    """The literal's value in the dtype. Refuses one that the dtype cannot represent."""
    value = literal.value
    if isinstance(value, bool) or dtype.is_bool:
        if isinstance(value, bool) and dtype.is_bool:
            return value
        if dtype.is_bool:
            cx.refuse(
                "src.literal.bool",
                f"{folding.shown(literal)} stands where a bool is needed",
                "write True or False, or a comparison",
            )
        cx.refuse(
            "src.literal.bool",
            f"{value} stands where a number of {dtype} is needed",
            f"write I.cast({value}, I.{dtype}), or 0 or 1",
        )
    if dtype.is_float:
        return _float(cx, literal, dtype)
    if isinstance(value, float):
        cx.refuse(
            "src.literal.fraction",
            f"{folding.shown(literal)} stands where an integer of {dtype} is needed",
            "write an integer, or convert the other operand with I.cast(..., I.f32)",
        )
    low, high = dtype.integer_range
    if not low <= value <= high:
        cx.refuse(
            "src.literal.range",
            f"{folding.shown(literal)} is outside {dtype}, which holds {low} to {high}",
            "use a value in the range, or a wider dtype through I.cast",
        )
    return value


def _float(cx: Context, literal: Literal, dtype: DType) -> float:
    try:
        value = float(literal.value)
    except OverflowError:
        cx.refuse("src.literal.range", f"{folding.shown(literal)} is outside {dtype}", "use a smaller constant")
    infinite = math.isinf(value)
    if dtype == F8E4M3FN and not abs(value) <= greatest(dtype):
        cx.refuse(
            "src.literal.range",
            f"{folding.shown(literal)} is outside f8e4m3fn, whose greatest number is 448",
            "use a finite value up to 448; the format has no infinity",
        )
    result = rounded(value, dtype)
    if math.isinf(result) and not infinite:
        cx.refuse(
            "src.literal.range",
            f"{folding.shown(literal)} is outside {dtype}, whose greatest number is {greatest(dtype):g}",
            "use a smaller value, I.inf if infinity is meant, or a wider dtype",
        )
    return result


def held(cx: Context, expression: IntExpr) -> IntExpr:
    """The expression. Refuses a number that index does not hold."""
    number = expression.constant
    if number is not None and not holds(number):
        representable(cx, Literal(number), INDEX)
    return expression


def tensor(cx: Context, value: Val, dtype: DType | None = None, role: str = "") -> Value:
    """The runtime tensor or scalar that a value stands for. A literal takes `dtype`, or its own default.

    `role` completes "... stands where ... is needed". Whole views are read.
    """
    match value:
        case Value(type=TensorType()):
            return value
        case Literal():
            return constant(cx, value, dtype if dtype is not None else default_dtype(value))
        case Extent():
            return cx.emitter.dim(held(cx, value.expression), value.named)
        case Value(type=ViewType() as found):
            result = cx.emitter.value(TensorType(found.dtype, found.shape) if found.shape else scalar(found.dtype))
            cx.emitter.emit(Load(value, (Whole(),) * len(found.shape), result))
            return result
        case _:
            return no_tensor(cx, value, role or "a tensor or scalar")


def no_tensor(cx: Context, value: Val, role: str, code: str = "") -> Value:
    """Refuses a value that is no tensor or scalar, each kind with its own advice."""
    match value:
        case Poison():
            raise RefusedError
        case Value(type=DomainType()):
            found = ("kir.domain.value", "use I.indices for its coordinates, or index with it")
        case Value(type=BufferType()):
            found = ("kir.buffer.value", f"read it first: {value.name}[:]")
        case Tuple():
            found = ("kir.dtype.tuple", "use one member, by position or by unpacking")
        case Record():
            found = ("kir.dtype.record", "use one field of the record")
        case EnumType() | EnumMember():
            found = ("src.enum.value", "enum members exist at compile time only; compare them, or branch on them")
        case Text():
            found = ("src.literal.text", "strings name extents only; write a number")
        case Nothing():
            found = ("src.literal.none", "write a number, or a tensor")
        case Function(kind="kernel"):
            found = ("src.kernel.calls_kernel", "kernels are launched by the host; share code through an intent.fn")
        case HostValue():
            found = ("src.fn.capture", "capture numbers, tuples and enums only; pass the rest as a parameter")
        case HostName() | Function():
            found = ("src.call.value", "call it, or write the value itself")
        case Ragged():
            found = ("kir.ragged.value", "use one of its groups, for example rows[g]")
        case Void():
            found = (value.code, value.help)
        case _:
            found = ("kir.dtype.value", "write a number, or a tensor")
    cx.refuse(code or found[0], f"{described(value)} stands where {role} is needed", found[1])


def dtype_of(value: Val) -> DType | None:
    """The dtype of a runtime value; None for a literal and for what has none."""
    match value:
        case Value(type=TensorType() | ViewType() as found):
            return found.dtype
        case Extent():
            return INDEX
        case _:
            return None
