"""The portable plan: what is decided of a kernel whatever it runs on. It knows no target, no number of threads, no
tile.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from intent2cuda.base.intexpr import IntExpr
from intent2cuda.plan.stage import Role
from intent2cuda.types.dtype import DType

SCHEMA = "intent.portable/0"


class DecisionKind(Enum):
    FUSE = "fuse"  # operations that run together, member by member
    RECOMPUTE = "recompute"  # a value that is computed wherever it is used
    MATERIALIZE = "materialize"  # a value that is stored
    ORDER = "order"  # an order that must be kept
    WRITE_OUT = "write_out"  # an operation that runs as others which do the same
    RESOURCE = "resource"  # how long storage lives and whose it is


@dataclass(frozen=True)
class Decision:
    """`subject`: the identifiers of what is decided about; `alternatives`: what is legal too, left to the gate."""

    kind: DecisionKind
    subject: tuple[str, ...]
    reason: str
    alternatives: tuple[str, ...] = ()


@dataclass(frozen=True)
class Parameter:
    """A granularity that is left open: a symbol of extents, any number from `least` on. The gate binds it."""

    symbol: str
    least: int
    meaning: str


@dataclass(frozen=True)
class PortableAxis:
    id: str
    extent: IntExpr
    role: Role


@dataclass(frozen=True)
class Count:
    """How often something happens; `unknown` says why the number is not known (then `exact` is None)."""

    exact: IntExpr | None
    unknown: str = ""


@dataclass(frozen=True)
class WorkloadFacts:
    """`operations`: (class, dtype) and how many. Bytes are of distinct elements that cross the border of the task."""

    operations: tuple[tuple[str, str, Count], ...]
    read_bytes: Count
    write_bytes: Count
    message_bytes: Count


@dataclass(frozen=True)
class Resource:
    """`kind`: arithmetic, memory_bandwidth, memory_capacity, synchronisation; `scope`: per_instance or per_task."""

    kind: str
    quantity: Count
    scope: str


@dataclass(frozen=True)
class Capability:
    """A need and what may realise it."""

    need: str
    alternatives: tuple[str, ...]


@dataclass(frozen=True)
class PlanTask:
    """A loop nest over the axes of a workset. `parts` are its sweeps in order; `body` the operations it covers."""

    id: str
    operation: str
    axes: tuple[PortableAxis, ...]
    parts: tuple[str, ...]
    body: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    effects: tuple[str, ...]
    dependencies: tuple[str, ...]
    facts: WorkloadFacts
    resources: tuple[Resource, ...]
    capabilities: tuple[Capability, ...]


class BufferRole(Enum):
    INPUT = "input"
    OUTPUT = "output"
    STATE = "state"
    WORKSPACE = "workspace"


@dataclass(frozen=True)
class PlanBuffer:
    """`bound`: at most so many elements are held at once, and `meaning` says which. `storage`: external, transient."""

    id: str
    dtype: DType
    role: BufferRole
    storage: str
    bound: IntExpr
    meaning: str
    producer: str
    consumers: tuple[str, ...]


@dataclass(frozen=True)
class PortablePlan:
    kernel: str
    parent: str
    strategy: str
    tasks: tuple[PlanTask, ...]
    buffers: tuple[PlanBuffer, ...]
    decisions: tuple[Decision, ...]
    parameters: tuple[Parameter, ...]
    objectives: tuple[tuple[str, str, int], ...]
    obligations: tuple[str, ...]
    digest: str
