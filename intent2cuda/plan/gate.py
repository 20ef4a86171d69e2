"""Binding: from the structure of a kernel to everything that one target needs to know."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, cast

from intent2cuda.base.codec import canonical, digest
from intent2cuda.ir.kernel import Kernel
from intent2cuda.ir.printer import author_names
from intent2cuda.plan.barriers import Barriers
from intent2cuda.plan.catalogue import PRODUCT_SHARED_BYTES, Chooser
from intent2cuda.plan.checks import host_checks
from intent2cuda.plan.concrete import ConcretePlan, LaunchShape, UnitAxis
from intent2cuda.plan.identity import Identities
from intent2cuda.plan.launch import launch_shape
from intent2cuda.plan.levels_cpu import CpuLevels
from intent2cuda.plan.levels_cuda import CudaLevels
from intent2cuda.plan.overlaps import overlap_rules
from intent2cuda.plan.patterns import Patterns
from intent2cuda.plan.plain import plain
from intent2cuda.plan.portable import PortablePlan
from intent2cuda.plan.report import BindingReport, Proof
from intent2cuda.plan.sharing import sharing
from intent2cuda.plan.stage import Buffer, Points, Product, Stage
from intent2cuda.plan.staging import Draft, Policy, draft
from intent2cuda.plan.storage import placed_on_cpu, placed_on_cuda
from intent2cuda.plan.text import stage_text
from intent2cuda.plan.touching import Touching
from intent2cuda.plan.trees import every
from intent2cuda.target.profile import CpuProfile, CudaProfile, Profile
from intent2cuda.types.value_type import ViewType

SCHEMA = "intent.concrete/0"
CPU_POLICY = Policy(keep=True, side_by_side=True)
CUDA_POLICY = Policy(keep=False, side_by_side=False)


@dataclass(frozen=True)
class _Bound:
    stages: tuple[Stage, ...]
    buffers: tuple[Buffer, ...]
    launch: LaunchShape | None
    notes: tuple[str, ...]


def policy_of(target: Profile) -> Policy:
    """What a target prefers where the portable plan leaves it open: a cpu stores in caches, a gpu computes again."""
    return CPU_POLICY if isinstance(target, CpuProfile) else CUDA_POLICY


def bind(
    portable: PortablePlan, made: Draft, target: Profile, identities: Identities
) -> tuple[ConcretePlan, BindingReport]:
    """The plan of a kernel for one target, and why it is so. `made` is the kernel's stages under some policy.

    Raises: IntentError when the target cannot run the kernel.
    """
    kernel, chooser = made.kernel, Chooser()
    plain_text = stage_text(made.stages, author_names(kernel))
    bound = _on_cpu(made, target, chooser) if isinstance(target, CpuProfile) else _on_cuda(made, target, chooser)
    plan = ConcretePlan(
        kernel=kernel,
        target="cpu" if isinstance(target, CpuProfile) else "cuda",
        stages=bound.stages,
        buffers=bound.buffers,
        checks=host_checks(kernel),
        overlaps=overlap_rules(kernel, plain_text, _staged(made.policy)),
        unit_axes=tuple(_unit_axes(kernel)),
        launch=bound.launch,
        portable_digest=portable.digest,
        digest="",
        notes=bound.notes,
    )
    plan = replace(plan, digest=digest(SCHEMA, _canonical(plan, identities)))
    choices = tuple(chooser.choices[name] for stage in every(plan.stages) if (name := _id(stage)) in chooser.choices)
    return plan, BindingReport(target.name, portable.digest, tuple(_proofs(plan)), choices, bound.notes)


def _on_cpu(made: Draft, profile: CpuProfile, chooser: Chooser) -> _Bound:
    stages = CpuLevels(Patterns(made.kernel, made.demand), chooser).stages(made.stages, team=False)
    buffers = placed_on_cpu(made, profile.local_elements)
    return _Bound(with_buffers(stages, buffers), buffers, None, ())


def _on_cuda(made: Draft, profile: CudaProfile, chooser: Chooser) -> _Bound:
    touching = Touching(made.demand, made.stages)
    shared = sharing(made, touching, Patterns(made.kernel, made.demand), profile.local_elements)
    stages = CudaLevels(bool(shared.single), shared.by_thread, chooser).top(made.stages, shared.on_grid)
    stages = Barriers(touching).stages(stages)
    product = any(isinstance(stage, Product) for stage in every(stages))
    buffers = placed_on_cuda(made, shared.by_thread, profile.shared_bytes - (PRODUCT_SHARED_BYTES if product else 0))
    launch = launch_shape(made.kernel, stages, profile.block_threads, shared.repeated)
    notes = (f"one block runs the kernel: {shared.single}",) if shared.single else ()
    return _Bound(with_buffers(stages, buffers), buffers, launch, notes)


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


def _canonical(plan: ConcretePlan, identities: Identities) -> str:
    parts = (plan.stages, plan.buffers, plan.checks, plan.overlaps, plan.unit_axes, plan.launch, plan.portable_digest)
    return canonical([plan.target, *(plain(part, identities) for part in parts)])


def _id(stage: Stage) -> str:
    return getattr(stage, "id", "")


def _proofs(plan: ConcretePlan) -> Iterator[Proof]:
    for stage in every(plan.stages):
        if isinstance(stage, Points):
            names = ", ".join(bound.axis.name for bound in stage.axes)
            rule = (
                "the author's parallel loop"
                if stage.op
                else "no operation inside reads or writes another member's elements"
            )
            yield Proof(f"the members of {names} may run in any order", rule)
    for overlap in plan.overlaps:
        why = f"; {overlap.reason}" if overlap.reason else ""
        yield Proof(overlap.sentence, f"checked before anything runs{why}")
