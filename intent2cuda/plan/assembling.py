"""The portable plan of a kernel, put together from its tasks, memory and decisions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from intent2cuda.base.codec import canonical, digest
from intent2cuda.base.report import step
from intent2cuda.ir.kernel import Kernel
from intent2cuda.plan.decisions import decisions
from intent2cuda.plan.identity import Identities
from intent2cuda.plan.portable import (
    PLANNER,
    BufferRole,
    Constraint,
    Decision,
    Objective,
    Obligation,
    Parameter,
    PlanBuffer,
    PortablePlan,
    Provenance,
    Status,
    content_digest,
)
from intent2cuda.plan.portable_verify import lineage_report, sealed_report
from intent2cuda.plan.staging import Draft
from intent2cuda.plan.storages import Storages
from intent2cuda.plan.tasks import Author, shares, tasks
from intent2cuda.plan.workload import Workload
from intent2cuda.plan.worksets import Axes, worksets, worksets_report
from intent2cuda.plan.writing_out import WrittenOut

OBJECTIVES = (Objective("latency", "minimise", 1),)
CONSTRAINTS = (Constraint("c.launches", "launches", 1),)
"""What every kernel is planned for: one launch, and that as short as can be."""


def author_of(kernel: Kernel, identities: Identities, parent: str) -> Author:
    """What planning knows of a kernel as its author wrote it. `parent` is the digest of the kernel."""
    axes = Axes(kernel, identities)
    found = worksets(kernel, identities, axes, parent)
    return Author(identities, Workload(kernel, identities.names), axes, found)


def portable_plan(
    draft: Draft,
    identities: Identities,
    author: Author,
    out: WrittenOut,
    strategy: str,
    status: Status = Status.SELECTED,
) -> PortablePlan:
    """The portable plan of a draft of what was written out. `identities` are those of the draft's kernel.

    Raises: InternalError when verification finds something wrong with the worksets, with it, or between them.
    """
    return step(
        author.worksets,
        lambda _: _assembled(draft, identities, author, out, strategy, status),
        before=worksets_report,
        after=sealed_report,
        between=lineage_report,
    )


def _assembled(
    draft: Draft, identities: Identities, author: Author, out: WrittenOut, strategy: str, status: Status
) -> PortablePlan:
    storages = Storages(draft, identities, author.identities, author.workload)
    found = shares(draft, author)
    made = tasks(found, storages, author)
    buffers = tuple(storages.buffers(made))
    decided = tuple(decisions(draft, found, made, storages, author, out))
    facts = author.workload.facts(dict.fromkeys(author.ops, 1))
    parents = (("kir", author.worksets.parent), ("worksets", author.worksets.digest))
    plan = PortablePlan(
        kernel=draft.kernel.name,
        provenance=Provenance(PLANNER, strategy, parents),
        status=status,
        strategy_fingerprint=_fingerprint(decided),
        tasks=made,
        buffers=buffers,
        decisions=decided,
        parameters=tuple(_parameters(out)),
        data=author.workload.data,
        facts=facts,
        objectives=OBJECTIVES,
        constraints=CONSTRAINTS,
        obligations=tuple(_obligations(buffers)),
    )
    return replace(plan, digest=content_digest(plan))


def _fingerprint(decided: tuple[Decision, ...]) -> str:
    rows = [[d.kind.value, list(d.subject), list(d.alternatives)] for d in decided]
    return digest("intent.strategy", canonical(rows))


def _parameters(out: WrittenOut) -> Iterator[Parameter]:
    for each, value in out.left:
        yield Parameter(value.name, 1, each.value)


def _obligations(buffers: tuple[PlanBuffer, ...]) -> Iterator[Obligation]:
    for buffer in buffers:
        if buffer.role is BufferRole.WORKSPACE:
            yield Obligation(f"o.{buffer.id}", "replace_bound", buffer.id)
