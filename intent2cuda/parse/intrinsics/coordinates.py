"""Domains, their coordinates, and promises about indices."""

from __future__ import annotations

from collections.abc import Mapping

from intent2cuda.base.intexpr import IntExpr, ceiling
from intent2cuda.ir.ops import AssumeInBounds, Domain, Indices
from intent2cuda.ir.value import Value
from intent2cuda.parse.context import Context
from intent2cuda.parse.describe import described
from intent2cuda.parse.indexing import integer_dtype, integer_scalar, scalar_expression
from intent2cuda.parse.literals import held, tensor
from intent2cuda.parse.operators import one_dtype
from intent2cuda.parse.static import static_integer
from intent2cuda.parse.values import Extent, Literal, Val, Void
from intent2cuda.types.dtype import INDEX
from intent2cuda.types.value_type import BufferType, DomainType, TensorType, ViewType

Arguments = Mapping[str, Val]


def domain(cx: Context, path: str, given: Arguments) -> Val:
    return make_domain(cx, given["start"], given["stop"], given.get("step", Literal(1)))


def make_domain(cx: Context, start: Val, stop: Val, step: Val) -> Value:
    """The coordinates start, start + step, ... before stop."""
    bounds = (start, stop, step)
    dtypes = [integer_dtype(cx, bound, "a bound of a domain", "kir.domain.bound") for bound in bounds]
    one_dtype(cx, "a domain", bounds, dtypes)
    known = next((dtype for dtype in dtypes if dtype is not None), INDEX)
    begin, end, stride = (scalar_expression(cx, bound) for bound in bounds)
    if stride.constant is not None and stride.constant <= 0:
        cx.refuse(
            "kir.domain.step",
            f"the step {stride.constant} of a domain is not positive",
            "walk a forward ordinal k and compute the coordinate, for example n - 1 - k to reverse",
        )
    extent = held(cx, ceiling(end - begin, stride))
    if (extent.constant or 0) < 0:
        extent = IntExpr.of(0)
    values = [integer_scalar(cx, bound, known) for bound in bounds]
    result = cx.emitter.value(DomainType(begin, extent, stride))
    cx.emitter.emit(Domain(values[0], values[1], values[2], result))
    cx.stops[result] = end
    return result


def indices(cx: Context, path: str, given: Arguments) -> Val:
    region = _domain(cx, given["region"], "I.indices", "kir.indices", "give an I.domain, or a slice of one")
    found = cx.emitter.known(("indices", region))
    if found is not None:
        return found
    result = cx.emitter.value(TensorType(INDEX, (region.domain.extent,)))
    cx.emitter.emit(Indices(region, result))
    cx.emitter.blocks[-1].made["indices", region] = result
    cx.coordinates[result] = region
    return result


def end(cx: Context, path: str, given: Arguments) -> Val:
    region = _domain(
        cx, given["region"], "I.end", "kir.domain.end", "give an I.domain, or a slice of one: a domain or subregion"
    )
    stop = cx.stops.get(region)
    return Extent(region.domain.begin + region.domain.extent if stop is None else stop)


def _domain(cx: Context, value: Val, what: str, code: str, help: str) -> Value:
    if isinstance(value, Value) and isinstance(value.type, DomainType):
        return value
    cx.refuse(code, f"{what} takes a domain or subregion, not {described(value)}", help)


def assume_in_bounds(cx: Context, path: str, given: Arguments) -> Val:
    view = given["view"]
    if not isinstance(view, Value) or not isinstance(view.type, ViewType | BufferType):
        cx.refuse(
            "kir.assume.resource",
            f"I.assume_in_bounds is about an axis of a view or buffer, not of {described(view)}",
            "name the view",
        )
    axis = static_integer(cx, given["axis"], "the axis", "kir.assume.axis")
    rank = len(view.resource.shape)
    if not 0 <= axis < rank:
        cx.refuse(
            "kir.axis",
            f"axis {axis} is outside `{view.name}` of rank {rank}",
            f"use 0 to {rank - 1}" if rank else "a rank-0 view has no axes",
        )
    index = tensor(cx, given["index"], INDEX, "an index")
    if not index.tensor.dtype.is_integer:
        cx.refuse(
            "kir.assume.index", f"an index is an integer, not {index.tensor.dtype}", "convert with I.cast(..., I.index)"
        )
    cx.emitter.emit(AssumeInBounds(index, view, axis))
    return Void("I.assume_in_bounds", "kir.assume.value", "call it as a statement")
