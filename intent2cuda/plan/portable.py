"""The portable plan: what is decided of a kernel whatever it runs on. It knows no target, no number of threads, no
tile, and it is complete in itself: operations are named by their identifiers, extents and scalars of the call by name.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from functools import lru_cache, reduce

from intent2cuda.base.codec import digest
from intent2cuda.base.envelope import Envelope, opened
from intent2cuda.base.intexpr import IntExpr, Operation, Symbol
from intent2cuda.base.records import Records
from intent2cuda.plan.quantity import NOTHING, Basis, DataSymbol, Exact, Quantity, Unknown, UpperBound, add, times
from intent2cuda.plan.stage import Role
from intent2cuda.types.dtype import DType, Kind

SCHEMA = "intent.portable"
PLANNER = "intent2cuda.planner/0"


class Status(Enum):
    """Whether a plan is one of those that were considered, or the one that is bound."""

    CANDIDATE = "candidate"
    SELECTED = "selected"


class Origin(Enum):
    """How something came out of operations of the author."""

    LOWERED = "lowered"  # one operation
    FUSED = "fused"  # several operations, member by member
    DECOMPOSED = "decomposed"  # a part of a workset; other tasks have the others
    CLONED = "cloned"  # operations that another task does too


@dataclass(frozen=True)
class Lineage:
    kind: Origin
    operations: tuple[str, ...]
    worksets: tuple[str, ...]


class DecisionKind(Enum):
    FUSE = "fuse"  # operations that run together, member by member
    RECOMPUTE = "recompute"  # a value that is computed wherever it is used
    MATERIALIZE = "materialize"  # a value that is stored
    ORDER = "order"  # an order that must be kept
    SEGMENT = "segment"  # an axis that is cut, and how the parts are merged
    WRITE_OUT = "write_out"  # an operation that runs as others which do the same
    RESOURCE = "resource"  # how long storage lives and whose it is


@dataclass(frozen=True)
class Work:
    """A class of arithmetic on one element type, and how often it is done."""

    kind: str
    dtype: str
    count: Quantity


@dataclass(frozen=True)
class Decision:
    """`subject`: the identifiers of what is decided about; `alternatives`: what is legal too, left to the gate.

    extra: the work that comes on top of what the operations of the author are.
    """

    id: str
    kind: DecisionKind
    subject: tuple[str, ...]
    reason: str
    alternatives: tuple[str, ...] = ()
    extra: tuple[Work, ...] = ()


@dataclass(frozen=True)
class Parameter:
    """A granularity that is left open: a symbol of extents, any number from `least` on. The gate binds it."""

    symbol: str
    least: int
    meaning: str


@dataclass(frozen=True)
class PortableAxis:
    """`source`: the domain of the author that the axis runs over; empty for the positions of a tensor."""

    id: str
    extent: IntExpr
    role: Role
    source: str = ""


@dataclass(frozen=True)
class Ratio:
    """A quotient that is kept as its two sides."""

    over: Quantity
    under: Quantity


@dataclass(frozen=True)
class WorkloadFacts:
    """What a task does, exactly as far as that can be known.

    Bytes are of distinct elements that cross the border of the task; `requested_bytes` counts them as often as they
    are asked for. Messages go between machines: a kernel sends none.
    """

    ops_by_class: tuple[Work, ...]
    read_bytes: Quantity
    write_bytes: Quantity
    requested_bytes: Quantity
    message_bytes: Quantity

    @property
    def moved_bytes(self) -> Quantity:
        return add(self.read_bytes, self.write_bytes)

    @property
    def reuse(self) -> Ratio:
        """How often each byte is asked for."""
        return Ratio(self.requested_bytes, self.moved_bytes)

    @property
    def intensity(self) -> Ratio:
        """Operations for each byte that is moved; a multiply-add is two."""
        each = (times(work.count, 2 if work.kind == "fma" else 1) for work in self.ops_by_class)
        return Ratio(reduce(add, each, NOTHING), self.moved_bytes)


@dataclass(frozen=True)
class Resource:
    """`kind`: arithmetic, memory_bandwidth, memory_capacity, synchronisation, host_control, network; `scope`:
    per_instance, per_task or shared.
    """

    kind: str
    quantity: Quantity | UpperBound
    scope: str


@dataclass(frozen=True)
class Capability:
    """A need and what may realise it."""

    need: str
    alternatives: tuple[str, ...]


@dataclass(frozen=True)
class TypedEffect:
    """A change of memory that others see: `kind` is write, atomic or combine."""

    kind: str
    buffer: str
    operation: str


@dataclass(frozen=True)
class PlanTask:
    """A loop nest over the axes of its operations. `parts` are its sweeps in order; `body` the operations it covers.

    group: tasks of one group may run at the same time; nothing is said of a task without one.
    """

    id: str
    operation: str
    axes: tuple[PortableAxis, ...]
    parts: tuple[str, ...]
    body: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    effects: tuple[TypedEffect, ...]
    dependencies: tuple[str, ...]
    facts: WorkloadFacts
    resources: tuple[Resource, ...]
    capabilities: tuple[Capability, ...]
    lineage: Lineage
    group: str = ""


class BufferRole(Enum):
    INPUT = "input"
    OUTPUT = "output"
    STATE = "state"
    WORKSPACE = "workspace"


@dataclass(frozen=True)
class PlanBuffer:
    """`size` in bytes: exact for memory of the caller, an upper bound for workspace, unknown where there is none.

    storage: external or transient. lifetime: the first and the last task that need it; both empty when none does.
    """

    id: str
    dtype: DType
    role: BufferRole
    storage: str
    size: Exact | UpperBound | Unknown
    producer: str
    consumers: tuple[str, ...]
    lifetime: tuple[str, str]
    lineage: tuple[str, ...]


@dataclass(frozen=True)
class Objective:
    """`direction`: minimise or maximise."""

    kind: str
    direction: str
    weight: int


@dataclass(frozen=True)
class Constraint:
    """At most so many of something."""

    id: str
    kind: str
    bound: int


@dataclass(frozen=True)
class Obligation:
    """What the gate has to do: `replace_bound` of a workspace by what the chosen implementations need."""

    id: str
    kind: str
    subject: str


@dataclass(frozen=True)
class Provenance:
    """`parents`: (layer, digest) of what the plan was made from. `strategy`: the name of the way it was found."""

    planner: str
    strategy: str
    parents: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class PortablePlan:
    """`facts`: of all operations of the author, whatever was decided; `data`: the numbers in them that data gives.

    `digest` is that of the content: names that people read, reasons and provenance take no part in it.
    """

    kernel: str
    provenance: Provenance
    status: Status
    strategy_fingerprint: str
    tasks: tuple[PlanTask, ...]
    buffers: tuple[PlanBuffer, ...]
    decisions: tuple[Decision, ...]
    parameters: tuple[Parameter, ...]
    data: tuple[DataSymbol, ...]
    facts: WorkloadFacts
    objectives: tuple[Objective, ...]
    constraints: tuple[Constraint, ...]
    obligations: tuple[Obligation, ...]
    digest: str = ""

    @property
    def parent(self) -> str:
        """The digest of the kernel."""
        return dict(self.provenance.parents)["kir"]

    @property
    def strategy(self) -> str:
        return self.provenance.strategy


RECORDS = Records(
    (
        PortablePlan, Provenance, Status, PlanTask, Lineage, Origin, PortableAxis, Role, WorkloadFacts, Work, Exact,
        Basis, Unknown, UpperBound, Resource, Capability, TypedEffect, PlanBuffer, BufferRole, DType, Kind, Decision,
        DecisionKind, Parameter, DataSymbol, Objective, Constraint, Obligation, IntExpr, Operation, Symbol,
    )
)  # fmt: skip
"""The text of a portable plan, and the way back."""


def content_digest(plan: PortablePlan) -> str:
    """The digest of what is decided, without what speaks to people and where the plan comes from."""
    bare = replace(
        plan,
        provenance=Provenance("", "", ()),
        status=Status.CANDIDATE,
        tasks=tuple(replace(t, resources=tuple(map(_bare_resource, t.resources))) for t in plan.tasks),
        buffers=tuple(replace(buffer, size=_bare(buffer.size)) for buffer in plan.buffers),
        decisions=tuple(replace(decision, reason="") for decision in plan.decisions),
        digest="",
    )
    return digest(SCHEMA, RECORDS.text(bare))


def _bare_resource(resource: Resource) -> Resource:
    return replace(resource, quantity=_bare(resource.quantity))


def _bare(size: Exact | UpperBound | Unknown) -> Exact | UpperBound | Unknown:
    return replace(size, meaning="") if isinstance(size, UpperBound) else size


@lru_cache(maxsize=256)
def facts_digest(facts: WorkloadFacts) -> str:
    """What tells facts apart."""
    return digest("intent.facts", RECORDS.text(facts))


def sealed(plan: PortablePlan) -> Envelope:
    """The plan as the text of its layer."""
    provenance = plan.provenance
    content = RECORDS.plain(plan)
    return Envelope(SCHEMA, provenance.planner, provenance.parents, (), plan.digest, content)


def loaded(text: str) -> PortablePlan:
    """The plan that a text holds. Raises: IntentError when it is the text of another layer, or no such text."""
    return RECORDS.item(opened(text, SCHEMA).content)
