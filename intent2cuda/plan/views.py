"""Plans as people ask for them, by layer: readable text, and the same content as plain data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

from intent2cuda.base.codec import Plain, short
from intent2cuda.base.intexpr import IntExpr
from intent2cuda.plan import portable, worksets
from intent2cuda.plan.concrete import ConcretePlan, OneOrEqual
from intent2cuda.plan.plain import plain
from intent2cuda.plan.planner import Planned
from intent2cuda.plan.planset import SPOKEN
from intent2cuda.plan.portable_text import portable_text as text_of_plan
from intent2cuda.plan.portable_text import readable_names
from intent2cuda.plan.portable_text import worksets_text as text_of_worksets
from intent2cuda.plan.text import stage_text
from intent2cuda.plan.wording import extent_text, reader_names
from intent2cuda.types.value_type import BufferType, TensorType


def worksets_text(planned: Planned) -> str:
    """Each group of connected operations with its axes and their roles."""
    return text_of_worksets(planned.worksets, _readable(planned))


def portable_text(planned: Planned) -> str:
    """Tasks, memory and decisions; then the plans that were considered."""
    return text_of_plan(planned.portable, _readable(planned)) + "".join(f"{row}\n" for row in _considered(planned))


def _readable(planned: Planned) -> dict[str, str]:
    return readable_names(planned.kernel, planned.author.identities)


def concrete_text(planned: Planned) -> str:
    """Stages, storage, what the launcher checks, and the launch."""
    plan = planned.concrete
    names = reader_names(plan.kernel)
    rows = [f"concrete plan {short(plan.digest)} of {plan.kernel.name} for {planned.report.target}"]
    rows += stage_text(plan.stages, names).splitlines()
    for buffer in plan.buffers:
        extents = ", ".join(_text(planned, extent) for extent in buffer.extents)
        kind = buffer.value.type
        dtype = kind.dtype.name if isinstance(kind, TensorType | BufferType) else ""
        rows.append(f"buffer {buffer.id} {buffer.name} {dtype}[{extents}] {buffer.space.value}: {buffer.reason}")
    rows += _conditions(planned, plan)
    if plan.launch is not None:
        grid = ", ".join(_text(planned, blocks) for blocks in plan.launch.grid)
        rows.append(f"launch grid ({grid}), {plan.launch.threads} threads a block: {plan.launch.threads_reason}")
    return "\n".join(rows) + "\n"


def layers(planned: Planned) -> dict[str, Plain]:
    """Every layer as plain data, for tools."""
    names = planned.drafts.identities
    found = {
        "planset": planned.planset,
        "stages": planned.concrete.stages,
        "buffers": planned.concrete.buffers,
        "launch": planned.concrete.launch,
    }
    texts = {"worksets": worksets.RECORDS.plain(planned.worksets), "portable": portable.RECORDS.plain(planned.portable)}
    return texts | {name: plain(part, names) for name, part in found.items()}


def _text(planned: Planned, expression: IntExpr) -> str:
    return extent_text(expression, reader_names(planned.concrete.kernel))


def _considered(planned: Planned) -> Iterator[str]:
    for candidate in planned.planset.candidates:
        chosen = " (chosen)" if candidate.structure == planned.planset.chosen else ""
        yield f"plan {candidate.name}{chosen}: {candidate.does}"
        for each in fields(candidate.takes):
            yield f"  {SPOKEN[each.name]}: {_text(planned, getattr(candidate.takes, each.name))}"
    for rejected in planned.planset.rejected:
        yield f"no plan {rejected.plan} [{rejected.code}]: {rejected.because}"
    names = {candidate.structure: candidate.name for candidate in planned.planset.candidates}
    for found in planned.planset.dominance:
        yield f"plan {names[found.better]} is better than {names[found.worse]}: {found.basis}"


def _conditions(planned: Planned, plan: ConcretePlan) -> Iterator[str]:
    for check in plan.checks:
        if isinstance(check, OneOrEqual):
            yield f"check {_text(planned, check.extent)} is 1 or {_text(planned, check.to)}: {check.sentence}"
        else:
            yield f"check {_text(planned, check.lhs)} {check.relation} {_text(planned, check.rhs)}: {check.sentence}"
    yield from (f"memory {rule.rule}: {rule.sentence}" for rule in plan.overlaps)
