"""Binding: from the structure of a kernel to everything that one target needs to know."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any, cast

from intent2cuda.ir.kernel import Kernel
from intent2cuda.ir.printer import author_names
from intent2cuda.plan.barriers import Barriers
from intent2cuda.plan.checks import host_checks
from intent2cuda.plan.concrete import ConcretePlan, OverlapRule, UnitAxis
from intent2cuda.plan.launch import launch_shape
from intent2cuda.plan.levels_cpu import CpuLevels
from intent2cuda.plan.levels_cuda import CudaLevels
from intent2cuda.plan.overlaps import overlap_rules
from intent2cuda.plan.patterns import Patterns
from intent2cuda.plan.sharing import sharing
from intent2cuda.plan.stage import Buffer, Implementation, Stage
from intent2cuda.plan.staging import Policy, draft
from intent2cuda.plan.storage_cuda import placed
from intent2cuda.plan.text import stage_text
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
CPU_POLICY = Policy(keep=True, side_by_side=True)
CUDA_POLICY = Policy(keep=False, side_by_side=False)


def bind_cpu(kernel: Kernel, profile: CpuProfile) -> ConcretePlan:
    made = draft(kernel, CPU_POLICY)
    stages = CpuLevels(Patterns(kernel, made.demand)).stages(made.stages, team=False)
    return _plan(kernel, "cpu", stages, made.buffers, overlap_rules(kernel, _staged(CPU_POLICY)))


def bind_cuda(kernel: Kernel, profile: CudaProfile) -> ConcretePlan:
    made = draft(kernel, CUDA_POLICY)
    touching = Touching(made.demand, made.homes, made.stages)
    shared = sharing(made, touching, Patterns(kernel, made.demand), profile.local_elements)
    stages = CudaLevels(bool(shared.single), shared.by_thread, TILES).top(made.stages, shared.on_grid)
    stages = Barriers(touching).stages(stages)
    buffers = placed(made, shared.by_thread, profile.shared_bytes - TILE_BYTES)
    launch = launch_shape(kernel, stages, profile.block_threads)
    overlaps = overlap_rules(kernel, _staged(CUDA_POLICY))
    return replace(_plan(kernel, "cuda", with_buffers(stages, buffers), buffers, overlaps), launch=launch)


def _staged(policy: Policy) -> Callable[[Kernel], str]:
    def text(kernel: Kernel) -> str:
        return stage_text(draft(kernel, policy).stages, author_names(kernel))

    return text


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


def _plan(
    kernel: Kernel,
    target: str,
    stages: tuple[Stage, ...],
    buffers: tuple[Buffer, ...],
    overlaps: tuple[OverlapRule, ...],
) -> ConcretePlan:
    units = [
        UnitAxis(parameter, len(parameter.type.shape) - 1)
        for parameter in kernel.parameters
        if isinstance(parameter.type, ViewType) and parameter.type.shape
    ]
    return ConcretePlan(kernel, target, stages, buffers, host_checks(kernel), overlaps, tuple(units), None, "", "")
