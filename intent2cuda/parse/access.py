"""Reads and writes of views, buffers and tensors, and parts of domains and products."""

from __future__ import annotations

from collections.abc import Sequence

from intent2cuda.ir import infer
from intent2cuda.ir.ops import Gather, Load, Store, Subregion
from intent2cuda.ir.terms import Whole
from intent2cuda.ir.value import Value
from intent2cuda.parse.context import Context
from intent2cuda.parse.describe import described, extent_text
from intent2cuda.parse.indexing import Selection, integer_dtype, integer_scalar, scalar_expression, selection
from intent2cuda.parse.literals import dtype_of, no_tensor, tensor
from intent2cuda.parse.operators import one_dtype
from intent2cuda.parse.shaping import fit, with_axes
from intent2cuda.parse.values import EnumMember, Extent, Literal, Record, Stretch, Tuple, Val
from intent2cuda.types.dtype import BOOL, DType
from intent2cuda.types.value_type import Access, BufferType, DomainType, Shape, TensorType, ViewType


def subscript(cx: Context, base: Val, items: Sequence[Val]) -> Val:
    """What `base[items]` reads."""
    match base:
        case Tuple():
            return _member(cx, base, items)
        case Record():
            fields = ", ".join(name for name, _ in base.fields)
            cx.refuse("kir.record.subscript", "a record has fields, not positions", f"use a field by name: {fields}")
        case Value(type=DomainType()):
            return subregion(cx, base, items)
        case Value():
            return read(cx, base, items)
        case Extent() | Literal():
            cx.refuse("kir.index.scalar", f"{described(base)} has no elements: it is a scalar", "use the value itself")
        case _:
            return no_tensor(cx, base, "something that can be indexed")


def read(cx: Context, source: Value, items: Sequence[Val], valid: Val | None = None, fill: Val | None = None) -> Value:
    """The selected elements of a view, buffer or tensor. `valid` and `fill` do not enlarge the result."""
    type_ = source.type
    assert not isinstance(type_, DomainType)
    if isinstance(type_, TensorType) and type_.is_scalar and items:
        cx.refuse("kir.index.scalar", f"{described(source)} has no elements", "use the value itself")
    chosen = selection(cx, type_.shape, items)
    if isinstance(type_, TensorType) and valid is None and all(isinstance(t, Whole) for t in chosen.terms):
        return with_axes(cx, source, chosen.axes)
    guard, filler = _guard(cx, chosen, type_.dtype, valid, fill)
    result = cx.emitter.value(infer.tensor_or_scalar(type_.dtype, chosen.shape))
    made = Gather if isinstance(type_, TensorType) else Load
    cx.emitter.emit(made(source, chosen.terms, result, guard, filler))
    return with_axes(cx, result, chosen.axes)


def _guard(
    cx: Context, chosen: Selection, dtype: DType, valid: Val | None, fill: Val | None
) -> tuple[Value | None, Value | None]:
    if valid is None or (isinstance(valid, Literal) and valid.value is True and fill is None):
        return None, None
    guard = tensor(cx, valid, BOOL, "a validity")
    if not guard.tensor.dtype.is_bool:
        cx.refuse(
            "kir.gather.valid", f"`valid` is a bool, not {guard.tensor.dtype}", "compare first, for example index >= 0"
        )
    given = Literal(False if dtype.is_bool else 0) if fill is None else fill
    found = dtype_of(given)
    if found is not None and found != dtype:
        cx.refuse(
            "kir.load.fill_dtype", f"the fill is {found}, the source is {dtype}", f"convert with I.cast(..., I.{dtype})"
        )
    filler = tensor(cx, given, dtype, "a fill")
    return _guarding(cx, guard, chosen.shape, "valid"), _guarding(cx, filler, chosen.shape, "fill")


def _guarding(cx: Context, value: Value, shape: Shape, name: str) -> Value:
    if value.tensor.rank > len(shape):
        cx.refuse(
            f"kir.gather.{name}",
            f"`{name}` of rank {value.tensor.rank} would enlarge a result of rank {len(shape)}",
            "give the index the full shape, for example with None axes",
        )
    return fit(cx, value, shape, f"kir.gather.{name}", f"`{name}`")


def write(cx: Context, target: Val, items: Sequence[Val], value: Val, unique: bool = False) -> None:
    """Stores a value of the stored dtype into the selected elements of a view or buffer."""
    resource = destination(cx, target)
    chosen = places(cx, resource, items)
    cx.emitter.emit(Store(resource, chosen.terms, stored(cx, value, resource, chosen.shape), None, unique))


def places(cx: Context, resource: Value, items: Sequence[Val]) -> Selection:
    """The elements of a view or buffer that an effect reaches."""
    chosen = selection(cx, resource.resource.shape, items)
    if not chosen.is_plain:
        cx.refuse(
            "kir.index.new_axis", "a destination has no new axes", "write the value's axes in the order of the view"
        )
    return chosen


