"""Atomic accesses, and scatters that combine."""

from __future__ import annotations

from collections.abc import Mapping

from intent2cuda.ir import infer
from intent2cuda.ir.ops import (
    AtomicLoad,
    AtomicStore,
    AtomicUpdate,
    Combiner,
    CompareExchange,
    Order,
    ScatterReduce,
    Update,
)
from intent2cuda.ir.value import Value
from intent2cuda.parse.access import destination, places, stored
from intent2cuda.parse.context import Context
from intent2cuda.parse.describe import described
from intent2cuda.parse.indexing import Selection, index_argument
from intent2cuda.parse.literals import dtype_of
from intent2cuda.parse.values import Intrinsic, Record, Text, Val, Void
from intent2cuda.types.dtype import BOOL, EIGHT_BIT_FLOATS, DType
from intent2cuda.types.value_type import Access, Shape, ViewType

Arguments = Mapping[str, Val]

UPDATES: Mapping[str, Update] = {
    "atomic.add": Update.ADD,
    "atomic.max": Update.MAX,
    "atomic.min": Update.MIN,
    "atomic.exchange": Update.EXCHANGE,
    "atomic.and_": Update.AND,
    "atomic.or_": Update.OR,
    "atomic.xor": Update.XOR,
}

_ORDERS: Mapping[str, tuple[Order, ...]] = {
    "atomic.load": (Order.RELAXED, Order.ACQUIRE),
    "atomic.store": (Order.RELAXED, Order.RELEASE),
}
"""The orders of accesses that do not take all."""


def load(cx: Context, path: str, given: Arguments) -> Val:
    resource, chosen = _elements(cx, path, given)
    order = _order(cx, path, given["order"])
    result = _old_value(cx, resource.resource.dtype, chosen.shape)
    cx.emitter.emit(AtomicLoad(resource, chosen.terms, order, result))
    return result


def store(cx: Context, path: str, given: Arguments) -> Val:
    resource, chosen = _elements(cx, path, given)
    value = _operand(cx, path, given, "value", resource, chosen.shape)
    cx.emitter.emit(AtomicStore(resource, chosen.terms, value, _order(cx, path, given["order"])))
    return Void(
        f"I.{path}", "kir.atomic.value", "use I.atomic.exchange for the value before, or call it as a statement"
    )


def update(cx: Context, path: str, given: Arguments) -> Val:
    """`atomic.add`, `.exchange` and their like: what the elements were."""
    resource, chosen = _elements(cx, path, given)
    dtype = resource.resource.dtype
    _accepted(cx, path, dtype)
    value = _operand(cx, path, given, "value", resource, chosen.shape)
    order = _order(cx, path, given["order"])
    result = _old_value(cx, dtype, chosen.shape)
    cx.emitter.emit(AtomicUpdate(UPDATES[path], resource, chosen.terms, value, order, result))
    return result


def compare_exchange(cx: Context, path: str, given: Arguments) -> Val:
    """A record of what the elements were and where they have been replaced."""
    resource, chosen = _elements(cx, path, given)
    expected, desired = (_operand(cx, path, given, name, resource, chosen.shape) for name in ("expected", "desired"))
    order = _order(cx, path, given["order"])
    results = tuple(_old_value(cx, dtype, chosen.shape) for dtype in (resource.resource.dtype, BOOL))
    cx.emitter.emit(CompareExchange(resource, chosen.terms, expected, desired, order, (results[0], results[1])))
    return Record((("old_value", results[0]), ("success", results[1])))


def scatter_reduce(cx: Context, path: str, given: Arguments) -> Val:
    """Each element of a value added to its place."""
    resource = destination(cx, given["destination"])
    combine = given["combine"]
    if combine != Intrinsic("add"):
        cx.refuse(
            "kir.scatter.combine",
            f"I.scatter_reduce combines with I.add, not with {described(combine)}",
            "give I.add; I.atomic has other updates, such as I.atomic.max",
        )
    dtype = resource.resource.dtype
    if dtype.is_bool or dtype in EIGHT_BIT_FLOATS:
        cx.refuse(
            "kir.scatter.dtype",
            f"the elements of `{resource.name}` are {dtype}, which has no addition",
            "use a destination of I.i32 or I.f32",
        )
    chosen = places(cx, resource, index_argument(given["index"]))
    value = stored(cx, given["value"], resource, chosen.shape)
    cx.emitter.emit(ScatterReduce(Combiner.ADD, resource, chosen.terms, value))
    return Void(f"I.{path}", "kir.scatter.value", "call it as a statement: I.atomic.add gives the value before")


def _elements(cx: Context, path: str, given: Arguments) -> tuple[Value, Selection]:
    """The view or buffer of an atomic access and the elements it reaches."""
    target = given["target"]
    if isinstance(target, Value) and isinstance(target.type, ViewType) and target.type.access is not Access.INOUT:
        cx.refuse(
            "kir.atomic.view",
            f"`{target.name}` is an {target.type.access.value} view, and I.{path} needs an InOut view",
            f"declare `{target.name}` as I.InOut, or use a buffer",
        )
    resource = destination(cx, target)
    return resource, places(cx, resource, index_argument(given["index"]))


def _operand(cx: Context, path: str, given: Arguments, name: str, resource: Value, shape: Shape) -> Value:
    """An operand in the dtype and the shape of the elements."""
    dtype, found = resource.resource.dtype, dtype_of(given[name])
    if found is not None and found != dtype:
        cx.refuse(
            "kir.atomic.dtype",
            f"`{name}` of I.{path} is {found}, the elements of `{resource.name}` are {dtype}",
            f"convert with I.cast(..., I.{dtype})",
        )
    return stored(cx, given[name], resource, shape)


def _accepted(cx: Context, path: str, dtype: DType) -> None:
    """Refuses a dtype that the update does not take."""
    match UPDATES[path]:
        case Update.EXCHANGE:
            return
        case Update.AND | Update.OR | Update.XOR if not dtype.is_integer:
            cx.refuse("kir.atomic.dtype", f"I.{path} takes integers, not {dtype}", "use an integer view for bits")
        case _ if dtype.is_bool or dtype in EIGHT_BIT_FLOATS:
            cx.refuse("kir.atomic.dtype", f"I.{path} does not take {dtype}", "use a view of I.i32 or I.f32")
        case _:
            return


def _order(cx: Context, path: str, given: Val) -> Order:
    """A memory order that the access takes."""
    allowed = _ORDERS.get(path, tuple(Order))
    words = [order.value for order in allowed]
    listed = f"{', '.join(words[:-1])} and {words[-1]}"
    if not isinstance(given, Text):
        cx.refuse(
            "kir.atomic.order",
            f"the order of I.{path} is a compile-time string, not {described(given)}",
            f'write order="{words[-1]}"; the orders are {listed}',
        )
    if given.value in words:
        return Order(given.value)
    text = given.value.lower()
    cx.refuse(
        "kir.atomic.order",
        f'I.{path} does not take the order "{given.value[:40]}"',
        f'write order="{text if text in words else words[-1]}"; the orders are {listed}',
    )


def _old_value(cx: Context, dtype: DType, shape: Shape) -> Value:
    return cx.emitter.value(infer.tensor_or_scalar(dtype, shape))
