"""What has a meaning on one kind of target only: a typed extension of the plan for each.

A plan has one of them. Their words for who runs an axis are those of the target: blocks and threads, or a team and
lanes.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TypeAlias

from intent2cuda.base.intexpr import IntExpr, minimum


@dataclass(frozen=True)
class AxisMap:
    """How an axis of a stage runs: by a chain of levels, the outermost first."""

    stage: str
    axis: str
    extent: IntExpr
    chain: tuple[str, ...]
    reason: str


@dataclass(frozen=True)
class SyncRecord:
    """A place where threads wait for each other. `participants` wait; `orders` says which write comes before what."""

    stage: str
    kind: str
    participants: str
    orders: str


@dataclass(frozen=True)
class CpuKernelSchedule:
    """Calls fork into a team of threads and join again; there is no queue.

    `share`: how members are dealt to the threads. `least_work`: scalar operations below which one thread does it all.
    `streams`: stages whose stores go past the caches.
    """

    covers: tuple[str, ...]
    maps: tuple[AxisMap, ...]
    joins: tuple[SyncRecord, ...]
    share: str
    least_work: int
    streams: tuple[str, ...]


@dataclass(frozen=True)
class LaunchShape:
    """Blocks along x, y, z as expressions of extents (each cut to the target's limit), threads in a block.

    `resident`: blocks that a multiprocessor has room for at least; 0 where the compiler of the target weighs
    registers against blocks. `most`: blocks at most, where each has memory of its own; 0 for any number.
    """

    grid: tuple[IntExpr, IntExpr, IntExpr]
    threads: int
    threads_reason: str
    resident: int = 0
    most: int = 0

    @property
    def blocks(self) -> IntExpr:
        """How many blocks there are at most."""
        wanted = prod(self.grid, start=IntExpr.of(1))
        return minimum(wanted, self.most) if self.most else wanted


@dataclass(frozen=True)
class AsyncCopy:
    """A copy that goes on while others compute: `group` counts the ones that are waited for together."""

    stage: str
    source: str
    target: str
    bytes: int
    group: int


@dataclass(frozen=True)
class PhaseBarrier:
    """A barrier in memory whose phases count arrivals, `expected` in each."""

    id: str
    expected: int
    phases: int


@dataclass(frozen=True)
class TensorMap:
    """The description of an array by which blocks of it are copied."""

    buffer: str
    box: tuple[int, ...]
    swizzle_bytes: int


@dataclass(frozen=True)
class WarpRole:
    """What some warps of a block do by themselves."""

    role: str
    first: int
    warps: int


@dataclass(frozen=True)
class CudaKernelSchedule:
    """A grid of blocks, issued to the stream of the caller. `shared_bytes`: of constant size, for a block.

    `single`: why one block runs the kernel; empty when several may.
    """

    covers: tuple[str, ...]
    maps: tuple[AxisMap, ...]
    launch: LaunchShape
    barriers: tuple[SyncRecord, ...]
    shared_bytes: int
    single: str = ""
    copies: tuple[AsyncCopy, ...] = ()
    phases: tuple[PhaseBarrier, ...] = ()
    tensor_maps: tuple[TensorMap, ...] = ()
    roles: tuple[WarpRole, ...] = ()
    cluster: tuple[int, int, int] = (1, 1, 1)


@dataclass(frozen=True)
class Slot:
    """A command in a cycle of a clock."""

    command: str
    cycle: int


@dataclass(frozen=True)
class VirtualSlotSchedule:
    """A target where the cycle of a command is part of what is correct; none of the real ones is.

    `clock` counts the cycles; `on_miss` is what happens when a command is not done in its slot.
    """

    covers: tuple[str, ...]
    slots: tuple[Slot, ...]
    clock: str
    on_miss: str


Schedule: TypeAlias = CpuKernelSchedule | CudaKernelSchedule | VirtualSlotSchedule

SCHEMAS = {
    CpuKernelSchedule: "intent.schedule.cpu/0",
    CudaKernelSchedule: "intent.schedule.cuda/0",
    VirtualSlotSchedule: "intent.schedule.slots/0",
}

TARGETS = {CpuKernelSchedule: "cpu", CudaKernelSchedule: "cuda", VirtualSlotSchedule: "slots"}
