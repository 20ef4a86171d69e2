"""Kernel IR one element at a time: a second reading of the language, slow and plain."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from intent2cuda.ir import ops
from intent2cuda.ir.op import Op

from . import control, elements, formats, memory, regions, structured
from .state import State

EVALUATE: Mapping[type[Op], Callable[..., None]] = {
    ops.Constant: elements.constant,
    ops.Pointwise: elements.pointwise,
    ops.Cast: elements.cast,
    ops.Inspect: elements.inspect,
    ops.Bitcast: elements.bitcast,
    ops.Broadcast: elements.broadcast,
    ops.Reshape: elements.reshape,
    ops.Transpose: elements.transpose,
    ops.Join: elements.join,
    ops.Dim: elements.dim,
    ops.Indices: elements.indices,
    ops.Philox: elements.philox,
    ops.Domain: control.nothing,
    ops.Subregion: control.nothing,
    ops.RequireEqual: control.require_equal,
    ops.AssumeInBounds: control.assume_in_bounds,
    ops.Parallel: control.parallel,
    ops.For: control.ordered,
    ops.While: control.repeated,
    ops.If: control.branch,
    ops.Load: memory.load,
    ops.Gather: memory.load,
    ops.Store: memory.store,
    ops.Allocate: memory.allocate,
    ops.AtomicLoad: memory.atomic_load,
    ops.AtomicStore: memory.atomic_store,
    ops.AtomicUpdate: memory.atomic_update,
    ops.CompareExchange: memory.compare_exchange,
    ops.ScatterReduce: memory.scatter_reduce,
    ops.Reduce: structured.reduce,
    ops.ReduceBy: structured.reduce_by,
    ops.Scan: structured.scan,
    ops.ScanBy: structured.scan_by,
    ops.ArgReduce: structured.arg_reduce,
    ops.Contract: structured.contract,
    ops.Histogram: structured.histogram,
    ops.RegionFold: regions.region_fold,
    ops.RegionScan: regions.region_scan,
    ops.ScaledContract: formats.scaled_contract,
    ops.SparseContract: formats.sparse_contract,
    ops.Quantize: formats.quantize,
    ops.QuantizedDot: formats.quantized_dot,
}


class Naive(State):
    """A run of all ops."""

    evaluate = EVALUATE


__all__ = ["EVALUATE", "Naive"]
