"""Binding: from the structure of a kernel to everything that one target needs to know."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any, cast

from intent2cuda.ir.kernel import Kernel
from intent2cuda.plan.barriers import Barriers
from intent2cuda.plan.checks import host_checks
from intent2cuda.plan.concrete import ConcretePlan, UnitAxis
from intent2cuda.plan.launch import launch_shape
from intent2cuda.plan.levels_cpu import CpuLevels
from intent2cuda.plan.levels_cuda import CudaLevels
from intent2cuda.plan.overlaps import overlap_rules
from intent2cuda.plan.patterns import Patterns
from intent2cuda.plan.sharing import sharing
from intent2cuda.plan.stage import Buffer, Implementation, Stage
from intent2cuda.plan.staging import Policy, draft
from intent2cuda.plan.storage_cuda import placed
from intent2cuda.plan.touching import Touching
from intent2cuda.target.profile import CpuProfile, CudaProfile
from intent2cuda.types.value_type import ViewType

TILES = Implementation(
    "cuda.contract.simt_tile",
    (
        ("tile_m", 64, "with tile_n: each of 256 threads sums 4 x 4 elements in registers"),
        ("tile_n", 64, "as tile_m"),
        ("tile_k", 16, "two tiles of operands take under 20 KiB of shared memory"),
    ),
)
TILE_BYTES = 20 * 1024


def bind_cpu(kernel: Kernel, profile: CpuProfile) -> ConcretePlan:
    made = draft(kernel, Policy(keep=True, side_by_side=True))
    stages = CpuLevels(Patterns(kernel, made.demand)).stages(made.stages, team=False)
    return _plan(kernel, "cpu", stages, made.buffers)


def bind_cuda(kernel: Kernel, profile: CudaProfile) -> ConcretePlan:
    made = draft(kernel, Policy(keep=False, side_by_side=False))
    touching = Touching(made.demand, made.homes, made.stages)
    shared = sharing(made, touching, Patterns(kernel, made.demand), profile.local_elements)
    stages = CudaLevels(bool(shared.single), shared.by_thread, TILES).top(made.stages, shared.on_grid)
    stages = Barriers(touching).stages(stages)
    buffers = placed(made, shared.by_thread, profile.shared_bytes - TILE_BYTES)
    launch = launch_shape(kernel, stages, profile.block_threads)
    return replace(_plan(kernel, "cuda", with_buffers(stages, buffers), buffers), launch=launch)


def with_buffers(stages: Sequence[Stage], buffers: Sequence[Buffer]) -> tuple[Stage, ...]:
    """The stages with every buffer replaced by the one of the same identifier."""
    by_id = {buffer.id: buffer for buffer in buffers}
    return tuple(cast(Stage, _replaced(stage, by_id)) for stage in stages)


def _replaced(item: Any, by_id: Mapping[str, Buffer]) -> Any:
    if isinstance(item, Buffer):
        return by_id[item.id]
    if isinstance(item, tuple):
        return tuple(_replaced(part, by_id) for part in cast(tuple[Any, ...], item))
    if is_dataclass(item) and not isinstance(item, type) and type(item).__module__ == Buffer.__module__:
        return replace(item, **{f.name: _replaced(getattr(item, f.name), by_id) for f in fields(item)})
    return item


def _plan(kernel: Kernel, target: str, stages: tuple[Stage, ...], buffers: tuple[Buffer, ...]) -> ConcretePlan:
    units = [
        UnitAxis(parameter, len(parameter.type.shape) - 1)
        for parameter in kernel.parameters
        if isinstance(parameter.type, ViewType) and parameter.type.shape
    ]
    checks, overlaps = host_checks(kernel), overlap_rules(kernel)
    return ConcretePlan(kernel, target, stages, buffers, checks, overlaps, tuple(units), None, "", "")
