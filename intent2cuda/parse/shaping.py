"""Explicit broadcast: which extents agree, which repeat, and what only a call can decide."""

from __future__ import annotations

from collections.abc import Sequence

from intent2cuda.base.intexpr import IntExpr, symbols
from intent2cuda.ir.ops import Broadcast
from intent2cuda.ir.value import Value
from intent2cuda.parse.context import Context
from intent2cuda.parse.extents import extent_words, shape_words
from intent2cuda.types.value_type import Shape, TensorType

_ALIGN = "extents align from the last axis: add an axis with None, as in v[:, None], or use I.reshape"


def broadcast(cx: Context, values: Sequence[Value]) -> tuple[Value, ...]:
    """The values in their common shape: aligned from the last axis, extents equal or one of them 1."""
    shape: Shape = ()
    for value in values:
        shape = common_shape(cx, shape, value.tensor.shape)
    return tuple(stretch(cx, value, shape) for value in values)


def common_shape(cx: Context, lhs: Shape, rhs: Shape) -> Shape:
    """The shape that two shapes broadcast to."""
    if lhs == rhs:
        return lhs
    rank = max(len(lhs), len(rhs))
    padded = [(IntExpr.of(1),) * (rank - len(s)) + s for s in (lhs, rhs)]
    return tuple(_common_extent(cx, a, b, lhs, rhs) for a, b in zip(*padded, strict=True))


def _common_extent(cx: Context, lhs: IntExpr, rhs: IntExpr, left: Shape, right: Shape) -> IntExpr:
    if cx.emitter.are_equal(lhs, rhs) or rhs.constant == 1:
        return lhs
    if lhs.constant == 1:
        return rhs
    shapes = f"of the shapes {shape_words(cx.emitter, left)} and {shape_words(cx.emitter, right)}"
    a, b = extent_words(cx.emitter, lhs), extent_words(cx.emitter, rhs)
    if lhs.constant is not None and rhs.constant is not None:
        cx.refuse("kir.broadcast.incompatible", f"the extents {a} and {b} {shapes} are neither equal nor 1", _ALIGN)
    if not cx.emitter.is_call_time(lhs) or not cx.emitter.is_call_time(rhs):
        cx.refuse(
            "kir.shape.unproved_equal",
            f"the extents {a} and {b} {shapes} are not known to be equal",
            _unproved(cx, lhs, rhs),
        )
    if lhs.constant is not None or rhs.constant is not None:
        return lhs if lhs.constant is not None else rhs
    return rhs if rhs in cx.written_extents and lhs not in cx.written_extents else lhs


def stretch(cx: Context, value: Value, shape: Shape) -> Value:
    """The value in a shape to which it broadcasts. An extent that only a call knows to be 1 or equal is guarded."""
    source = value.tensor
    if source.shape == shape:
        return value
    missing = len(shape) - source.rank
    pairs = list(enumerate(zip(source.shape, shape[missing:], strict=True)))
    if not missing and all(cx.emitter.are_equal(a, b) for _, (a, b) in pairs):
        return value
    guarded = tuple(k for k, (a, b) in pairs if a.constant != 1 and not cx.emitter.are_equal(a, b))
    axes = (*(None,) * missing, *range(source.rank))
    result = cx.emitter.value(TensorType(source.dtype, shape))
    cx.emitter.emit(Broadcast(value, axes, result, guarded))
    return result


def with_axes(cx: Context, value: Value, axes: Sequence[int | None]) -> Value:
    """The value with new axes of extent 1 where `axes` holds None."""
    source = value.tensor
    if list(axes) == list(range(source.rank)):
        return value
    shape = tuple(IntExpr.of(1) if axis is None else source.shape[axis] for axis in axes)
    result = cx.emitter.value(TensorType(source.dtype, shape))
    cx.emitter.emit(Broadcast(value, tuple(axes), result))
    return result


def fit(cx: Context, value: Value, shape: Shape, code: str, what: str) -> Value:
    """The value in the shape of a place that takes it; the place does not grow. `what` names the place in messages."""
    source = value.tensor
    help = "store a scalar or the same extents; I.reduce makes one value of many"
    if source.rank > len(shape):
        cx.refuse(
            code,
            f"a value of rank {source.rank}, {shape_words(cx.emitter, source.shape)}, does not fit into {what} "
            f"of rank {len(shape)}, {shape_words(cx.emitter, shape)}",
            help,
        )
    for own, target in zip(source.shape, shape[len(shape) - source.rank :], strict=True):
        if own.constant == 1 or cx.emitter.are_equal(own, target):
            continue
        a, b = extent_words(cx.emitter, own), extent_words(cx.emitter, target)
        if own.constant is not None and target.constant is not None:
            cx.refuse(
                code,
                f"a value of extent {a}, {shape_words(cx.emitter, source.shape)}, does not fit into {what} "
                f"of extent {b}, {shape_words(cx.emitter, shape)}",
                help,
            )
        require_equal(cx, own, target, f"{what} takes a value of its own extents")
    return stretch(cx, value, shape)


def require_equal(cx: Context, lhs: IntExpr, rhs: IntExpr, text: str, code: str = "kir.shape.unproved_equal") -> None:
    """Two extents that must be equal: proved, tested at the call, or refused."""
    if cx.emitter.are_equal(lhs, rhs):
        return
    a, b = extent_words(cx.emitter, lhs), extent_words(cx.emitter, rhs)
    if lhs.constant is not None and rhs.constant is not None:
        cx.refuse(code, f"the extents {a} and {b} are not equal: {text}", "use equal extents")
    if not cx.emitter.is_call_time(lhs) or not cx.emitter.is_call_time(rhs):
        cx.refuse(code, f"the extents {a} and {b} are not known to be equal: {text}", _unproved(cx, lhs, rhs))
    cx.emitter.require_equal(lhs, rhs, text)


def _unproved(cx: Context, lhs: IntExpr, rhs: IntExpr) -> str:
    """What to do about two extents of which nothing says that they are equal."""
    if any(symbol in cx.slice_extents for extent in (lhs, rhs) for symbol in symbols(extent)):
        return "pass both as sources, so that both are cut: what is captured is not"
    if extent_words(cx.emitter, lhs) == extent_words(cx.emitter, rhs):
        return "it was read twice: give the part a name, and use that name in both places"
    return "use one domain or one extent for both"
