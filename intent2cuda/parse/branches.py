"""Runtime branches: each side is read into a block of its own, then the names they changed are merged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from intent2cuda.ir.value import Value
from intent2cuda.parse.context import Context, Scope
from intent2cuda.parse.describe import described, value_text
from intent2cuda.parse.emitter import Block
from intent2cuda.parse.literals import default_dtype, dtype_of, tensor
from intent2cuda.parse.operators import common_default
from intent2cuda.parse.products import MismatchError, NoValueError, pair
from intent2cuda.parse.values import EnumMember, Literal, Record, Val
from intent2cuda.types.dtype import BOOL, DType
from intent2cuda.types.value_type import TensorType


@dataclass(frozen=True)
class Outcome:
    """One side of a branch: its ops and the names after it. `mark` is the newest value before it."""

    block: Block
    scope: Scope
    mark: int


@dataclass
class Columns:
    """The values that the two sides yield, and the results they merge into."""

    then: tuple[Value, ...] = ()
    other: tuple[Value, ...] = ()
    results: list[Value] = field(default_factory=list[Value])

    def add(self, cx: Context, name: str, then: Value, other: Value) -> Value:
        type_ = then.tensor
        scalar = type_.is_scalar and other.tensor.is_scalar
        result = cx.emitter.value(TensorType(type_.dtype, type_.shape, scalar), name)
        self.then += (then,)
        self.other += (other,)
        self.results.append(result)
        return result


def branch(cx: Context, body: Callable[[], None]) -> Outcome:
    """What a body does, without doing it to the names outside."""
    before = cx.frame.scope
    mark = cx.emitter.mark
    cx.frame.scope = dict(before)
    try:
        with cx.emitter.block() as block:
            body()
        return Outcome(block, cx.frame.scope, mark)
    finally:
        cx.frame.scope = before


def condition_value(cx: Context, test: Val, what: str, tensors: bool = False) -> Value:
    """A runtime condition: a bool scalar, or a bool tensor where those are taken."""
    if isinstance(test, EnumMember):
        cx.refuse("src.enum.value", f"{described(test)} is no condition", "compare it with a member of its enum")
    code = "kir.while.condition" if what == "while" else "kir.if.condition"
    if isinstance(test, Record):
        fields = ", ".join(name for name, _ in test.fields)
        cx.refuse(code, f"the condition of `{what}` is a bool, not a record", f"use one of its fields: {fields}")
    value = tensor(cx, test, BOOL, "a condition")
    if value.tensor.shape and not tensors:
        cx.refuse(
            "src.while.tensor_condition" if what == "while" else "src.if.tensor_condition",
            f"the condition of `{what}` is {value_text(value)}: it takes a scalar",
            "choose element by element with I.select, or make a scalar with I.reduce.any",
        )
    if not value.tensor.dtype.is_bool:
        cx.refuse(code, f"the condition of `{what}` is a bool, not {value.tensor.dtype}", "compare: x != 0")
    return value


def merge_values(cx: Context, then: tuple[Outcome, Val], other: tuple[Outcome, Val], what: str) -> tuple[Columns, Val]:
    """One value from those of two sides, with the columns that the sides must yield."""
    columns = Columns()
    sides = (then[1], other[1])
    dtypes = [dtype_of(side) for side in sides]
    if dtypes[0] is not None and dtypes[1] is not None and dtypes[0] != dtypes[1]:
        cx.refuse(
            "kir.dtype.mixed",
            f"the branches of {what} are {dtypes[0]} and {dtypes[1]}",
            cx.beginnings.advice(sides, dtypes) or f"convert one with I.cast(..., I.{dtypes[0]})",
        )
    try:
        merged = pair("", then[1], other[1], leaf_merger(cx, columns, then[0], other[0]))
    except (MismatchError, NoValueError) as error:
        cx.refuse(
            "kir.if.yield_type", f"the branches of {what} differ: {error}", "let both have one form, dtype and shape"
        )
    return columns, merged


def leaf_merger(cx: Context, columns: Columns, then: Outcome, other: Outcome) -> Callable[[str, Val, Val], Val]:
    def merged(name: str, lhs: Val, rhs: Val) -> Val:
        dtype = dtype_of(lhs) or dtype_of(rhs) or _two_literals(cx, lhs, rhs)
        sides = (in_block(cx, then.block, lhs, dtype), in_block(cx, other.block, rhs, dtype))
        a, b = (side.tensor for side in sides)
        if (
            a.dtype != b.dtype
            or len(a.shape) != len(b.shape)
            or any(not cx.emitter.are_equal(x, y) for x, y in zip(a.shape, b.shape, strict=True))
        ):
            raise MismatchError(f"{value_text(sides[0])} and {value_text(sides[1])}")
        return columns.add(cx, name, *sides)

    return merged


def _two_literals(cx: Context, lhs: Val, rhs: Val) -> DType:
    assert isinstance(lhs, Literal) and isinstance(rhs, Literal)
    if default_dtype(lhs).is_bool != default_dtype(rhs).is_bool:
        raise MismatchError(f"{default_dtype(lhs)} and {default_dtype(rhs)}")
    return common_default(cx, lhs, rhs, "a branch")


def in_block(cx: Context, block: Block, value: Val, dtype: DType) -> Value:
    with cx.emitter.block(block):
        return tensor(cx, value, dtype)
