"""Records of quantised numbers."""

from __future__ import annotations

from collections.abc import Mapping

from intent2cuda.base.intexpr import IntExpr
from intent2cuda.ir.ops import Quantize, QuantizedDot, RecordFormat
from intent2cuda.ir.value import Value
from intent2cuda.parse.context import Context
from intent2cuda.parse.describe import described, extent_text
from intent2cuda.parse.literals import tensor
from intent2cuda.parse.shaping import require_equal
from intent2cuda.parse.static import dtype_argument
from intent2cuda.parse.values import Intrinsic, Val
from intent2cuda.types.dtype import F32, U8, DType
from intent2cuda.types.value_type import TensorType

Arguments = Mapping[str, Val]

FORMATS: Mapping[str, RecordFormat] = {"quant.q4_k": RecordFormat.Q4_K, "quant.q8_k": RecordFormat.Q8_K}

_BYTES: Mapping[RecordFormat, int] = {RecordFormat.Q4_K: 144, RecordFormat.Q8_K: 292}

_NUMBERS = 256
"""How many numbers a record holds."""


def quantize(cx: Context, path: str, given: Arguments) -> Val:
    """Each row of numbers as a record of bytes."""
    format = _format(cx, path, given["format"], "format", RecordFormat.Q8_K)
    source = _rows(cx, given["values"], f"the values of I.{path}", F32, _NUMBERS)
    result = cx.emitter.value(TensorType(U8, (source.tensor.shape[0], IntExpr.of(_BYTES[format]))))
    cx.emitter.emit(Quantize(source, format, result))
    return result


def quantized_dot(cx: Context, path: str, given: Arguments) -> Val:
    """The sum over all pairs of records: a tensor of rank 0."""
    accumulator = dtype_argument(cx, given["acc_dtype"], "acc_dtype", "kir.quant.accumulator")
    if accumulator != F32:
        cx.refuse(
            "kir.quant.accumulator",
            f"the accumulator acc_dtype of I.{path} is f32, not {accumulator}",
            "write acc_dtype=I.f32, and convert the result with I.cast",
        )
    lhs, rhs = (
        _records(cx, path, given, side, format)
        for side, format in (("lhs", RecordFormat.Q4_K), ("rhs", RecordFormat.Q8_K))
    )
    require_equal(
        cx,
        lhs.tensor.shape[0],
        rhs.tensor.shape[0],
        f"I.{path} takes as many records on both sides",
        "kir.quant.schema",
    )
    result = cx.emitter.value(TensorType(F32, ()))
    cx.emitter.emit(QuantizedDot(lhs, rhs, result))
    return result


def _records(cx: Context, path: str, given: Arguments, side: str, format: RecordFormat) -> Value:
    _format(cx, path, given[f"{side}_format"], f"{side}_format", format)
    return _rows(cx, given[side], f"`{side}` of I.{path}", U8, _BYTES[format])


def _format(cx: Context, path: str, given: Val, name: str, expected: RecordFormat) -> RecordFormat:
    """The one format that the operand has."""
    found = FORMATS.get(given.path) if isinstance(given, Intrinsic) else None
    if found is not expected:
        what = described(given) if found is None else found.value
        cx.refuse(
            "kir.quant.format",
            f"`{name}` of I.{path} is {expected.value}, not {what}",
            f"write I.quant.{expected.value}",
        )
    return expected


def _rows(cx: Context, given: Val, role: str, dtype: DType, width: int) -> Value:
    """A matrix whose rows are the blocks or records of a format."""
    value = tensor(cx, given, None, role)
    found = value.tensor
    if found.dtype != dtype:
        cx.refuse("kir.quant.dtype", f"{role} are {dtype}, not {found.dtype}", f"convert with I.cast(..., I.{dtype})")
    if found.rank != 2:
        cx.refuse("kir.quant.schema", f"{role} have rank 2, not {found.rank}", f"use I.reshape to rows of {width}")
    extent = found.shape[1]
    if extent.constant != width:
        cx.refuse(
            "kir.quant.schema",
            f"{role} have rows of {width}, not {extent_text(extent)}",
            f"use I.reshape to rows of {width}",
        )
    return value
