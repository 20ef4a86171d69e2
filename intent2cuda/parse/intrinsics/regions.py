"""Folds and scans over slices of an axis: `region_fold` and `region_scan`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

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
    attempt,
    captured,
    closed,
    combining,
    difference,
    expect,
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


@dataclass(frozen=True)
class RegionOperation(Operation):
    """An operation over slices, with the codes of its axis, its source and what its helpers must not see."""

    axis: str
    component_axis: str
    extent: str
    observes: str

    @property
    def gives_slices(self) -> bool:
        return True


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
    algebra = attempt(lambda: _algebra(cx, cut, given))
    applied = None if algebra is None else attempt(lambda: _applied(cx, apply, algebra.identity, initial))
    emitted = None if algebra and not applied else attempt(lambda: _emitted(cx, cut, emit, initial))
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
    summarized = attempt(lambda: _over_slices(cx, cut, summarize, ()))
    summary = None if summarized is None else attempt(lambda: _summary(cx, summarize, identity, *summarized))
    takes = "two summaries: what else it needs belongs into them"
    merged = attempt(lambda: combining(cx, combine, identity if summary is None else summary, takes))
    if summarized is None or merged is None or summary is not identity:
        raise RefusedError
    return _Algebra(identity, summarized[0], merged)


def _summary(cx: Context, summarize: Role, identity: Val, region: Region, reading: Reading) -> Val:
    """The identity when summaries have its form. Otherwise that is reported, and the summary returned."""
    operation = summarize.operation
    for one in reading.values:
        if any(mentions(e, region.args[0]) for e in one.tensor.shape):
            cx.refuse(
                operation.schema,
                f"{summarize.helper} is {summarize}, and returns {value_text(one)}: an axis of the slice is left",
                "a summary has no axis of the slice: reduce along it, for example with I.reduce.sum",
                reading.place,
            )
    text = f"the identity of I.{operation.path} has the extents of what {summarize.helper} returns"
    differs = difference(cx, reading.value, identity, text)
    if differs is None:
        return identity
    cx.error(
        operation.schema,
        f"the identity of I.{operation.path} is {differs.found}, and {summarize.helper} returns {differs.expected}"
        f"{differs.place}",
        differs.help,
    )
    return reading.value


def _over_slices(cx: Context, cut: _Cut, role: Role, state: tuple[Val, ...]) -> tuple[Region, Reading]:
    """The region of a helper that sees slices, then a state if there is one, then what is captured."""
    parts = len(cut.components)
    takes = f"a slice of each source{', the state' if state else ''}, then each value of operands"
    expect(cx, role, parts + len(state) + len(cut.captures), takes)
    name = role.parameters[0]
    extent = cx.emitter.value(scalar(INDEX), "" if name == "_" else f"{name}_extent")
    symbol = cx.emitter.expression(extent)
    cx.slice_extents.update(symbols(symbol))
    slices = [
        parameter(cx, role, k, component, lambda one: infer.slice_type(one.tensor, cut.axis, symbol))
        for k, component in enumerate(cut.components)
    ]
    states = [parameter(cx, role, parts + k, one) for k, one in enumerate(state)]
    reading = read(cx, role, [*slices, *states, *cut.captures])
    arguments = (extent, *values(Tuple((*slices, *states))))
    region = cx.emitter.region(arguments, reading.block, reading.values)
    if _observes(cx, cut, role, region, reading.place) or not reading.pure:
        raise RefusedError
    return region, reading


def _observes(cx: Context, cut: _Cut, role: Role, region: Region, returned: Span | None) -> bool:
    """Whether a helper makes a value of where its axis is cut; each such place is reported."""
    found = list(observations(region))
    for op, what in found:
        place = op.span or returned
        name = _mentioned(place, role.parameters[: len(cut.components)])
        cx.error(
            cut.operation.observes,
            f"{role.helper} is {role}, and makes a value of {what} (axis {cut.axis} of `{name}`), which depends on "
            "where the axis is cut",
            "coordinates come with I.indices(axis) as a source; chunks the algorithm sees are parts of an I.domain",
            place,
        )
    return bool(found)


def _mentioned(place: Span | None, names: Sequence[str]) -> str:
    """The first of some names that a piece of the text mentions, or else the first of them."""
    text = place.text if place is not None else ""
    return next((name for name in names if re.search(rf"\b{re.escape(name)}\b", text)), names[0])


def _applied(cx: Context, apply: Role, summary: Val, state: Val) -> Region:
    """The region that makes the state after a summary of the state before."""
    expect(cx, apply, 2, "a summary and a state")
    arguments = parameter(cx, apply, 0, summary), parameter(cx, apply, 1, state)
    return closed(cx, apply, state, arguments, read(cx, apply, arguments))


def _emitted(cx: Context, cut: _Cut, emit: Role, state: Val) -> tuple[Region, Val]:
    """The region that makes the outputs of a slice, and these. Refuses outputs without the members of the slice."""
    region, reading = _over_slices(cx, cut, emit, (state,))
    extent = region.args[0]
    for one in reading.values:
        inside = [s for e in one.tensor.shape for s in symbols(e) if s.serial >= extent.serial]
        if extent.as_symbol not in one.tensor.shape or len(inside) != 1:
            cx.refuse(
                "kir.region_scan.members",
                f"{emit.helper} is {emit}, and returns {value_text(one)}: the extent of the slice must be in it once",
                "keep the axis that is cut, once, in each output",
                reading.place,
            )
    return region, reading.value
