"""Folds and scans over slices of an axis: `region_fold` and `region_scan`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from intent2cuda.base.intexpr import IntExpr, symbols
from intent2cuda.base.span import Span
from intent2cuda.ir import infer
from intent2cuda.ir.op import Region
from intent2cuda.ir.ops import RegionFold, RegionScan
from intent2cuda.ir.value import Value
from intent2cuda.parse.context import Context, RefusedError
from intent2cuda.parse.describe import described, value_text
from intent2cuda.parse.observation import mentions, observations
from intent2cuda.parse.products import rebuilt
from intent2cuda.parse.pure_regions import (
    Operation,
    Reading,
    Role,
    captured,
    combining,
    difference,
    expect,
    keeps,
    parameter,
    read,
    role,
    values,
    values_of,
)
from intent2cuda.parse.shaping import require_equal
from intent2cuda.parse.static import static_axis
from intent2cuda.parse.values import Tuple, Val
from intent2cuda.types.dtype import INDEX
from intent2cuda.types.value_type import scalar

Arguments = Mapping[str, Val]

T = TypeVar("T")


@dataclass(frozen=True)
class RegionOperation(Operation):
    """An operation over slices, with the codes of its axis, its source and what its helpers must not see."""

    axis: str
    component_axis: str
    extent: str
    observes: str


_FOLD = RegionOperation(
    path="region_fold",
    captures="operands",
    helper="kir.region_fold.helper",
    schema="kir.region_fold.schema",
    impure="kir.region_fold.effect",
    axis="kir.region_fold.axis",
    component_axis="kir.region_fold.component_axis",
    extent="kir.region_fold.axis_relation",
    observes="kir.region_fold.observes_segment",
)

_SCAN = RegionOperation(
    path="region_scan",
    captures="operands",
    helper="kir.region_scan.helper",
    schema="kir.region_scan.schema",
    impure="kir.region_scan.impure",
    axis="kir.region_scan.axis",
    component_axis="kir.region_scan.component_axis",
    extent="kir.region_scan.axis_relation",
    observes="kir.region_scan.observes_segment",
)


@dataclass(frozen=True)
class _Cut:
    """What is cut: components as the author grouped them, along one axis; and what helpers get beside the slices."""

    operation: RegionOperation
    components: tuple[Val, ...]
    axis: int
    captures: tuple[Val, ...]

    @property
    def sources(self) -> tuple[Value, ...]:
        return values(Tuple(self.components))

    @property
    def extent(self) -> IntExpr:
        return self.sources[0].tensor.shape[self.axis]


@dataclass(frozen=True)
class _Algebra:
    """Regions that summarize a slice and combine two summaries, and the summary of an empty one."""

    identity: Val
    summarize: Region
    combine: Region


def region_fold(cx: Context, path: str, given: Arguments) -> Val:
    cut = _cut(cx, _FOLD, given)
    algebra = _algebra(cx, cut, given)
    identity = values(algebra.identity)
    results = tuple(cx.emitter.value(one.type) for one in identity)
    cx.emitter.emit(RegionFold(cut.sources, cut.axis, identity, algebra.summarize, algebra.combine, results))
    return rebuilt(algebra.identity, results)


def region_scan(cx: Context, path: str, given: Arguments) -> Val:
    """The outputs, put together again along the axis, and the final state."""
    cut = _cut(cx, _SCAN, given)
    initial = values_of(cx, given["initial_state"], "the initial state of I.region_scan")
    apply, emit = role(cx, _SCAN, "apply", given["apply"]), role(cx, _SCAN, "emit", given["emit"], tokens=False)
    algebra = _attempt(lambda: _algebra(cx, cut, given))
    applied = None if algebra is None else _attempt(lambda: _applied(cx, apply, algebra.identity, initial))
    emitted = None if algebra is not None and applied is None else _emitted(cx, cut, emit, initial)
    if algebra is None or applied is None or emitted is None:
        raise RefusedError
    region, outputs = emitted
    extent = region.args[0].as_symbol
    made = [cx.emitter.value(infer.assembled_type(o.tensor, extent, cut.extent)) for o in values(outputs)]
    final = [cx.emitter.value(one.type) for one in values(initial)]
    identity, state = values(algebra.identity), values(initial)
    regions = algebra.summarize, algebra.combine, applied, region
    cx.emitter.emit(RegionScan(cut.sources, cut.axis, identity, state, *regions, (*made, *final)))
    return Tuple((rebuilt(outputs, made), rebuilt(initial, final)))


def _cut(cx: Context, operation: RegionOperation, given: Arguments) -> _Cut:
    """The source and its axis. Refuses components that do not have the axis, or another extent on it."""
    what = f"the source of I.{operation.path}"
    source = given["source"]
    items = source.items if isinstance(source, Tuple) else (source,)
    components = tuple(values_of(cx, item, what) for item in items)
    sources = values(Tuple(components))
    if not sources:
        cx.refuse(operation.component_axis, f"{what} is an empty tuple", "give at least one tensor")
    for one in sources:
        if not one.tensor.shape:
            name = f"`{one.name}`" if one.name else "one"
            cx.refuse(
                operation.component_axis,
                f"{what} is made of tensors, and {name} is {described(one)}",
                "pass it in operands=",
            )
    first = sources[0].tensor
    axis = static_axis(cx, given["axis"], first.rank, operation.axis)
    for one in sources[1:]:
        if one.tensor.rank <= axis:
            cx.refuse(
                operation.component_axis,
                f"{described(one)} has no axis {axis}, along which {what} is cut",
                "give all components the axis at one position, for example with I.transpose",
            )
        text = f"{what} has one extent on axis {axis}"
        require_equal(cx, first.shape[axis], one.tensor.shape[axis], text, operation.extent)
    return _Cut(operation, components, axis, captured(cx, operation, given.get("operands", Tuple(()))))


def _algebra(cx: Context, cut: _Cut, given: Arguments) -> _Algebra:
    """Summaries of slices, how two become one, and the summary of nothing. What is wrong with both helpers is said."""
    identity = values_of(cx, given["identity"], f"the identity of I.{cut.operation.path}")
    summarize = role(cx, cut.operation, "summarize", given["summarize"], tokens=False)
    combine = role(cx, cut.operation, "combine", given["combine"])
    summarized = _attempt(lambda: _over_slices(cx, cut, summarize, ()))
    summary: Val | None = identity
    if summarized is not None:
        summary = _summary(cx, summarize, identity, *summarized)
    help = "it takes two summaries: what else it needs belongs into them"
    merged = _attempt(lambda: combining(cx, combine, identity if summary is None else summary, (), help))
    if summarized is None or merged is None or summary is not identity:
        raise RefusedError
    return _Algebra(identity, summarized[0], merged)


def _summary(cx: Context, summarize: Role, identity: Val, region: Region, reading: Reading) -> Val | None:
    """The identity when summaries have its form. Otherwise that is reported, and a usable summary returned, if any."""
    for one in reading.values:
        if any(mentions(e, region.args[0]) for e in one.tensor.shape):
            cx.error(
                summarize.operation.schema,
                f"{summarize.helper} is {summarize}, and returns {value_text(one)}: an axis of the slice is left",
                "a summary has no axis of the slice: reduce along it, for example with I.reduce.sum",
                reading.place,
            )
            return None
    text = f"the identity of I.{summarize.operation.path} has the extents of the summaries of {summarize.helper}"
    differs = difference(cx, identity, reading.value, text)
    if not differs:
        return identity
    cx.error(
        summarize.operation.schema,
        f"the identity of I.{summarize.operation.path} and what {summarize.helper} returns differ: {differs}",
        "give the identity the form of a summary; a constant takes a dtype by I.cast(0.0, I.f32)",
    )
    return reading.value


def _over_slices(cx: Context, cut: _Cut, role: Role, state: tuple[Val, ...]) -> tuple[Region, Reading]:
    """The region of a helper that sees slices, then a state if there is one, then what is captured."""
    parts = len(cut.components)
    help = "it takes a slice of each source" + (", the state" if state else "") + ", then each of operands="
    expect(cx, role, parts + len(state) + len(cut.captures), help)
    name = role.parameters[0]
    extent = cx.emitter.value(scalar(INDEX), "" if name == "_" else f"{name}_extent")
    symbol = cx.emitter.expression(extent)
    slices = [
        parameter(cx, role, k, component, lambda one: infer.slice_type(one.tensor, cut.axis, symbol))
        for k, component in enumerate(cut.components)
    ]
    states = [parameter(cx, role, parts + k, one) for k, one in enumerate(state)]
    reading = read(cx, role, [*slices, *states, *cut.captures])
    arguments = (extent, *values(Tuple((*slices, *states))))
    region = cx.emitter.region(arguments, reading.block, reading.values)
    for op, what in observations(region):
        place = op.span or reading.place
        cx.error(
            cut.operation.observes,
            f"{role.helper} is {role}, and uses {what} as a value: {_where(place, role.parameters[:parts], cut.axis)}",
            "coordinates come with I.indices(axis) as a source; extents of slices may only shape other tensors",
            place,
        )
    return region, reading


def _where(place: Span | None, names: Sequence[str], axis: int) -> str:
    """The axis that is cut, by the parameter that the text mentions."""
    text = place.text if place is not None else ""
    name = next((n for n in names if re.search(rf"\b{re.escape(n)}\b", text)), names[0])
    return f"where axis {axis} of `{name}` is cut, so its extent in shape, is the compiler's"


def _applied(cx: Context, apply: Role, summary: Val, state: Val) -> Region:
    """The region that makes the state after a summary of the state before."""
    expect(cx, apply, 2, "it takes a summary and a state")
    arguments = parameter(cx, apply, 0, summary), parameter(cx, apply, 1, state)
    reading = read(cx, apply, arguments)
    keeps(cx, apply, state, reading)
    return cx.emitter.region(values(Tuple(arguments)), reading.block, reading.values)


def _emitted(cx: Context, cut: _Cut, emit: Role, state: Val) -> tuple[Region, Val] | None:
    """The region that makes the outputs of a slice, and these; None when they do not have the members of the slice."""
    found = _attempt(lambda: _over_slices(cx, cut, emit, (state,)))
    if found is None:
        return None
    region, reading = found
    extent = region.args[0]
    for one in reading.values:
        inside = [s for e in one.tensor.shape for s in symbols(e) if s.serial >= extent.serial]
        if extent.as_symbol in one.tensor.shape and len(inside) == 1:
            continue
        cx.error(
            "kir.region_scan.members",
            f"{emit.helper} is {emit}, and returns {value_text(one)}: the extent of the slice must stand there once",
            "keep the axis that is cut, once, in each output",
            reading.place,
        )
        return None
    return region, reading.value


def _attempt(work: Callable[[], T]) -> T | None:
    """The result of `work`, or None when it was refused, so that what is wrong beside it is found too."""
    try:
        return work()
    except RefusedError:
        return None
