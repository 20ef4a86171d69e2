"""What a plan takes of memory, threads, blocks and registers, and whether the target and the machine have as much."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from intent2cuda.base.diagnostics import Diagnostic
from intent2cuda.base.intexpr import IntExpr
from intent2cuda.plan.concrete import ConcretePlan, HostCheck
from intent2cuda.plan.launch import tiles_of
from intent2cuda.plan.schedules import CpuKernelSchedule, CudaKernelSchedule
from intent2cuda.plan.stage import Product
from intent2cuda.plan.trees import every
from intent2cuda.target.deployment import Deployment
from intent2cuda.target.profile import CpuProfile, CudaProfile, Profile

REGISTER_BYTES = 4
MEMORY = "memory.bytes"
CORES = "units"


def held_bytes(plan: ConcretePlan, target: Profile, machine: Deployment) -> IntExpr:
    """Bytes of the machine's memory that calls have beside their arguments: as many calls as may run at once."""
    threads = (machine.fact(CORES) or target.threads) if isinstance(target, CpuProfile) else 0
    blocks = plan.launch.blocks if plan.launch else IntExpr.of(0)
    times: Mapping[str, IntExpr] = {"thread": IntExpr.of(threads), "block": blocks, "call": IntExpr.of(1)}
    held = (region for region in plan.coordination.regions if region.space in ("scratch", "workspace"))
    return sum((region.bytes * times[region.per] for region in held), IntExpr.of(0)) * machine.calls


def argument_bytes(plan: ConcretePlan) -> int:
    """Bytes of the arguments of a call that are known in size."""
    views = (region for region in plan.coordination.regions if region.space == "global")
    return sum(region.bytes.constant or 0 for region in views)


def registers(plan: ConcretePlan) -> int:
    """The registers that a thread needs for the sums of a tile, where it has some."""
    return max((_sums(stage, plan) for stage in every(plan.stages) if isinstance(stage, Product)), default=0)


def register_limit(schedule: CudaKernelSchedule, target: CudaProfile) -> int:
    """What a thread may have, with as many blocks on a multiprocessor as the plan wants."""
    threads = max(schedule.launch.threads * max(schedule.launch.resident, 1), 1)
    return min(target.registers_per_thread, target.registers_per_block // threads)


def _sums(product: Product, plan: ConcretePlan) -> int:
    if plan.launch is None or not product.implementation.parameters:
        return 0
    rows, columns = tiles_of(product.implementation)
    return rows * columns // max(plan.launch.threads, 1) * product.op.result.tensor.dtype.bytes // REGISTER_BYTES


def capacity_findings(plan: ConcretePlan, target: Profile, machine: Deployment | None) -> Iterator[Diagnostic]:
    """Each limit that a plan goes beyond. Without a machine those of the target alone are looked at."""
    asked = list(_asked(plan, target))
    memory = None if machine is None else machine.fact(MEMORY)
    if machine is not None and memory is not None:
        held = held_bytes(plan, target, machine)
        own = held.constant or 0
        asked.append(("scratch" if plan.target == "cpu" else "workspace", own, memory, "B of memory"))
        asked.append(("memory", argument_bytes(plan) + own, memory, "B of memory, arguments included"))
        checked = any(isinstance(check, HostCheck) and check.kind == "capacity" for check in plan.checks)
        if plan.launch is not None and held.constant is None and not checked:
            message = f"nothing checks whether {held} B fit into {memory} B of memory"
            yield Diagnostic("concrete.capacity.unguarded", message, subject=plan.target)
    for what, need, limit, unit in asked:
        if need is None or need > limit:
            asks = "no known number" if need is None else need
            yield Diagnostic(f"concrete.capacity.{what}", f"{asks} > {limit} {unit}", subject=plan.target)


def _asked(plan: ConcretePlan, target: Profile) -> Iterator[tuple[str, int | None, int, str]]:
    """What is asked of each limit of a target, as far as it is known, with the words for it."""
    match plan.schedule, target:
        case CpuKernelSchedule(), CpuProfile():
            frame = next((r.bytes.constant for r in plan.coordination.regions if r.id == "local"), 0)
            yield "stack", frame, target.stack_bytes, "B of stack"
        case CudaKernelSchedule() as schedule, CudaProfile():
            threads, limits = schedule.launch.threads, (target.grid_x, target.grid_yz, target.grid_yz)
            yield "threads", threads, target.threads_per_block, "threads in a block"
            yield "shared", schedule.shared_bytes, target.shared_bytes, "B of shared memory"
            for blocks, limit in zip(schedule.launch.grid, limits, strict=True):
                yield "grid", blocks.constant or 0, limit, "blocks"
            yield "registers", registers(plan), register_limit(schedule, target), "registers a thread"
            warps = sum(role.warps for role in schedule.roles)
            yield "roles", warps * target.warp, max(threads, 1), "threads with a role"
        case _:
            return
