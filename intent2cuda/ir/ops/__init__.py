"""The closed set of ops. Every `match` over `AnyOp` ends in `assert_never`."""

from __future__ import annotations

from typing import TypeAlias

from intent2cuda.ir.ops.atomic import (
    AtomicLoad,
    AtomicStore,
    AtomicUpdate,
    CompareExchange,
    Order,
    ScatterReduce,
    Update,
)
from intent2cuda.ir.ops.control import For, If, Parallel, While, Yield
from intent2cuda.ir.ops.domain import Dim, Domain, Indices, Subregion
from intent2cuda.ir.ops.formats import (
    Quantize,
    QuantizedDot,
    RecordFormat,
    ScaledContract,
    ScaledFormat,
    SparseContract,
    SparseFormat,
)
from intent2cuda.ir.ops.inspection import Inspect, Rule
from intent2cuda.ir.ops.memory import Allocate, AssumeInBounds, Gather, Load, RequireEqual, Store
from intent2cuda.ir.ops.pointwise import Bitcast, Cast, Constant, Pointwise
from intent2cuda.ir.ops.random import Philox
from intent2cuda.ir.ops.region import RegionFold, RegionScan
from intent2cuda.ir.ops.shape import Broadcast, Join, Reshape, Transpose
from intent2cuda.ir.ops.structured import ArgReduce, Combiner, Contract, Histogram, Reduce, ReduceBy, Scan, ScanBy

AnyOp: TypeAlias = (
    Constant
    | Pointwise
    | Cast
    | Bitcast
    | Broadcast
    | Reshape
    | Transpose
    | Join
    | Dim
    | Domain
    | Subregion
    | Indices
    | Load
    | Gather
    | Store
    | Allocate
    | RequireEqual
    | AssumeInBounds
    | Inspect
    | AtomicLoad
    | AtomicStore
    | AtomicUpdate
    | CompareExchange
    | ScatterReduce
    | Reduce
    | ReduceBy
    | ArgReduce
    | Scan
    | ScanBy
    | RegionFold
    | RegionScan
    | Contract
    | ScaledContract
    | SparseContract
    | Quantize
    | QuantizedDot
    | Histogram
    | Philox
    | Parallel
    | For
    | While
    | If
    | Yield
)

__all__ = [
    "Allocate", "AnyOp", "ArgReduce", "AssumeInBounds", "AtomicLoad", "AtomicStore", "AtomicUpdate", "Bitcast",
    "Broadcast", "Cast", "Combiner", "CompareExchange", "Constant", "Contract", "Dim", "Domain", "For", "Gather",
    "Histogram", "If", "Indices", "Inspect", "Join", "Load", "Order", "Parallel", "Philox", "Pointwise", "Quantize",
    "QuantizedDot", "RecordFormat", "Reduce", "ReduceBy", "RegionFold", "RegionScan", "RequireEqual", "Reshape", "Rule",
    "ScaledContract", "ScaledFormat", "Scan", "ScanBy", "ScatterReduce", "SparseContract", "SparseFormat", "Store",
    "Subregion", "Transpose", "Update", "While", "Yield",
]  # fmt: skip
