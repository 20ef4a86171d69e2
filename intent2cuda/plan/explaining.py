"""Why a kernel got its plan: what was chosen, what was not and by which numbers, and which limit decided."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from itertools import groupby

from intent2cuda.base.intexpr import IntExpr
from intent2cuda.base.span import Span
from intent2cuda.ir.inspections import sentences
from intent2cuda.ir.kernel import Kernel, walk
from intent2cuda.ir.notation import mnemonic
from intent2cuda.ir.op import Op, results
from intent2cuda.plan.capacity import register_limit, registers
from intent2cuda.plan.coordination import Binding
from intent2cuda.plan.planner import Planned
from intent2cuda.plan.planset import SPOKEN, Candidate
from intent2cuda.plan.portable_text import quantity_text
from intent2cuda.plan.quantity import UpperBound
from intent2cuda.plan.report import Proof
from intent2cuda.plan.schedules import CudaKernelSchedule
from intent2cuda.plan.stage import Keep, Let, Stage
from intent2cuda.plan.stage_identity import StageIds, every_part, parts
from intent2cuda.plan.structures import CANDIDATES
from intent2cuda.plan.text import stage_work
from intent2cuda.plan.wording import extent_text, reader_names
from intent2cuda.target.profile import CpuProfile, profile

_MEMORY = {"local": "local memory", "shared": "shared memory"}
"""Spaces whose names alone are no words."""


def explain(planned: Planned) -> str:
    """The explanation, by sections: the plan, its stages, memory, limits, what is inspected and what was proved."""
    report = planned.report
    sections = (
        ("plan", _plan(planned)),
        ("stages", _stages(planned)),
        ("memory", _memory(planned)),
        ("limits", _limits(planned)),
        ("inspected", map(str, sentences(planned.concrete.kernel))),
        ("proved", _proved(planned, (*report.abi, *report.proofs))),
    )
    rows = [f"{planned.concrete.kernel.name} for {report.target}, {report.deployment}", *report.notes]
    for title, lines in sections:
        found = [f"  {line}" for line in lines]
        rows += ["", title, *found] if found else []
    return "\n".join(rows) + "\n"


def _plan(planned: Planned) -> Iterator[str]:
    """The structure that was bound with what it takes, then those that were not."""
    candidates, taken = planned.planset.candidates, planned.report.structures[-1]
    policy = next(policy for name, _, policy in CANDIDATES if name == taken.name)
    bound = next((c for c in candidates if c.structure == planned.drafts.fingerprint(policy)), None)
    only = len(candidates) == 1
    does = "every other legal plan comes to the same stages" if bound is None or only else bound.does
    yield f"{taken.name if bound is None else bound.name}: {does}"
    if taken.because and not only:
        yield f"  because {taken.because}"
    if bound is not None and planned.portable.data:
        names = " and ".join(dict.fromkeys(symbol.table for symbol in planned.portable.data))
        decides = "decide" if " and " in names else "decides"
        yield f"  where {names} {decides} how many members a part has, with every part as long as it could be:"
    for name, number in _takes(bound):
        yield f"  {name}: {_number(planned, number)}"
    for parameter in planned.concrete.parameters:
        yield f"  {parameter.symbol} = {parameter.value}: {parameter.reason}"
    for tried in planned.report.structures[:-1]:
        yield f"not taken: {tried.name}: {tried.rejected}"
    for candidate in candidates:
        if candidate is not bound:
            yield from _beside(planned, candidate, bound)
    for rejected in planned.planset.rejected:
        yield f"not taken: {rejected.plan} [{rejected.code}]: {rejected.because}"


def _takes(candidate: Candidate | None) -> Iterator[tuple[str, IntExpr]]:
    if candidate is not None:
        for each in fields(candidate.takes):
            yield SPOKEN[each.name], getattr(candidate.takes, each.name)


def _beside(planned: Planned, candidate: Candidate, bound: Candidate | None) -> Iterator[str]:
    """A legal plan that was not bound: in which numbers it differs from the one that was, and what decided."""
    yield f"not taken: {candidate.name}: {candidate.does}"
    mine = dict(_takes(bound))
    for name, number in _takes(candidate):
        if name in mine and number != mine[name]:
            yield f"  {name}: {_number(planned, number)} instead of {_number(planned, mine[name])}"
    names = {other.structure: other.name for other in planned.planset.candidates}
    better = [found for found in planned.planset.dominance if found.worse == candidate.structure]
    if better:
        yield f"  {names[better[0].better]} is better: {better[0].basis}"
    elif bound is not None:
        yield "  neither takes less of everything: the evidence decides"


def _stages(planned: Planned) -> Iterator[str]:
    """Each stage that has an implementation, with the line that it comes from: the chosen one with its parameters, and
    those that were tried before.
    """
    plan = planned.concrete
    words, ids = reader_names(plan.kernel), StageIds(plan.stages, planned.bound.identities)
    choices = {choice.stage: choice for choice in planned.report.choices}
    for stage in every_part(plan.stages):
        choice = choices.get(getattr(stage, "id", ""))
        if choice is not None:
            yield f"{ids.of(stage)}  {stage_work(stage, words)}{_line(stage, plan.kernel)}"
            yield f"  {choice.entry.name}: {choice.entry.does}"
            yield from (f"    {name} = {value}: {why}" for name, value, why in choice.row.parameters)
            yield from (f"  not {', '.join(names)}: {reason}" for reason, names in _by_reason(choice.rejected))


def _line(stage: Stage, kernel: Kernel) -> str:
    """Where the author's text of a stage stands: of a loop that the plan added, the first thing inside."""
    places = (_span(part) for part in (stage, *every_part(parts(stage))))
    place = next((found for found in places if found is not None), None)
    if place is None:
        return ""
    return f" (line {place.line})" if place.file == kernel.span.file else f" ({place.file.name}:{place.line})"


