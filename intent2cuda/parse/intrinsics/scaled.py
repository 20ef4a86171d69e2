"""Products of operands that are encoded in groups with a scale for each."""

from __future__ import annotations

from collections.abc import Mapping

from intent2cuda.base.intexpr import IntExpr
from intent2cuda.ir.ops import ScaledContract, ScaledFormat
from intent2cuda.ir.value import Value
from intent2cuda.parse.context import Context
from intent2cuda.parse.describe import described, extent_text
from intent2cuda.parse.literals import tensor
from intent2cuda.parse.shaping import require_equal
from intent2cuda.parse.static import dtype_argument, static_integer
from intent2cuda.parse.values import Intrinsic, Literal, Tuple, Val
from intent2cuda.types.dtype import EIGHT_BIT_FLOATS, F8E4M3FN, F32, U8, DType
from intent2cuda.types.value_type import TensorType

Arguments = Mapping[str, Val]

FORMATS: Mapping[str, ScaledFormat] = {"e2m1": ScaledFormat.E2M1, "e4m3": ScaledFormat.E4M3}

_CARRIERS: Mapping[ScaledFormat, tuple[DType, ...]] = {
    ScaledFormat.E2M1: (U8,),
    ScaledFormat.E4M3: (F8E4M3FN, U8),
}

_PACKED: Mapping[ScaledFormat, int] = {ScaledFormat.E2M1: 2, ScaledFormat.E4M3: 1}
"""How many members a carrier holds."""

_SHAPES: Mapping[str, str] = {"lhs": "[M, G, C]", "lhs_scale": "[M, G]", "rhs": "[G, C, N]", "rhs_scale": "[N, G]"}

_REDUCED = ((1, 0), (2, 1))


def scaled_matmul(cx: Context, path: str, given: Arguments) -> Val:
    return _contract(cx, path, given, _group_size(cx, given["group_size"], "group_size"))


def scaled_contract(cx: Context, path: str, given: Arguments) -> Val:
    sizes = [_group_size(cx, given[name], name) for name in ("lhs_group_size", "rhs_group_size")]
    if sizes[0] != sizes[1]:
        cx.refuse(
            "kir.scaled.group", f"the group sizes {sizes[0]} and {sizes[1]} differ", "give both operands one group size"
        )
    if _pairs(given["reduce"]) != _REDUCED:
        cx.refuse(
            "kir.scaled.schema", f"`reduce` of I.{path} pairs the groups and their members", f"write reduce={_REDUCED}"
        )
    if _pairs(given.get("batch", Tuple(()))) != ():
        cx.refuse(
            "kir.scaled.schema", f"I.{path} has no batch axes", "leave `batch` out, and write a loop over I.parallel"
        )
    return _contract(cx, path, given, sizes[0])


def _pairs(given: Val) -> tuple[tuple[int, ...], ...] | None:
    """Pairs of axes written as numbers; None for anything else."""
    pairs: list[tuple[int, ...]] = []
    for item in given.items if isinstance(given, Tuple) else (given,):
        if not isinstance(item, Tuple):
            return None
        pairs.append(tuple(axis.value for axis in item.items if isinstance(axis, Literal) and type(axis.value) is int))
    return tuple(pairs)


def _group_size(cx: Context, given: Val, name: str) -> int:
    size = static_integer(cx, given, f"`{name}`", "kir.scaled.group")
    if size <= 0:
        cx.refuse("kir.scaled.group", f"`{name}` is positive, not {size}", "name how many members share a scale")
    return size


def _contract(cx: Context, path: str, given: Arguments, group_size: int) -> Value:
    accumulator = dtype_argument(cx, given["acc_dtype"], "acc_dtype", "kir.contract.accumulator")
    if not accumulator.is_float or accumulator in EIGHT_BIT_FLOATS:
        cx.refuse("kir.contract.accumulator", f"I.{path} does not accumulate in {accumulator}", "use acc_dtype=I.f32")
    lhs_format, rhs_format = (_format(cx, given[name], name) for name in ("lhs_format", "rhs_format"))
    lhs, lhs_scale, rhs, rhs_scale = (_operand(cx, path, given, name) for name in _SHAPES)
    for name, value, format in (("lhs", lhs, lhs_format), ("rhs", rhs, rhs_format)):
        _check_carrier(cx, name, value, format)
    for name, value in (("lhs_scale", lhs_scale), ("rhs_scale", rhs_scale)):
        _check_scale(cx, name, value)
    (rows, groups, left), (_, right, columns) = lhs.tensor.shape, rhs.tensor.shape
    _check_group(cx, "lhs", lhs_format, left, group_size)
    _check_group(cx, "rhs", rhs_format, right, group_size)
    for name, value, expected in (
        ("rhs", rhs, (groups, right, columns)),
        ("lhs_scale", lhs_scale, (rows, groups)),
        ("rhs_scale", rhs_scale, (columns, groups)),
    ):
        for found, extent in zip(value.tensor.shape, expected, strict=True):
            require_equal(cx, found, extent, f"`{name}` of I.{path} is {_SHAPES[name]}", "kir.scaled.schema")
    result = cx.emitter.value(TensorType(accumulator, (rows, columns)))
    cx.emitter.emit(ScaledContract(lhs, lhs_scale, rhs, rhs_scale, lhs_format, rhs_format, group_size, result))
    return result


def _format(cx: Context, given: Val, name: str) -> ScaledFormat:
    format = FORMATS.get(given.path) if isinstance(given, Intrinsic) else None
    if format is None:
        cx.refuse(
            "kir.scaled.format",
            f"`{name}` is a format of scaled members, not {described(given)}",
            "write I.e2m1 or I.e4m3",
        )
    return format


def _operand(cx: Context, path: str, given: Arguments, name: str) -> Value:
    value = tensor(cx, given[name], None, f"`{name}` of I.{path}")
    rank = _SHAPES[name].count(",") + 1
    if value.tensor.rank != rank:
        cx.refuse(
            "kir.scaled.schema",
            f"`{name}` of I.{path} has rank {rank}, {_SHAPES[name]}, not {value.tensor.rank}",
            "split the contracted axis into groups with I.reshape",
        )
    return value


def _check_carrier(cx: Context, name: str, value: Value, format: ScaledFormat) -> None:
    carriers = _CARRIERS[format]
    if value.tensor.dtype not in carriers:
        listed = " or ".join(str(dtype) for dtype in carriers)
        cx.refuse(
            "kir.scaled.format",
            f"members of {format.value} lie in {listed}, `{name}` is {value.tensor.dtype}",
            f"declare it as I.{carriers[0]}",
        )


def _check_scale(cx: Context, name: str, value: Value) -> None:
    if value.tensor.dtype not in (U8, F32):
        cx.refuse(
            "kir.scaled.format",
            f"a scale is u8 (its exponent) or f32, `{name}` is {value.tensor.dtype}",
            "convert with I.cast(..., I.f32)",
        )


def _check_group(cx: Context, name: str, format: ScaledFormat, carriers: IntExpr, group_size: int) -> None:
    """Refuses a group that the carriers do not hold."""
    packed = _PACKED[format]
    if group_size % packed:
        cx.refuse(
            "kir.scaled.group",
            f"a group of {group_size} members of {format.value}, {packed} in a byte, ends inside a byte",
            "use an even group size",
        )
    if carriers.constant != group_size // packed:
        cx.refuse(
            "kir.scaled.group",
            f"a group of {group_size} members of {format.value} takes {group_size // packed} elements, `{name}` has "
            f"{extent_text(carriers)}",
            f"declare `{name}` with the fixed extent {group_size // packed}",
        )
