"""What must hold of each op by itself: dtypes, shapes, axes, terms. `verify.py` has what concerns several ops."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from intent2cuda.base.intexpr import IntExpr
from intent2cuda.ir import infer
from intent2cuda.ir import verify_atomics as atomics
from intent2cuda.ir import verify_formats as formats
from intent2cuda.ir import verify_structured as structured
from intent2cuda.ir.ops import (
    Allocate,
    AnyOp,
    ArgReduce,
    AssumeInBounds,
    AtomicLoad,
    AtomicStore,
    AtomicUpdate,
    Bitcast,
    Broadcast,
    Cast,
    CompareExchange,
    Constant,
    Contract,
    Dim,
    Domain,
    For,
    Gather,
    Histogram,
    If,
    Indices,
    Inspect,
    Join,
    Load,
    Parallel,
    Philox,
    Pointwise,
    Quantize,
    QuantizedDot,
    Reduce,
    ReduceBy,
    RegionFold,
    RegionScan,
    RequireEqual,
    Reshape,
    ScaledContract,
    Scan,
    ScanBy,
    ScatterReduce,
    SparseContract,
    Store,
    Subregion,
    Transpose,
    While,
    Yield,
)  # fmt: skip
from intent2cuda.ir.verify_checks import (
    Complaint,
    Equalities,
    check_guard,
    check_result,
    check_terms,
    is_scalar_of,
    shown,
)
from intent2cuda.types.dtype import BOOL, INDEX
from intent2cuda.types.scalar_fn import SCALAR_FNS, Result
from intent2cuda.types.value_type import Access, BufferType, DomainType, TensorType, ViewType


def complaints(op: AnyOp, known: Equalities) -> Iterator[Complaint]:
    """Everything wrong with an op, given the equalities that hold where it stands."""
    match op:
        case Constant():
            yield from _constant(op)
        case Pointwise():
            yield from _pointwise(op, known)
        case Cast() | Bitcast():
            yield from _conversion(op, known)
        case Broadcast():
            yield from _broadcast(op, known)
        case Reshape():
            yield from _reshape(op, known)
        case Transpose():
            yield from _transpose(op, known)
        case Join():
            yield from _join(op, known)
        case Dim() | Domain() | Subregion() | Indices():
            yield from _coordinates(op, known)
        case Load() | Gather():
            yield from _read(op, known)
        case Store():
            yield from _store(op, known)
        case Allocate():
            yield from _allocate(op, known)
        case AssumeInBounds():
            rank = len(op.resource.resource.shape)
            if not 0 <= op.axis < rank:
                yield "kir.assume", f"axis {op.axis} of a resource of rank {rank}"
        case Inspect():
            yield from _inspect(op, known)
        case Reduce() | ArgReduce():
            yield from _reduce(op, known)
        case Contract():
            yield from _contract(op, known)
        case Scan():
            yield from structured.scan(op, known)
        case Histogram():
            yield from structured.histogram(op, known)
        case AtomicLoad() | AtomicStore() | AtomicUpdate() | CompareExchange() | ScatterReduce():
            yield from atomics.atomic(op, known)
        case ScaledContract():
            yield from formats.scaled(op, known)
        case SparseContract():
            yield from formats.sparse(op, known)
        case Quantize() | QuantizedDot():
            yield from formats.quantized(op, known)
        case Philox():
            yield from structured.philox(op, known)
        case ReduceBy() | ScanBy() | RegionFold() | RegionScan():
            yield from structured.with_regions(op, known)
        case RequireEqual() | Parallel() | For() | While() | If() | Yield():
            return
        case _:
            assert_never(op)


def _constant(op: Constant) -> Iterator[Complaint]:
    dtype = op.result.tensor.dtype
    expected = bool if dtype.is_bool else float if dtype.is_float else int
    if type(op.value) is not expected:
        yield "kir.constant", f"{op.value!r} is no {dtype}"
    elif dtype.is_integer and not dtype.integer_range[0] <= op.value <= dtype.integer_range[1]:
        yield "kir.constant", f"{op.value} is outside {dtype}"
    if op.result.tensor.shape:
        yield "kir.constant", "a constant is a scalar"


def _pointwise(op: Pointwise, known: Equalities) -> Iterator[Complaint]:
    fn = SCALAR_FNS.get(op.fn)
    if fn is None or len(op.args) != fn.arity:
        yield "kir.pointwise", f"{op.fn} of {len(op.args)} operands"
        return
    types = [argument.tensor for argument in op.args]
    values = types[1:] if op.fn == "select" else types
    if op.fn == "select" and types[0].dtype != BOOL:
        yield "kir.select", f"the condition is {types[0].dtype}"
    if any(t.dtype != values[0].dtype for t in values):
        yield "kir.dtype.mixed", f"{op.fn} of {', '.join(t.dtype.name for t in values)}"
    elif not fn.accepts(values[0].dtype):
        yield "kir.dtype.operator", f"{op.fn} of {values[0].dtype}"
    if any(not known.same_shape(t.shape, types[0].shape) for t in types):
        yield "kir.op.shape", f"{op.fn} of the shapes {', '.join(shown(t.shape) for t in types)}"
    dtype = BOOL if fn.result is Result.BOOL else values[0].dtype
    yield from check_result(op.result, dtype, types[0].shape, known)


def _inspect(op: Inspect, known: Equalities) -> Iterator[Complaint]:
    shape = op.holds.tensor.shape
    if op.holds.tensor.dtype != BOOL:
        yield "kir.inspect", f"what holds is {op.holds.tensor.dtype}"
    for number in op.numbers:
        fits = not number.tensor.shape or known.same_shape(number.tensor.shape, shape)
        if not number.tensor.dtype.is_integer or not fits:
            yield "kir.inspect", f"{number!r} is told of the shape {shown(shape)}"
    if op.text.count("{}") != len(op.numbers):
        yield "kir.inspect", f"the text has other blanks than the numbers: {op.text}"
    yield from check_result(op.result, BOOL, shape, known)


def _conversion(op: Cast | Bitcast, known: Equalities) -> Iterator[Complaint]:
    source, result = op.source.tensor, op.result.tensor
    if isinstance(op, Bitcast) and source.dtype.bits != result.dtype.bits:
        yield "kir.bitcast", f"{source.dtype} and {result.dtype} have different widths"
    yield from check_result(op.result, result.dtype, source.shape, known)


def _broadcast(op: Broadcast, known: Equalities) -> Iterator[Complaint]:
    source, result = op.source.tensor, op.result.tensor
    if [axis for axis in op.axes if axis is not None] != list(range(source.rank)) or len(op.axes) != result.rank:
        yield "kir.broadcast.map_missing", f"axes {op.axes} from rank {source.rank} to rank {result.rank}"
        return
    if source.dtype != result.dtype:
        yield "kir.op.dtype", f"broadcast of {source.dtype} to {result.dtype}"
    for axis, extent in zip(op.axes, result.shape, strict=True):
        if axis is None or axis in op.guarded:
            continue
        if source.shape[axis].constant != 1 and not known.same(source.shape[axis], extent):
            yield "kir.broadcast.incompatible", f"extent {source.shape[axis]} of axis {axis} cannot become {extent}"


def _reshape(op: Reshape, known: Equalities) -> Iterator[Complaint]:
    before, after = op.source.tensor.shape, op.result.tensor.shape
    if not known.same(infer.count(before), infer.count(after)):
        yield "kir.reshape.count", f"{shown(before)} and {shown(after)} have different counts"
    if op.source.tensor.dtype != op.result.tensor.dtype:
        yield "kir.op.dtype", f"reshape of {op.source.tensor.dtype} to {op.result.tensor.dtype}"


def _transpose(op: Transpose, known: Equalities) -> Iterator[Complaint]:
    source = op.source.tensor
    if sorted(op.permutation) != list(range(source.rank)):
        yield "kir.permute.not_bijective", f"{op.permutation} of rank {source.rank}"
        return
    yield from check_result(op.result, source.dtype, infer.transposed_shape(source.shape, op.permutation), known)


def _join(op: Join, known: Equalities) -> Iterator[Complaint]:
    lhs, rhs = op.lhs.tensor, op.rhs.tensor
    if lhs.dtype != rhs.dtype:
        yield "kir.join.dtype", f"{lhs.dtype} and {rhs.dtype}"
    if not known.same_shape(lhs.shape, rhs.shape):
        yield "kir.join.shape", f"{shown(lhs.shape)} and {shown(rhs.shape)}"
    yield from check_result(op.result, lhs.dtype, (*lhs.shape, IntExpr.of(2)), known)


def _coordinates(op: Dim | Domain | Subregion | Indices, known: Equalities) -> Iterator[Complaint]:
    match op:
        case Dim():
            yield from check_result(op.result, INDEX, (), known)
        case Domain():
            if not all(is_scalar_of(bound) for bound in (op.begin, op.end, op.step)):
                yield "kir.domain", "a bound is no integer scalar"
            step = op.result.domain.step.constant
            if step is not None and step <= 0:
                yield "kir.domain.step", f"the step is {step}"
        case Subregion():
            if op.source.domain.step.constant != 1:
                yield "kir.subregion.step", f"the source has the step {op.source.domain.step}"
            if not all(is_scalar_of(bound) for bound in (op.begin, op.end) if bound is not None):
                yield "kir.subregion", "a bound is no integer scalar"
            if not isinstance(op.result.type, DomainType):
                yield "kir.subregion.lost_source", "the result is no domain"
        case Indices():
            yield from check_result(op.result, INDEX, (op.domain.domain.extent,), known)


def _read(op: Load | Gather, known: Equalities) -> Iterator[Complaint]:
    source = op.resource.type if isinstance(op, Load) else op.source.type
    if not isinstance(source, ViewType | BufferType if isinstance(op, Load) else TensorType):
        yield "kir.op.type", f"{type(op).__name__.lower()} from {type(source).__name__}"
        return
    assert not isinstance(source, DomainType)
    found = list(check_terms(source.shape, op.terms))
    yield from found
    if found:
        return
    yield from check_result(op.result, source.dtype, infer.selected_shape(source.shape, op.terms), known)
    yield from check_guard(op.valid, op.result.tensor.shape, known)
    if op.valid is not None and op.fill is None:
        yield "kir.load.fill_missing", "a read with a validity needs a fill"
    if op.fill is not None and op.fill.tensor.dtype != source.dtype:
        yield "kir.load.fill_dtype", f"the fill is {op.fill.tensor.dtype}, not {source.dtype}"
    if op.fill is not None and not known.same_shape(op.fill.tensor.shape, op.result.tensor.shape):
        yield "kir.op.shape", f"the fill has the shape {shown(op.fill.tensor.shape)}"


def _store(op: Store, known: Equalities) -> Iterator[Complaint]:
    target = op.resource.resource
    if isinstance(target, ViewType) and target.access is Access.IN:
        yield "kir.view.write", f"{op.resource!r} is In"
    found = list(check_terms(target.shape, op.terms))
    yield from found
    if found:
        return
    shape = infer.selected_shape(target.shape, op.terms)
    if op.value.tensor.dtype != target.dtype:
        yield "kir.store.dtype", f"{op.value.tensor.dtype} into {target.dtype}"
    if not known.same_shape(op.value.tensor.shape, shape):
        yield "kir.store.shape", f"{shown(op.value.tensor.shape)} into {shown(shape)}"
    yield from check_guard(op.valid, shape, known)


def _allocate(op: Allocate, known: Equalities) -> Iterator[Complaint]:
    if not isinstance(op.result.type, BufferType):
        yield "kir.op.type", "the result is no buffer"
        return
    if op.init is not None:
        initial = op.init.tensor
        if initial.dtype != op.result.type.dtype:
            yield "kir.store.dtype", f"a buffer of {op.result.type.dtype} filled with {initial.dtype}"
        if initial.shape and not known.same_shape(initial.shape, op.result.type.shape):
            yield "kir.store.shape", f"a buffer {shown(op.result.type.shape)} filled with {shown(initial.shape)}"


def _reduce(op: Reduce | ArgReduce, known: Equalities) -> Iterator[Complaint]:
    source = op.source.tensor
    axes = op.axes if isinstance(op, Reduce) else (op.axis,)
    if list(axes) != sorted(set(axes)) or not axes or not all(0 <= axis < source.rank for axis in axes):
        yield "kir.reduce.axes", f"axes {axes} of rank {source.rank}"
        return
    kept = infer.without_axes(source.shape, axes)
    if isinstance(op, Reduce):
        yield from check_result(op.result, source.dtype, kept, known)
        return
    yield from check_result(op.results[0], source.dtype, kept, known)
    yield from check_result(op.results[1], INDEX, kept, known)


def _contract(op: Contract, known: Equalities) -> Iterator[Complaint]:
    lhs, rhs = op.lhs.tensor, op.rhs.tensor
    pairs = (*op.reduce, *op.batch)
    lefts, rights = [left for left, _ in pairs], [right for _, right in pairs]
    in_range = all(0 <= left < lhs.rank and 0 <= right < rhs.rank for left, right in pairs)
    if not op.reduce or not in_range or len(set(lefts)) != len(lefts) or len(set(rights)) != len(rights):
        yield "kir.contract.axes", f"reduce {op.reduce}, batch {op.batch} of ranks {lhs.rank} and {rhs.rank}"
        return
    if lhs.dtype != rhs.dtype:
        yield "kir.dtype.mixed", f"contract of {lhs.dtype} and {rhs.dtype}"
    for left, right in pairs:
        if not known.same(lhs.shape[left], rhs.shape[right]):
            yield "kir.contract.extent", f"extents {lhs.shape[left]} and {rhs.shape[right]} of a pair"
    shape = infer.contracted_shape(lhs.shape, rhs.shape, op.reduce, op.batch)
    yield from check_result(op.result, op.result.tensor.dtype, shape, known)
