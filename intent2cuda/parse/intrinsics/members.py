"""What generic reductions and scans combine: tensors, an identity for each, and a helper of two members."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from intent2cuda.ir import infer
from intent2cuda.ir.op import Region
from intent2cuda.ir.ops import Combiner
from intent2cuda.ir.value import Value
from intent2cuda.parse.context import Context
from intent2cuda.parse.describe import described, extent_text, shape_text
from intent2cuda.parse.intrinsics.shapes import filled
from intent2cuda.parse.literals import constant, tensor
from intent2cuda.parse.operators import accepted
from intent2cuda.parse.products import form, leaves, rebuilt
from intent2cuda.parse.pure_regions import Operation, Role, captured, combining, role, values, values_of
from intent2cuda.parse.shaping import require_equal
from intent2cuda.parse.static import accumulator, one_axis, static_axes
from intent2cuda.parse.values import Intrinsic, Literal, Nothing, Record, Tuple, Val
from intent2cuda.types.value_type import Shape, TensorType

Arguments = Mapping[str, Val]

COMBINERS: Mapping[str, Combiner] = {
    "add": Combiner.ADD,
    "maximum": Combiner.MAXIMUM,
    "minimum": Combiner.MINIMUM,
}


@dataclass(frozen=True)
class MemberOperation(Operation):
    """A reduction or scan, with the codes of its axes, extents and identity."""

    axes: str
    extent: str
    identity: str
    accumulator: str
    one_axis: bool = False


@dataclass(frozen=True)
class Members:
    """The checked arguments. `value` and `identity` are products of one form; leaves are tensors and scalars."""

    operation: MemberOperation
    value: Val
    axes: tuple[int, ...]
    identity: Val
    combine: Role
    captures: tuple[Val, ...]

    @property
    def sources(self) -> tuple[Value, ...]:
        return values(self.value)

    @property
    def token(self) -> str:
        """The intrinsic that combines; empty for a helper of the author."""
        return self.combine.function.path if isinstance(self.combine.function, Intrinsic) else ""

    def left(self, source: Value) -> Shape:
        """The extents of one member."""
        return infer.without_axes(source.tensor.shape, self.axes)


def members(cx: Context, operation: MemberOperation, given: Arguments) -> Members:
    """The members that an operation combines. Refuses arguments that do not fit one another."""
    combine = role(cx, operation, "combine", given["combine"])
    captures = captured(cx, operation, given.get(operation.captures, Tuple(())))
    value = _value(cx, operation, given)
    axes = _axes(cx, operation, given["axis"], values(value))
    if isinstance(combine.function, Intrinsic):
        _check_token(cx, combine, combine.function.path, value, captures)
    identity = _neutral(cx, operation, value, given["identity"], inside=isinstance(value, Value))
    found = Members(operation, value, axes, identity, combine, captures)
    for source, one in zip(found.sources, values(identity), strict=True):
        _check_identity(cx, operation, source, one, found.left(source))
    return found


def combined(cx: Context, found: Members) -> tuple[tuple[Value, ...], Region]:
    """The identities and the region that combines two members: elements, or else what is left of a value as a whole.

    Elements do when every identity is a scalar, nothing that is captured has axes, and all values have one shape.
    """
    sources, identity = found.sources, found.identity
    slices = any(found.left(source) != found.left(sources[0]) for source in sources)
    slices |= any(leaf.tensor.shape for leaf in values(identity))
    slices |= any(_has_axes(leaf) for capture in found.captures for leaf in leaves(capture))
    if slices:
        shapes = [found.left(source) for source in sources]
        pairs = zip(values(identity), shapes, strict=True)
        identity = rebuilt(identity, [one if one.tensor.shape else filled(cx, one, shape) for one, shape in pairs])
    takes = f"two members, then each value of {found.operation.captures}"
    region = combining(cx, found.combine, identity, takes, found.captures)
    return values(identity), region


def is_neutral(cx: Context, combiner: Combiner, identity: Value) -> bool:
    """Whether an identity is the constant that the builtin combination has for no members."""
    value, dtype = cx.emitter.constant_of(identity), identity.tensor.dtype
    match combiner:
        case Combiner.MAXIMUM:
            return value == (-math.inf if dtype.is_float else dtype.integer_range[0])
        case Combiner.MINIMUM:
            return value == (math.inf if dtype.is_float else dtype.integer_range[1])
        case _:
            return value == 0


def _value(cx: Context, operation: MemberOperation, given: Arguments) -> Val:
    """The tensors to combine, in the dtypes in which they are."""
    value = values_of(cx, given["value"], f"the value of I.{operation.path}")
    for leaf in values(value):
        if not leaf.tensor.shape:
            name = f"`{leaf.name}`" if leaf.name else "a value"
            cx.refuse(
                operation.axes,
                f"I.{operation.path} combines the members of tensors, and {name} is {described(leaf)}",
                "give tensors, or a tuple or record of them",
            )
    if not values(value):
        cx.refuse(operation.axes, f"the value of I.{operation.path} is an empty tuple", "give at least one tensor")
    chosen = accumulator(cx, operation.path, given.get("acc_dtype", Nothing()), operation.accumulator)
    if chosen is None:
        return value
    if isinstance(value, Value):
        return cx.emitter.cast(value, chosen)
    cx.refuse(
        operation.accumulator,
        f"acc_dtype of I.{operation.path} is for one tensor, not for {form(value)}",
        "convert the members with I.cast",
    )


def _axes(cx: Context, operation: MemberOperation, given: Val, sources: Sequence[Value]) -> tuple[int, ...]:
    """Axes of the first value that all others have too, with the same extents."""
    first = sources[0].tensor
    if operation.one_axis:
        axes = (one_axis(cx, operation.path, given, first.rank, operation.axes),)
    else:
        axes = static_axes(cx, given, first.rank, operation.axes)
    for source in sources[1:]:
        if source.tensor.rank <= axes[-1]:
            cx.refuse(
                operation.axes,
                f"a value of rank {source.tensor.rank} has no axis {axes[-1]}, as the first one has",
                "give all values the axes that are combined",
            )
        for axis in axes:
            a, b = first.shape[axis], source.tensor.shape[axis]
            text = f"the values of I.{operation.path} have one extent on axis {axis}"
            require_equal(cx, a, b, text, operation.extent)
    return axes


def _check_token(cx: Context, combine: Role, token: str, value: Val, captures: Sequence[Val]) -> None:
    operation = combine.operation
    if not isinstance(value, Value):
        cx.refuse(
            operation.helper,
            f"{combine.helper} combines single tensors, not {form(value)}",
            "give an intent.fn of two values",
        )
    if captures:
        cx.refuse(
            operation.schema,
            f"{combine.helper} takes two values, and `{operation.captures}` gives it more",
            "give an intent.fn, or leave the captures out",
        )
    accepted(cx, token, value.tensor.dtype)


def _neutral(cx: Context, operation: MemberOperation, like: Val, given: Val, inside: bool) -> Val:
    """The identity as a product of the form of the value. A literal alone or in a record takes the value's dtype."""
    match like, given:
        case Tuple(), Tuple() if len(like.items) == len(given.items):
            pairs = zip(like.items, given.items, strict=True)
            return Tuple(tuple(_neutral(cx, operation, a, b, inside) for a, b in pairs))
        case Record(), Record() if [name for name, _ in like.fields] == [name for name, _ in given.fields]:
            fields = zip(like.fields, given.fields, strict=True)
            return Record(tuple((name, _neutral(cx, operation, a, b, True)) for (name, a), (_, b) in fields))
        case Value(), Literal() if inside:
            return constant(cx, given, like.tensor.dtype)
        case Value(), _ if not isinstance(given, Tuple | Record):
            return tensor(cx, given, None, f"the identity of I.{operation.path}")
        case _:
            cx.refuse(
                operation.identity,
                f"the identity of I.{operation.path} is {form(given)}, and the value is {form(like)}",
                "give a value for each member, with the same fields in the same order",
            )


def _check_identity(cx: Context, operation: MemberOperation, source: Value, identity: Value, left: Shape) -> None:
    dtype, found = source.tensor.dtype, identity.tensor.dtype
    if dtype != found:
        cx.refuse(
            operation.identity,
            f"an identity of {found} stands beside a value of {dtype}",
            f"convert with I.cast(..., I.{dtype})",
        )
    shape = identity.tensor.shape
    if not shape:
        return
    if len(shape) != len(left):
        cx.refuse(
            operation.identity,
            f"an identity of the shape {shape_text(shape)} stands beside members of the shape {shape_text(left)}",
            "give a scalar, or a value of the extents that are left",
        )
    for own, target in zip(shape, left, strict=True):
        text = f"an identity has the extents of a member, {extent_text(target)} here"
        require_equal(cx, own, target, text, operation.identity)


def _has_axes(leaf: Val) -> bool:
    return isinstance(leaf, Value) and isinstance(leaf.type, TensorType) and bool(leaf.type.shape)
