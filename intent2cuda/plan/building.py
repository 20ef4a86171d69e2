"""From a structure of a kernel to its concrete plan on one target: levels, storage, barriers, places, launch."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, cast

from intent2cuda.base.codec import canonical, digest
from intent2cuda.ir.kernel import Kernel
from intent2cuda.ir.printer import author_names
from intent2cuda.plan.atomic_scopes import with_scopes
from intent2cuda.plan.barriers import Barriers
from intent2cuda.plan.checks import host_checks
from intent2cuda.plan.choosing import Chooser
from intent2cuda.plan.commands import ImplementationRef
from intent2cuda.plan.concrete import BoundParameter, ConcretePlan, Origin, Selected, UnitAxis
from intent2cuda.plan.coordination import SCHEMA, Coordination
from intent2cuda.plan.identity import Identities
from intent2cuda.plan.launch import launch_shape
from intent2cuda.plan.levels_cpu import CpuLevels
from intent2cuda.plan.levels_cuda import CudaLevels
from intent2cuda.plan.overlaps import overlap_rules
from intent2cuda.plan.patterns import Patterns
from intent2cuda.plan.placing import Placing
from intent2cuda.plan.plain import plain
from intent2cuda.plan.portable import PortablePlan, facts_digest
from intent2cuda.plan.prefix_tails import PrefixTails, with_reasons
from intent2cuda.plan.realising import owners, realised, resource_maps, unneeded
from intent2cuda.plan.schedules import CpuKernelSchedule, CudaKernelSchedule, Schedule
from intent2cuda.plan.scheduling import PARALLEL_WORK, axis_maps, block_barriers, streams, team_joins
from intent2cuda.plan.sharing import sharing
from intent2cuda.plan.stage import Buffer, Stage
from intent2cuda.plan.stage_identity import StageIds, every_part
from intent2cuda.plan.staging import Draft, Policy, draft
from intent2cuda.plan.storage import placed_on_cpu, placed_on_cuda
from intent2cuda.plan.text import stage_text
from intent2cuda.plan.touching import Touching
from intent2cuda.target.profile import CpuProfile, CudaProfile, Profile, kind_of
from intent2cuda.types.value_type import ViewType


@dataclass(frozen=True)
class Levelled:
    """Stages with levels and barriers, their storage, and what the launch of them depends on."""

    stages: tuple[Stage, ...]
    buffers: tuple[Buffer, ...]
    single: str = ""
    repeated: bool = False


@dataclass(frozen=True, eq=False)
class Building:
    """What a plan is built from. `identities` name the operations of the draft."""

    portable: PortablePlan
    made: Draft
    identities: Identities
    target: Profile
    chooser: Chooser
    origin: Origin
    parameters: tuple[BoundParameter, ...]

    def plan(self) -> ConcretePlan:
        """The plan for the target.

        Raises: IntentError when the target has no implementation for a stage, or no room for a buffer.
        """
        kernel, target = self.made.kernel, kind_of(self.target)
        levelled = self.levelled()
        ids = StageIds(levelled.stages, self.identities)
        tasks = tuple(task.id for task in self.portable.tasks)
        owned = owners(self.portable.tasks)
        touching = Touching(self.made.demand, levelled.stages)
        placing = Placing(kernel, target, levelled.stages, levelled.buffers, touching, ids, self.identities)
        coordination = placing.coordination(tasks, self.reference(f"{target}.kernel", "any"), self.tile_bytes())
        plan = ConcretePlan(
            kernel=kernel,
            target=target,
            origin=self.origin,
            coordination=coordination,
            stages=levelled.stages,
            buffers=levelled.buffers,
            selection=tuple(self.selection(levelled.stages, ids)),
            parameters=self.parameters,
            resources=tuple(resource_maps(self.portable.tasks, target)),
            realises=realised(levelled.stages, ids, self.identities, owned, self.made.demand),
            facts=facts_of(self.portable),
            unneeded=tuple(unneeded(self.portable.buffers, coordination.buffers)),
            checks=host_checks(kernel),
            overlaps=overlap_rules(self.made, self.plain_text(), _staged(self.made.policy)),
            unit_axes=tuple(_unit_axes(kernel)),
            schedule=self.schedule(levelled, ids, coordination),
            digest="",
            notes=(f"one block runs the kernel: {levelled.single}",) if levelled.single else (),
        )
        return sealed(plan, self.identities)

    def levelled(self) -> Levelled:
        match self.target:
            case CpuProfile():
                return _on_cpu(self.made, self.target, self.chooser)
            case CudaProfile():
                return _on_cuda(self.made, self.target, self.chooser)

    def tile_bytes(self) -> int:
        return max((choice.row.shared_bytes for choice in self.chooser.choices.values()), default=0)

    def reference(self, name: str, variant: str, version: str = "1") -> ImplementationRef:
        return ImplementationRef(kind_of(self.target), name, version, self.target.abi.name, variant)

    def selection(self, stages: Sequence[Stage], ids: StageIds) -> Iterator[Selected]:
        for stage in every_part(stages):
            choice = self.chooser.choices.get(getattr(stage, "id", ""))
            if choice is not None:
                found = self.reference(choice.entry.name, str(choice.row) or "plain", choice.entry.version)
                bound = tuple((name, value) for name, value, _ in choice.row.parameters)
                yield Selected(ids.of(stage), found, bound)

    def schedule(self, levelled: Levelled, ids: StageIds, coordination: Coordination) -> Schedule:
        maps, stages = axis_maps(levelled.stages, ids, kind_of(self.target)), levelled.stages
        covers = tuple(command.id for command in coordination.commands)
        match self.target:
            case CpuProfile():
                return CpuKernelSchedule(
                    covers, maps, team_joins(stages, ids), "static", PARALLEL_WORK, streams(stages, ids)
                )
            case CudaProfile():
                workspace = any(region.id == "workspace" for region in coordination.regions)
                threads = self.target.block_threads
                launch = launch_shape(self.made.kernel, stages, threads, levelled.repeated, workspace)
                shared = next((r.bytes.constant or 0 for r in coordination.regions if r.id == "shared"), 0)
                return CudaKernelSchedule(covers, maps, launch, block_barriers(stages, ids), shared, levelled.single)

    def plain_text(self) -> str:
        return stage_text(self.made.stages, author_names(self.made.kernel))


def sealed(plan: ConcretePlan, identities: Identities) -> ConcretePlan:
    """The plan with the digest of its decisions; where it comes from and what is said about it take no part."""
    parts = (
        plan.target, plan.origin.portable, plan.coordination, plan.stages, plan.buffers, plan.selection,
        plan.parameters, plan.resources, plan.realises, plan.facts, plan.checks, plan.overlaps, plan.unit_axes,
        plan.schedule,
    )  # fmt: skip
    return replace(plan, digest=digest(SCHEMA, canonical([plain(part, identities) for part in parts])))


def facts_of(portable: PortablePlan) -> tuple[tuple[str, str], ...]:
    """The digest of the work of each task."""
    return tuple((task.id, facts_digest(task.facts)) for task in portable.tasks)


def _on_cpu(made: Draft, profile: CpuProfile, chooser: Chooser) -> Levelled:
    levelled = CpuLevels(Patterns(made.kernel, made.demand), chooser).stages(made.stages, team=False)
    stages = PrefixTails(made.demand, levelled).joined()
    buffers = with_reasons(placed_on_cpu(made, profile.local_elements), stages)
    return Levelled(with_scopes(with_buffers(stages, buffers), buffers, on_gpu=False), buffers)


def _on_cuda(made: Draft, profile: CudaProfile, chooser: Chooser) -> Levelled:
    touching = Touching(made.demand, made.stages)
    shared = sharing(made, touching, Patterns(made.kernel, made.demand), profile.local_elements)
    stages = CudaLevels(bool(shared.single), shared.by_thread, chooser).top(made.stages, shared.on_grid)
    stages = Barriers(touching).stages(stages)
    tiles = max((choice.row.shared_bytes for choice in chooser.choices.values()), default=0)
    buffers = placed_on_cuda(made, shared.by_thread, tiles, profile.shared_bytes)
    scoped = with_scopes(with_buffers(stages, buffers), buffers, on_gpu=True)
    return Levelled(scoped, buffers, shared.single, shared.repeated)


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


def _staged(policy: Policy) -> Callable[[Kernel], str]:
    def text(kernel: Kernel) -> str:
        return stage_text(draft(kernel, policy).stages, author_names(kernel))

    return text


def _unit_axes(kernel: Kernel) -> Iterator[UnitAxis]:
    """The last axis of every view: the fast instance takes it as contiguous."""
    for parameter in kernel.parameters:
        if isinstance(parameter.type, ViewType) and parameter.type.shape:
            yield UnitAxis(parameter, len(parameter.type.shape) - 1)