def stored(cx: Context, value: Val, resource: Value, shape: Shape) -> Value:
    """A value in the dtype and the shape of the elements of a resource that it goes to."""
    dtype, found = resource.resource.dtype, dtype_of(value)
    if found is not None and found != dtype:
        cx.refuse(
            "kir.store.dtype",
            f"a value of {found} is stored into `{resource.name}` of {dtype}",
            cx.beginnings.advice((value, resource), (found, dtype)) or f"convert with I.cast(..., I.{dtype})",
        )
    if isinstance(value, EnumMember):
        no_tensor(cx, value, "a value to store")
    what = f"`{resource.name}`" if shape else f"an element of `{resource.name}`"
    return fit(cx, tensor(cx, value, dtype, "a value to store"), shape, "kir.store.shape", what)


def destination(cx: Context, target: Val) -> Value:
    """The view or buffer that is written. Refuses an In view and everything immutable."""
    match target:
        case Value(type=ViewType(access=Access.IN)):
            cx.refuse(
                "kir.view.write", f"`{target.name}` is an In view and cannot be written", "declare it InOut, or Out"
            )
        case Value(type=ViewType() | BufferType()):
            return target
        case Value(type=TensorType()):
            name = f"`{target.name}`" if target.name else "the value"
            cx.refuse(
                "kir.value.immutable",
                f"{name} is an immutable tensor, no view or buffer",
                "use I.buffer for storage, or I.select for a new value",
            )
        case Tuple() | Record():
            cx.refuse("kir.value.immutable", f"{described(target)} is immutable", "build a new one")
        case _:
            return no_tensor(cx, target, "a view or buffer to write")


def subregion(cx: Context, source: Value, items: Sequence[Val]) -> Value:
    """The coordinates `source[a:b]`, in the source's own numbering."""
    domain = source.domain
    item = items[0] if len(items) == 1 else None
    if item is None:
        cx.refuse(
            "src.subregion.rank", f"a domain has one axis, the index has {len(items)} terms", "slice with one a:b"
        )
    if not isinstance(item, Stretch):
        if isinstance(item, Value) and isinstance(item.type, TensorType) and item.type.shape:
            cx.refuse(
                "src.subregion.not_contiguous",
                "a tensor selects no contiguous part of a domain",
                "index the data with it instead",
            )
        cx.refuse(
            "src.subregion.slice",
            "a part of a domain is a slice, not one member",
            "slice it a:b, or use the coordinate itself",
        )
    if item.step is not None:
        cx.refuse(
            "src.subregion.step",
            "a part of a domain has no step",
            "use a stepped I.domain, or I.indices and arithmetic",
        )
    if domain.step.constant != 1:
        cx.refuse(
            "kir.subregion.step",
            f"the sliced domain has the step {extent_text(domain.step)}",
            "slice a domain of step 1",
        )
    bounds = (item.lower, item.upper)
    dtypes = [integer_dtype(cx, bound, "a bound of a subregion", "src.subregion.bound") for bound in bounds]
    one_dtype(cx, "a subregion", bounds, dtypes)
    _check_bounds(cx, domain, item)
    known = next((dtype for dtype in dtypes if dtype is not None), None)
    lower, upper = (None if b is None else scalar_expression(cx, b) for b in bounds)
    begin, end = (None if b is None else integer_scalar(cx, b, *([known] if known else [])) for b in bounds)
    result = cx.emitter.value(infer.subregion_type(domain, lower, upper))
    cx.emitter.emit(Subregion(source, begin, end, result))
    return result


def _check_bounds(cx: Context, domain: DomainType, item: Stretch) -> None:
    first, last = domain.begin, domain.begin + domain.extent
    lower = first if item.lower is None else scalar_expression(cx, item.lower)
    upper = last if item.upper is None else scalar_expression(cx, item.upper)
    help = "use absolute coordinates inside the source: nothing is clamped or renumbered"
    for bound, given in ((lower, item.lower), (upper, item.upper)):
        if given is not None and ((bound - first).constant or 0) < 0:
            cx.refuse(
                "kir.subregion.bounds",
                f"the bound {extent_text(bound)} lies before the begin {extent_text(first)}",
                help,
            )
        if given is not None and (bound.constant or 0) < 0:
            cx.refuse("kir.subregion.bounds", f"the bound {extent_text(bound)} is negative", help)
        if given is not None and ((last - bound).constant or 0) < 0:
            cx.refuse(
                "kir.subregion.bounds", f"the bound {extent_text(bound)} lies beyond the end {extent_text(last)}", help
            )
    if ((upper - lower).constant or 0) < 0:
        cx.refuse(
            "kir.subregion.bounds",
            f"the subregion {extent_text(lower)}:{extent_text(upper)} ends before it begins",
            help,
        )


def _member(cx: Context, base: Tuple, items: Sequence[Val]) -> Val:
    item = items[0] if len(items) == 1 else None
    number = item.value if isinstance(item, Literal) else item.expression.constant if isinstance(item, Extent) else None
    if type(number) is not int:
        name = item.name if isinstance(item, Value) and item.name else "the position"
        cx.refuse(
            "src.constexpr.position",
            f"`{name}` is no compile-time constant: a position in a tuple is one",
            "write a constant, or unpack the tuple",
        )
    if not -len(base.items) <= number < len(base.items):
        cx.refuse(
            "kir.tuple.position",
            f"position {number} of a tuple of {len(base.items)}",
            f"use 0 to {len(base.items) - 1}",
        )
    return base.items[number]
