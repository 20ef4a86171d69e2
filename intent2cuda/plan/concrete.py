"""The concrete plan: what lowering spells out, for one kernel on one target."""

from __future__ import annotations

from dataclasses import dataclass

from intent2cuda.base.intexpr import IntExpr
from intent2cuda.ir.kernel import Kernel
from intent2cuda.ir.value import Value
from intent2cuda.plan.stage import Buffer, Stage


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
class LaunchShape:
    """cuda: blocks along x, y, z as expressions of extents (each cut to the target's limit), threads in a block."""

    grid: tuple[IntExpr, IntExpr, IntExpr]
    threads: int
    threads_reason: str


@dataclass(frozen=True)
class ConcretePlan:
    """Everything that is decided: stages in order, storage, guards, launch. `notes` are remarks for `explain`, best
    first.
    """

    kernel: Kernel
    target: str
    stages: tuple[Stage, ...]
    buffers: tuple[Buffer, ...]
    checks: tuple[HostCheck | OneOrEqual, ...]
    overlaps: tuple[OverlapRule, ...]
    unit_axes: tuple[UnitAxis, ...]
    launch: LaunchShape | None
    portable_digest: str
    digest: str
    notes: tuple[str, ...] = ()