def _span(stage: Stage) -> Span | None:
    if isinstance(stage, Let | Keep):
        return stage.value.span
    op: Op | None = getattr(stage, "op", None)
    return None if op is None else op.statement or op.span


def _by_reason(rejected: Sequence[tuple[str, str]]) -> Iterator[tuple[str, list[str]]]:
    """What was rejected, neighbours with one reason together."""
    for reason, group in groupby(rejected, key=lambda pair: pair[1]):
        yield reason, [name for name, _ in group]


def _memory(planned: Planned) -> Iterator[str]:
    """What is stored and why, in place of which bound of the portable plan, and which bounds need nothing."""
    plan, readable = planned.concrete, reader_words(planned)
    bounds = {b.id: b.size for b in planned.portable.buffers if isinstance(b.size, UpperBound)}
    placed = {buffer.id: buffer for buffer in plan.coordination.buffers}
    regions = {region.id: region for region in plan.coordination.regions}
    for buffer in plan.buffers:
        place = placed[buffer.id]
        region = regions[place.region]
        memory = _MEMORY.get(region.space, region.space)
        size = f"{_text(planned, place.bytes)} bytes of {memory} a {region.per}"
        yield f"{buffer.name} ({buffer.id}): {size}: {buffer.reason}"
        if place.replaces in bounds:
            bound = quantity_text(bounds[place.replaces], {**readable, value_of(place.replaces): buffer.name})
            start = f"from byte {_text(planned, place.offset)} of the {memory} on, " if place.offset.terms else ""
            yield f"  {start}in place of {bound}"
    for name, reason in plan.unneeded:
        if name in bounds:
            yield f"{readable[value_of(name)]}: {reason}"
            yield f"  in place of {quantity_text(bounds[name], readable)}"


def reader_words(planned: Planned) -> Mapping[str, str]:
    """The author's words for what portable plans call by identifiers: operations, their values, those that are written
    out in place of one, and numbers that data decide.
    """
    called, words = planned.author.identities.names, reader_names(planned.kernel)
    found = {name: mnemonic(op) for op, name in planned.author.ops.items()}
    found |= {called.of(value): words.of(value) for op in walk(planned.kernel.body) for value in results(op)}
    buffers = {buffer.id: buffer.name for buffer in planned.concrete.buffers}
    found |= {value_of(p.replaces): buffers[p.id] for p in planned.concrete.coordination.buffers if p.id in buffers}
    for buffer in planned.portable.buffers:
        value = value_of(buffer.id)
        found.setdefault(value, found.get(value.partition("/")[0], value))
    for data in planned.portable.data:
        last, first = (extent_text(place, words) for place in (data.last, data.first))
        found[data.name] = f"({data.table}[{last}] - {data.table}[{first}])"
    return found


def value_of(buffer: str) -> str:
    """The value that a buffer of the portable plan is named after."""
    return buffer.removeprefix("b.").removesuffix(".working").removesuffix(".next")


def _proved(planned: Planned, proofs: Sequence[Proof]) -> Iterator[str]:
    """Every need once, whichever tasks have it."""
    tasks = "|".join(re.escape(task.id) for task in planned.portable.tasks)
    found = (f"{re.sub(rf'^({tasks}): ', '', proof.need)}: {proof.rule}" for proof in proofs)
    yield from dict.fromkeys(found)


def _limits(planned: Planned) -> Iterator[str]:
    """What is used of each limit of the target, and the limits that refused something better."""
    limits = list(_used(planned))
    yield from (f"{name}: {used} of {limit}" for name, used, limit in limits)
    refused = [
        f"bound by capacity: not {name}: {reason}"
        for choice in planned.report.choices
        for name, reason in choice.rejected
        if reason.endswith(" B")
    ]
    yield from dict.fromkeys(refused)
    if not refused:
        yield "no limit refused anything better"


def _used(planned: Planned) -> Iterator[tuple[str, str, int]]:
    plan, target = planned.concrete, profile(planned.report.target)
    sizes = {region.space: region.bytes for region in plan.coordination.regions if region.binding is Binding.STATIC}
    none = IntExpr.of(0)
    if isinstance(target, CpuProfile):
        yield "bytes in the frame of a thread", _text(planned, sizes.get("local", none)), target.stack_bytes
    else:
        yield "bytes of shared memory a block", _text(planned, sizes.get("shared", none)), target.shared_bytes
        yield "threads a block", str(plan.launch.threads if plan.launch else 0), target.threads_per_block
        if registers(plan) and isinstance(plan.schedule, CudaKernelSchedule):
            yield "registers a thread for sums", str(registers(plan)), register_limit(plan.schedule, target)


def _number(planned: Planned, expression: IntExpr) -> str:
    """What a plan takes, with symbols for what the portable layers leave open."""
    return extent_text(expression, reader_names(planned.drafts.kernel))


def _text(planned: Planned, expression: IntExpr) -> str:
    return extent_text(expression, reader_names(planned.concrete.kernel))
