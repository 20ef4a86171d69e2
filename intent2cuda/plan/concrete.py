"""The concrete plan: what lowering spells out, for one kernel on one target."""

from __future__ import annotations

from dataclasses import dataclass

from intent2cuda.base.intexpr import IntExpr
from intent2cuda.ir.kernel import Kernel
from intent2cuda.ir.value import Value
from intent2cuda.plan.commands import ImplementationRef
from intent2cuda.plan.coordination import Coordination
from intent2cuda.plan.schedules import CudaKernelSchedule, LaunchShape, Schedule
from intent2cuda.plan.stage import Buffer, Stage
from intent2cuda.target.evidence import PlanningEvidence

PLANNER = "1"
"""The revision of planning: it changes when the same kernel gets another plan."""


@dataclass(frozen=True)
class HostCheck:
    """A condition that the launcher verifies before anything runs. `kind`: shape, stride, capacity; the sentence
    names the author's parameters.
    """

    kind: str
    lhs: IntExpr
    relation: str
    rhs: IntExpr
    sentence: str


@dataclass(frozen=True)
class OneOrEqual:
    """A broadcast extent that must be 1 or equal to `to`: decided at the call."""

    extent: IntExpr
    to: IntExpr
    sentence: str


@dataclass(frozen=True)
class OverlapRule:
    """How a written view may share memory with another one: not at all ("disjoint"), or only as the very same
    elements ("same_or_disjoint").
    """

    written: Value
    other: Value
    rule: str
    sentence: str
    reason: str = ""


@dataclass(frozen=True)
class UnitAxis:
    """The fast instance of the kernel assumes stride 1 along this axis of this view."""

    view: Value
    axis: int


@dataclass(frozen=True)
class Origin:
    """Where a plan comes from. All but `evidence` are digests: of the portable plan and the structure of it that was
    bound, of what it was bound to; `evidence` is what decided between structures.
    """

    portable: str
    structure: str
    target: str
    deployment: str
    abi: str
    evidence: PlanningEvidence
    planner: str = PLANNER


@dataclass(frozen=True)
class Selected:
    """The implementation of a stage, by the identifier of the stage in the plan."""

    stage: str
    implementation: ImplementationRef
    parameters: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class BoundParameter:
    """The number that a symbol of the portable plan stands for here."""

    symbol: str
    value: int
    implementation: ImplementationRef
    reason: str


@dataclass(frozen=True)
class ResourceMap:
    """What meets the abstract requirement of a task."""

    task: str
    kind: str
    scope: str
    by: str


@dataclass(frozen=True)
class ConcretePlan:
    """Everything that is decided: stages in order, storage, guards, and the schedule of the target.

    `coordination` is the part that all plans have in common; `schedule` is the part of one kind of target.
    `realises`: for each stage the tasks that it carries out. `facts`: the digest of the work of each task.
    `unneeded`: portable buffers that got no memory, with the reason. `notes` are remarks for `explain`, best first.
    """

    kernel: Kernel
    target: str
    origin: Origin
    coordination: Coordination
    stages: tuple[Stage, ...]
    buffers: tuple[Buffer, ...]
    selection: tuple[Selected, ...]
    parameters: tuple[BoundParameter, ...]
    resources: tuple[ResourceMap, ...]
    realises: tuple[tuple[str, tuple[str, ...]], ...]
    facts: tuple[tuple[str, str], ...]
    unneeded: tuple[tuple[str, str], ...]
    checks: tuple[HostCheck | OneOrEqual, ...]
    overlaps: tuple[OverlapRule, ...]
    unit_axes: tuple[UnitAxis, ...]
    schedule: Schedule
    digest: str
    notes: tuple[str, ...] = ()

    @property
    def launch(self) -> LaunchShape | None:
        """The launch, on a target whose kernels are launched."""
        return self.schedule.launch if isinstance(self.schedule, CudaKernelSchedule) else None
