"""Rules of scans, counting and random bits, and of the regions of generic reductions, scans and region operations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from intent2cuda.base.intexpr import IntExpr, symbols
from intent2cuda.ir import infer
from intent2cuda.ir.op import Region
from intent2cuda.ir.ops.control import Yield
from intent2cuda.ir.ops.random import Philox
from intent2cuda.ir.ops.region import RegionFold, RegionScan
from intent2cuda.ir.ops.structured import Combiner, Histogram, ReduceBy, Scan, ScanBy
from intent2cuda.ir.value import Value
from intent2cuda.ir.verify_checks import Complaint, Equalities, check_guard, check_result, is_scalar_of, shown
from intent2cuda.types.dtype import INDEX, U32, U64
from intent2cuda.types.value_type import TensorType, ValueType


def scan(op: Scan, known: Equalities) -> Iterator[Complaint]:
    source = op.source.tensor
    if op.combiner not in (Combiner.ADD, Combiner.MAXIMUM, Combiner.MINIMUM):
        yield "kir.scan.combine", f"a scan by {op.combiner.value}"
    if not 0 <= op.axis < source.rank:
        yield "kir.scan.axis", f"axis {op.axis} of rank {source.rank}"
    yield from check_result(op.result, source.dtype, source.shape, known)


def histogram(op: Histogram, known: Equalities) -> Iterator[Complaint]:
    if not op.values.tensor.dtype.is_integer:
        yield "kir.histogram.values", f"the values are {op.values.tensor.dtype}"
    counts = op.result.tensor
    if counts.rank != 1 or not counts.dtype.is_integer or counts.dtype == INDEX:
        yield "kir.histogram.counts", f"the counts are {counts.dtype}{shown(counts.shape)}"
    yield from check_guard(op.valid, op.values.tensor.shape, known)


def philox(op: Philox, known: Equalities) -> Iterator[Complaint]:
    if not is_scalar_of(op.seed, U64):
        yield "kir.rng.seed", f"the seed is {op.seed!r}"
    if op.counter.tensor.dtype not in (U64, INDEX):
        yield "kir.rng.counter", f"the counters are {op.counter.tensor.dtype}"
    yield from check_result(op.result, U32, op.counter.tensor.shape, known)


def with_regions(op: ReduceBy | ScanBy | RegionFold | RegionScan, known: Equalities) -> Iterator[Complaint]:
    """Axes, identities, and the types of arguments, yields and results."""
    kind = {ReduceBy: "reduce", ScanBy: "scan", RegionFold: "region_fold", RegionScan: "region_scan"}[type(op)]
    axes = op.axes if isinstance(op, ReduceBy) else (op.axis,)
    ranks = [source.tensor.rank for source in op.sources]
    if not op.sources or not axes or any(not 0 <= axis < rank for axis in axes for rank in ranks):
        yield f"kir.{kind}.axes", f"axes {axes} of ranks {ranks}"
        return
    first = op.sources[0].tensor.shape
    for source in op.sources:
        if not all(known.same(first[axis], source.tensor.shape[axis]) for axis in axes):
            yield f"kir.{kind}.extent", f"{source!r} has another extent along the axis"
    summary = [value.type for value in op.identity]
    yield from _region(f"kir.{kind}.combine", op.combine, [*summary, *summary], summary, known)
    match op:
        case ReduceBy() | ScanBy():
            yield from _elements(op, kind, axes, known)
        case RegionFold():
            yield from _summaries(op, kind, known)
            yield from _types(f"kir.{kind}.results", [v.type for v in op.results], summary, known)
        case RegionScan():
            yield from _summaries(op, kind, known)
            yield from _states(op, known)


def _elements(op: ReduceBy | ScanBy, kind: str, axes: tuple[int, ...], known: Equalities) -> Iterator[Complaint]:
    if not len(op.identity) == len(op.sources) == len(op.results):
        yield f"kir.{kind}.schema", "sources, identity and results differ in number"
        return
    scalars = all(not identity.tensor.shape for identity in op.identity)
    whole = infer.without_axes(op.sources[0].tensor.shape, axes)
    for source, identity, found in zip(op.sources, op.identity, op.results, strict=True):
        dtype, left = source.tensor.dtype, infer.without_axes(source.tensor.shape, axes)
        if scalars and not known.same_shape(left, whole):
            yield f"kir.{kind}.extent", f"{source!r} cannot be combined element by element with the first source"
        if identity.tensor.dtype != dtype or not (scalars or known.same_shape(identity.tensor.shape, left)):
            yield f"kir.{kind}.identity", f"the identity of {source!r} is {identity!r}"
        yield from check_result(found, dtype, left if isinstance(op, ReduceBy) else source.tensor.shape, known)


def _summaries(op: RegionFold | RegionScan, kind: str, known: Equalities) -> Iterator[Complaint]:
    yield from _slices(f"kir.{kind}.summarize", op, op.summarize, [], known)
    yield from _yields(f"kir.{kind}.summarize", op.summarize, [v.type for v in op.identity], known)


def _states(op: RegionScan, known: Equalities) -> Iterator[Complaint]:
    state, summary = [v.type for v in op.initial], [v.type for v in op.identity]
    yield from _region("kir.region_scan.apply", op.apply, [*summary, *state], state, known)
    yield from _slices("kir.region_scan.emit", op, op.emit, state, known)
    yield from _types("kir.region_scan.results", [v.type for v in op.final], state, known)
    last = op.emit.ops[-1] if op.emit.ops else None
    if not isinstance(last, Yield) or not op.emit.args or len(last.values) != len(op.outputs):
        yield "kir.region_scan.emit", "emit does not yield the outputs"
        return
    extent, whole = op.emit.args[0].as_symbol, op.sources[0].tensor.shape[op.axis]
    for part, output in zip(last.values, op.outputs, strict=True):
        if sum(e == extent for e in part.tensor.shape) != 1 or _mentions(part, extent) != 1:
            yield "kir.region_scan.members", f"{part!r} has the extent of the slice not exactly once"
            continue
        expected = infer.assembled_type(part.tensor, extent, whole)
        yield from check_result(output, expected.dtype, expected.shape, known)


def _mentions(part: Value, extent: IntExpr) -> int:
    """How many axes of a value have an extent in which a symbol occurs."""
    (symbol,) = symbols(extent)
    return sum(symbol in symbols(e) for e in part.tensor.shape)


def _slices(
    code: str, op: RegionFold | RegionScan, region: Region, rest: Sequence[ValueType], known: Equalities
) -> Iterator[Complaint]:
    """The arguments of a region that sees slices: their extent, the slices, and the rest."""
    if not region.args or not is_scalar_of(region.args[0], INDEX):
        yield code, "the first argument is not the extent of the slices"
        return
    extent = region.args[0].as_symbol
    slices = [infer.slice_type(source.tensor, op.axis, extent) for source in op.sources]
    yield from _types(code, [argument.type for argument in region.args[1:]], [*slices, *rest], known)


def _region(
    code: str, region: Region, arguments: Sequence[ValueType], yielded: Sequence[ValueType], known: Equalities
) -> Iterator[Complaint]:
    yield from _types(code, [argument.type for argument in region.args], arguments, known)
    yield from _yields(code, region, yielded, known)


def _yields(code: str, region: Region, expected: Sequence[ValueType], known: Equalities) -> Iterator[Complaint]:
    last = region.ops[-1] if region.ops else None
    if not isinstance(last, Yield) or last.stop is not None:
        yield code, "a region does not end in a plain yield"
        return
    yield from _types(code, [value.type for value in last.values], expected, known)


def _types(
    code: str, found: Sequence[ValueType], expected: Sequence[ValueType], known: Equalities
) -> Iterator[Complaint]:
    """Equal types; a scalar and a tensor of rank 0 agree, and so do extents required to be equal."""
    same = len(found) == len(expected) and all(_same(a, b, known) for a, b in zip(found, expected, strict=True))
    if not same:
        yield code, "arguments or yields of a region have other types than its op states"


def _same(a: ValueType, b: ValueType, known: Equalities) -> bool:
    if not (isinstance(a, TensorType) and isinstance(b, TensorType)):
        return False
    return a.dtype == b.dtype and known.same_shape(a.shape, b.shape)
