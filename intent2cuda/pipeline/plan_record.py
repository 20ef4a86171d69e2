"""What was decided for the kernels of a project, by identifiers: `diagnostics/plan.json`, which plan diffs compare."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from intent2cuda.base.codec import Plain, canonical, digest
from intent2cuda.base.envelope import VERSION
from intent2cuda.base.intexpr import IntExpr
from intent2cuda.base.rows import in_rows
from intent2cuda.ir.kernel import walk
from intent2cuda.ir.notation import expression_text, mnemonic
from intent2cuda.ir.op import Op
from intent2cuda.ir.ops import Constant
from intent2cuda.pipeline.lineage import Compiled
from intent2cuda.plan.concrete import ConcretePlan
from intent2cuda.plan.coordination import Binding
from intent2cuda.plan.explaining import reader_words, value_of
from intent2cuda.plan.identity import Identities
from intent2cuda.plan.portable import Decision, DecisionKind, WorkloadFacts
from intent2cuda.plan.portable_text import quantity_text
from intent2cuda.plan.schedules import CpuKernelSchedule, CudaKernelSchedule, VirtualSlotSchedule
from intent2cuda.plan.stage_identity import StageIds, every_part, parts
from intent2cuda.plan.text import stage_work
from intent2cuda.plan.wording import reader_names
from intent2cuda.review.plans import SCHEMA

_FEW = 2


def text(kernels: Sequence[Compiled], digests: Sequence[Mapping[str, str]]) -> str:
    """The file for a project. `digests`: for each kernel those of its layers."""
    content: dict[str, Plain] = {"kernels": [_kernel(k, d) for k, d in zip(kernels, digests, strict=True)]}
    return in_rows({"schema": SCHEMA, "version": VERSION, "digest": digest(SCHEMA, canonical(content)), **content}, 4)


def _kernel(compiled: Compiled, digests: Mapping[str, str]) -> Plain:
    planned = compiled.planned
    plan, ids = planned.concrete, planned.bound.identities
    return {
        "name": compiled.front.kernel.name,
        "target": planned.report.target,
        "digests": dict(digests),
        "operations": {ids.of_author(op): {"does": _operation(op.author)} for op in walk(plan.kernel.body)},
        "facts": {"kernel": _facts(planned.portable.facts)},
        "tasks": {task.id: {"does": task.operation, **_facts(task.facts)} for task in planned.portable.tasks},
        "decisions": dict(_decisions(planned.portable.decisions, reader_words(planned))),
        "stages": dict(_stages(plan, ids)),
        "buffers": dict(_buffers(plan, ids)),
        "barriers": dict(_barriers(plan)),
        "launch": {"launch": dict(_launch(plan, ids))},
        "guards": {sentence: {} for sentence in compiled.guards},
    }


def _operation(op: Op) -> str:
    return f"constant {op.literal or op.value}" if isinstance(op, Constant) else mnemonic(op)


def _decisions(decisions: Sequence[Decision], words: Mapping[str, str]) -> Iterator[tuple[str, Plain]]:
    for decision in decisions:
        extra = {f"adds {work.kind} {work.dtype}": quantity_text(work.count, {}) for work in decision.extra}
        yield decision.id, {"does": f"{_decided(decision, words)}: {decision.reason}", **extra}


def _decided(decision: Decision, words: Mapping[str, str]) -> str:
    """What is decided about what; but for operations that are fused, its first subject says the latter."""
    first = words.get(value_of(decision.subject[0]), decision.subject[0])
    match decision.kind:
        case DecisionKind.FUSE if len(decision.subject) > _FEW:
            return f"fuse {len(decision.subject)} operations"
        case DecisionKind.FUSE:
            return f"fuse {' and '.join(words.get(name, name) for name in decision.subject)}"
        case DecisionKind.RECOMPUTE:
            return f"compute {first} again"
        case DecisionKind.MATERIALIZE:
            return f"store {first}"
        case DecisionKind.ORDER:
            return f"keep the order of {'the loop' if first in ('for', 'while') else first}"
        case DecisionKind.SEGMENT:
            return f"cut {first}"
        case DecisionKind.WRITE_OUT:
            return f"write {first} out"
        case DecisionKind.RESOURCE:
            return f"memory of {first}"


def _facts(facts: WorkloadFacts) -> dict[str, Plain]:
    """What is computed and moved: a name and an expression for each count."""
    moved = {
        "read bytes": facts.read_bytes,
        "written bytes": facts.write_bytes,
        "requested bytes": facts.requested_bytes,
    }
    work = {f"{each.kind} {each.dtype}": quantity_text(each.count, {}) for each in facts.ops_by_class}
    return {**work, **{name: quantity_text(count, {}) for name, count in moved.items()}}


def _stages(plan: ConcretePlan, ids: Identities) -> Iterator[tuple[str, Plain]]:
    """Each stage with what is around it, its implementation and that one's parameters, and the levels of its axes."""
    names, stage_ids = reader_names(plan.kernel), StageIds(plan.stages, ids)
    chosen = {selected.stage: selected for selected in plan.selection}
    maps = () if isinstance(plan.schedule, VirtualSlotSchedule) else plan.schedule.maps
    around = {stage_ids.of(part): stage_ids.of(stage) for stage in every_part(plan.stages) for part in parts(stage)}
    for stage in every_part(plan.stages):
        name = stage_ids.of(stage)
        row: dict[str, Plain] = {"does": stage_work(stage, names), "in": around.get(name, "")}
        if name in chosen:
            row["by"] = chosen[name].implementation.name
            row["version"] = chosen[name].implementation.version
            row |= dict(chosen[name].parameters)
        row |= {f"levels of {_text(m.extent, ids)}": " ".join(m.chain) for m in maps if m.stage == name}
        yield name, row


