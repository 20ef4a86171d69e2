"""What tasks ask for: a name for what they do, abstract resources, capabilities with what may realise them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce

from intent2cuda.base.intexpr import IntExpr
from intent2cuda.ir.op import Op, results
from intent2cuda.ir.ops import (
    ArgReduce,
    AtomicLoad,
    AtomicStore,
    AtomicUpdate,
    CompareExchange,
    Contract,
    For,
    Gather,
    Histogram,
    Load,
    Philox,
    Quantize,
    QuantizedDot,
    Reduce,
    ReduceBy,
    RegionFold,
    RegionScan,
    ScaledContract,
    Scan,
    ScanBy,
    ScatterReduce,
    SparseContract,
    While,
)
from intent2cuda.ir.terms import Lanes
from intent2cuda.plan.portable import Capability, Resource, WorkloadFacts
from intent2cuda.plan.quantity import NOTHING, Exact, Unknown, UpperBound, add
from intent2cuda.types.value_type import TensorType

OPERATIONS: tuple[tuple[str, tuple[type[Op], ...]], ...] = (
    ("intent.region_fold", (RegionFold,)),
    ("intent.region_scan", (RegionScan,)),
    ("intent.scaled_contract", (ScaledContract,)),
    ("intent.sparse_contract", (SparseContract,)),
    ("intent.contract", (Contract,)),
    ("intent.quantize", (Quantize, QuantizedDot)),
    ("intent.histogram", (Histogram,)),
    ("intent.scan", (Scan, ScanBy)),
    ("intent.scatter_reduce", (ScatterReduce,)),
    ("intent.reduce", (Reduce, ArgReduce, ReduceBy)),
    ("intent.atomic", (AtomicLoad, AtomicStore, AtomicUpdate, CompareExchange)),
    ("intent.serial", (For, While)),
    ("intent.rng", (Philox,)),
)
"""What tasks are called after: the first of these that they do."""

GATHER, POINTWISE = "intent.gather", "intent.pointwise"


def operation(ops: Sequence[Op]) -> str:
    """The most structured thing that ops do."""
    for name, kinds in OPERATIONS:
        if any(isinstance(op, kinds) for op in ops):
            return name
    indexed = (op for op in ops if isinstance(op, Load | Gather) and any(isinstance(t, Lanes) for t in op.terms))
    return GATHER if any(True for _ in indexed) else POINTWISE


def resources(
    facts: WorkloadFacts, held: Sequence[tuple[UpperBound | Unknown, str]], waits: bool
) -> Iterator[Resource]:
    """`held`: what the task keeps in workspace, with its scope; `waits`: whether it comes after others."""
    arithmetic = reduce(add, (work.count for work in facts.ops_by_class), NOTHING)
    yield Resource("arithmetic", arithmetic, "per_task")
    yield Resource("memory_bandwidth", facts.moved_bytes, "per_task")
    yield from (Resource("memory_capacity", bound, scope) for bound, scope in held)
    if waits:
        yield Resource("synchronisation", Exact(IntExpr.of(1)), "shared")


def capabilities(ops: Sequence[Op]) -> Iterator[Capability]:
    """The needs of ops in alphabetical order, each once."""
    needs: dict[str, tuple[str, ...]] = {}
    for op in ops:
        needs |= dict(_structured(op))
        for value in results(op):
            if isinstance(value.type, TensorType):
                needs.setdefault(f"arithmetic {value.type.dtype}", ("native", "by conversion"))
    yield from (Capability(need, needs[need]) for need in sorted(needs))


def _structured(op: Op) -> Iterator[tuple[str, tuple[str, ...]]]:
    match op:
        case Contract():
            kinds = f"{op.lhs.tensor.dtype}*{op.rhs.tensor.dtype}->{op.result.tensor.dtype}"
            yield f"contract {kinds}", ("matrix product", "scalar multiply-add")
        case ScaledContract():
            kinds = f"{op.lhs_format.value}*{op.rhs_format.value}->{op.result.tensor.dtype}"
            yield f"scaled contract {kinds}", ("scaled matrix product", "decoding, then a contraction")
        case SparseContract():
            kinds = f"{op.compressed.tensor.dtype} {op.format.value}->{op.result.tensor.dtype}"
            yield f"sparse contract {kinds}", ("sparse matrix product", "expanding, then a contraction")
        case Reduce():
            yield f"reduce {op.combiner.value} {op.result.tensor.dtype}", ("any order",)
        case ArgReduce():
            yield f"greatest {op.source.tensor.dtype}", ("first of equals",)
        case ReduceBy():
            yield "reduce by a region", ("any grouping", "one member after the other")
        case Scan():
            yield f"scan {op.combiner.value} {op.result.tensor.dtype}", ("in order, grouped", "carry")
        case ScanBy():
            yield "scan by a region", ("in order, grouped", "carry")
        case RegionFold() | RegionScan():
            yield "segments", ("in order, grouped", "one after the other")
        case Histogram():
            yield f"histogram {op.result.tensor.dtype}", ("atomic increments", "private counts, then a sum")
        case ScatterReduce():
            yield f"scatter {op.combiner.value} {op.value.tensor.dtype}", ("atomic updates", "sorted, then a reduction")
        case AtomicUpdate():
            yield f"atomic {op.update.value} {op.resource.resource.dtype} {op.order.value}", ("indivisible access",)
        case AtomicLoad() | AtomicStore() | CompareExchange():
            yield f"atomic exchange {op.resource.resource.dtype} {op.order.value}", ("indivisible access",)
        case Philox():
            yield "random bits", ("counter-based generator",)
        case Quantize() | QuantizedDot():
            yield "records of quantised numbers", ("arithmetic on bytes",)
        case _:
            pass
