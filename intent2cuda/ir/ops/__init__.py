"""The closed set of ops. Every `match` over `AnyOp` ends in `assert_never`."""

from __future__ import annotations

from typing import TypeAlias

from intent2cuda.ir.ops.control import For, If, Parallel, While, Yield
from intent2cuda.ir.ops.domain import Dim, Domain, Indices, Subregion
from intent2cuda.ir.ops.memory import Allocate, AssumeInBounds, Gather, Load, RequireEqual, Store
from intent2cuda.ir.ops.pointwise import Bitcast, Cast, Constant, Pointwise
from intent2cuda.ir.ops.shape import Broadcast, Join, Reshape, Transpose
from intent2cuda.ir.ops.structured import ArgReduce, Combiner, Contract, Reduce

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
    | Reduce
    | ArgReduce
    | Contract
    | Parallel
    | For
    | While
    | If
    | Yield
)

__all__ = [
    "Allocate", "AnyOp", "ArgReduce", "AssumeInBounds", "Bitcast", "Broadcast", "Cast", "Combiner", "Constant",
    "Contract", "Dim", "Domain", "For", "Gather", "If", "Indices", "Join", "Load", "Parallel", "Pointwise",
    "Reduce", "RequireEqual", "Reshape", "Store", "Subregion", "Transpose", "While", "Yield",
]  # fmt: skip