def _buffers(plan: ConcretePlan, ids: Identities) -> Iterator[tuple[str, Plain]]:
    """The plan's own buffers by the values that they hold."""
    regions = {region.id: region for region in plan.coordination.regions}
    names = {buffer.id: buffer.name for buffer in plan.buffers}
    for buffer in plan.coordination.buffers:
        region = regions[buffer.region]
        if region.binding is not Binding.CALLER:
            yield (
                buffer.replaces or buffer.id,
                {
                    "does": names.get(buffer.id, ""),
                    "space": region.space,
                    "per": region.per,
                    "bytes": _text(buffer.bytes, ids),
                    "offset": _text(buffer.offset, ids),
                    "from": buffer.first,
                    "to": buffer.last,
                },
            )


def _barriers(plan: ConcretePlan) -> Iterator[tuple[str, Plain]]:
    match plan.schedule:
        case CudaKernelSchedule():
            records = plan.schedule.barriers
        case CpuKernelSchedule():
            records = plan.schedule.joins
        case VirtualSlotSchedule():
            records = ()
    for record in records:
        yield record.stage, {"does": record.orders, "kind": record.kind}


def _launch(plan: ConcretePlan, ids: Identities) -> Iterator[tuple[str, Plain]]:
    """How the kernel is started, and what a block or a thread has."""
    for region in plan.coordination.regions:
        if region.binding is not Binding.CALLER:
            yield f"{region.space} bytes a {region.per}", _text(region.bytes, ids)
    match plan.schedule:
        case CudaKernelSchedule(launch=launch):
            yield "grid", " x ".join(_text(blocks, ids) for blocks in launch.grid)
            yield "threads a block", launch.threads
        case CpuKernelSchedule():
            yield "members are dealt", plan.schedule.share
            yield "least work of a team", plan.schedule.least_work
        case VirtualSlotSchedule():
            yield "clock", plan.schedule.clock


def _text(expression: IntExpr, ids: Identities) -> str:
    return expression_text(expression, ids.names)
