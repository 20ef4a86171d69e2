"""Arguments that must be known at compile time: numbers, truth values, axes, dtypes, shapes."""

from __future__ import annotations

from collections.abc import Sequence

from intent2cuda.base.intexpr import IntExpr
from intent2cuda.ir.value import Value
from intent2cuda.parse.context import Context
from intent2cuda.parse.describe import described, shape_text
from intent2cuda.parse.indexing import integer_dtype, scalar_expression
from intent2cuda.parse.sizes import oversized
from intent2cuda.parse.values import Dots, Element, Extent, Literal, Nothing, Text, Tuple, Val
from intent2cuda.types.dtype import BY_NAME, DType
from intent2cuda.types.value_type import DomainType, Shape, TensorType

_PYTHON_TYPES = {"float": "I.f32 or I.f64", "int": "I.i32 or I.i64", "bool": "I.bool"}


def static_integer(cx: Context, value: Val, role: str, code: str = "src.constexpr.value") -> int:
    """A compile-time integer. Refuses runtime values and other kinds."""
    match value:
        case Literal(value=number) if type(number) is int:
            return number
        case Extent(expression=expression) if expression.constant is not None:
            return expression.constant
        case Value(type=TensorType()) | Extent():
            cx.refuse(
                code,
                f"{role} is a compile-time constant, not {described(value)}",
                "write an integer, or pass a Constexpr",
            )
        case _:
            cx.refuse(code, f"{role} is an integer constant, not {described(value)}", "write an integer")


def static_bool(cx: Context, value: Val | None, role: str) -> bool:
    """A compile-time truth value; False when it is left out."""
    match value:
        case None:
            return False
        case Literal(value=bool() as flag):
            return flag
        case Value():
            cx.refuse(
                "src.constexpr.value",
                f"{role} is a compile-time constant, not {described(value)}",
                "write True or False, or pass a Constexpr",
            )
        case _:
            cx.refuse(
                "src.constexpr.value", f"{role} is a bool constant, not {described(value)}", "write True or False"
            )


def static_axes(cx: Context, value: Val, rank: int, code: str = "kir.reduce.axes") -> tuple[int, ...]:
    """Distinct axes inside the rank, sorted; one integer or a tuple."""
    items = value.items if isinstance(value, Tuple) else (value,)
    if not items:
        cx.refuse(code, "the tuple of axes is empty", "name at least one axis")
    axes = [static_axis(cx, item, rank, code) for item in items]
    if len(set(axes)) != len(axes):
        cx.refuse(code, f"axis {next(a for a in axes if axes.count(a) > 1)} is named twice", "name each axis once")
    return tuple(sorted(axes))


def static_axis(cx: Context, value: Val, rank: int, code: str) -> int:
    """One axis; a negative one counts from the last."""
    axis = static_integer(cx, value, "an axis", code)
    if not -rank <= axis < rank:
        cx.refuse(
            code,
            f"axis {axis} is outside a value of rank {rank}",
            f"use {-rank} to {rank - 1}" if rank else "a scalar has no axes",
        )
    return axis % rank


def one_axis(cx: Context, path: str, value: Val, rank: int, code: str) -> int:
    """The axis of an operation that takes a single one."""
    axes = static_axes(cx, value, rank, code)
    if len(axes) != 1:
        cx.refuse(code, f"I.{path} takes one axis, not {len(axes)}", "reshape the axes into one first")
    return axes[0]


def accumulator(cx: Context, path: str, value: Val, code: str) -> DType | None:
    """The dtype that acc_dtype names; None when it is left out."""
    if isinstance(value, Nothing):
        return None
    dtype = dtype_argument(cx, value, "acc_dtype")
    if dtype.is_bool:
        cx.refuse(code, f"the accumulator acc_dtype of I.{path} cannot be bool", "use I.i32, or I.reduce.any for bool")
    return dtype


def dtype_argument(cx: Context, value: Val, name: str, code: str = "src.call.dtype") -> DType:
    """A dtype of the language."""
    if isinstance(value, Element):
        return value.dtype
    help = "name a dtype of the language, for example I.f32"
    match value:
        case Text(value=text) if text in BY_NAME:
            help = f"write I.{text}"
        case _ if found := next((h for p, h in _PYTHON_TYPES.items() if f"`{p}`" in described(value)), None):
            help = f"write {found}"
        case _:
            pass
    cx.refuse(code, f"`{name}` is a dtype, not {described(value)}", help)


def shape_argument(cx: Context, value: Val, dtype: DType, code: str = "kir.shape.extent") -> Shape:
    """Extents from integers, extents, integer scalars, domains and names of extents, for elements of the dtype."""
    return bounded_shape(cx, tuple(extent_of(cx, item, code) for item in shape_items(cx, value, code)), dtype, code)


def bounded_shape(cx: Context, shape: Shape, dtype: DType, code: str) -> Shape:
    """The shape. Refuses one of too many axes or elements."""
    excess = oversized(shape, dtype, f"the shape {shape_text(shape)[:60]}", code)
    if excess is not None:
        cx.refuse(excess.code, excess.message, excess.help)
    return shape


def shape_items(cx: Context, value: Val, code: str) -> Sequence[Val]:
    if isinstance(value, Tuple):
        return value.items
    if isinstance(value, Literal | Extent) or (isinstance(value, Value) and isinstance(value.type, TensorType)):
        return (value,)
    cx.refuse(code, f"a shape is a tuple of extents, not {described(value)}", "write a tuple, for example (n, 4)")


def extent_of(cx: Context, item: Val, code: str) -> IntExpr:
    match item:
        case Value(type=DomainType() as domain):
            return domain.extent
        case Text():
            symbol = IntExpr.symbol(item.value)
            if symbol not in cx.signature_extents:
                cx.refuse(
                    code, f'"{item.value}" names no extent of the signature', "use a name from the shape of a parameter"
                )
            return symbol
        case Dots():
            cx.refuse(code, "an ellipsis stands where an extent is needed", "write the extent")
        case _:
            integer_dtype(cx, item, "an extent", code)
            extent = scalar_expression(cx, item)
            if (extent.constant or 0) < 0:
                cx.refuse(
                    "kir.shape.negative", f"the extent {extent.constant} is negative", "use a non-negative extent"
                )
            return extent
