"""Portable plans of kernels, in any structure, and plans with one thing wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

from intent2cuda.base.codec import digest
from intent2cuda.base.intexpr import IntExpr
from intent2cuda.ir.kernel import Kernel
from intent2cuda.ir.printer import canonical_text
from intent2cuda.plan.assembling import author_of, portable_plan
from intent2cuda.plan.portable import (
    Capability,
    Constraint,
    Lineage,
    Origin,
    PlanBuffer,
    PlanTask,
    PortablePlan,
    Status,
)
from intent2cuda.plan.quantity import Exact, Unknown, UpperBound
from intent2cuda.plan.structures import CANDIDATES, Structures
from intent2cuda.plan.worksets import Worksets

from .support import kernel

FUSED, RECOMPUTED, BY_COLUMN, STATEMENTS = (name for name, _, _ in CANDIDATES)
"""The structures that a kernel can have, by name."""


def portable(of: Kernel, structure: str = FUSED) -> tuple[PortablePlan, Worksets]:
    """The portable plan of a kernel in a structure, and its worksets."""
    structures = Structures(of)
    author = author_of(of, structures.author, digest("intent.kir/0", canonical_text(of)))
    policy = next(policy for name, _, policy in CANDIDATES if name == structure)
    drafts = structures.open
    status = Status.SELECTED if structure == FUSED else Status.CANDIDATE
    plan = portable_plan(drafts.of(policy), drafts.identities, author, structures.out, structure, status)
    return plan, author.worksets


@cache
def sound() -> tuple[PortablePlan, Worksets]:
    """Softmax, statement by statement: several tasks that hand values on in workspaces."""
    return portable(kernel("softmax_whole"), STATEMENTS)


Change = Callable[[PortablePlan], PortablePlan]


def task(number: int, **changes: Any) -> Change:
    """Changes one task; a callable gives the new value from the task."""

    def change(plan: PortablePlan) -> PortablePlan:
        old = plan.tasks[number]
        new = replace(old, **{k: v(old) if callable(v) else v for k, v in changes.items()})
        return replace(plan, tasks=tuple(new if each is old else each for each in plan.tasks))

    return change


def buffer(role: str, **changes: Any) -> Change:
    """Changes the first buffer of a role."""

    def change(plan: PortablePlan) -> PortablePlan:
        old = next(each for each in plan.buffers if each.role.value == role)
        new = replace(old, **{k: v(old) if callable(v) else v for k, v in changes.items()})
        return replace(plan, buffers=tuple(new if each is old else each for each in plan.buffers))

    return change


def whole(**changes: Any) -> Change:
    return lambda plan: replace(plan, **{k: v(plan) if callable(v) else v for k, v in changes.items()})


def facts(**changes: Any) -> Change:
    return task(0, facts=lambda t: replace(t.facts, **changes))


def resource(**changes: Any) -> Change:
    return task(0, resources=lambda t: (replace(t.resources[0], **changes), *t.resources[1:]))


def number(coefficient: Any) -> Exact:
    return Exact(IntExpr((((), coefficient),)))


def bound(b: PlanBuffer, **changes: Any) -> UpperBound:
    assert isinstance(b.size, UpperBound)
    return replace(b.size, **changes)


def waits_for_the_next(plan: PortablePlan) -> PortablePlan:
    return task(0, dependencies=(plan.tasks[1].id,))(plan)


def never_waits(plan: PortablePlan) -> PortablePlan:
    return task(-1, dependencies=())(plan)


def doubled(t: PlanTask) -> tuple[Capability, ...]:
    first = t.capabilities[0]
    return (replace(first, alternatives=first.alternatives * 2), *t.capabilities[1:])


def nobody(t: PlanTask) -> Lineage:
    return replace(t.lineage, worksets=("w0000",))


NOTHING: Any = None

WRONG: dict[str, tuple[Change, ...]] = {
    "portable.status": (whole(strategy_fingerprint=""), whole(status="selected")),
    "portable.objective.duplicate": (whole(objectives=lambda p: p.objectives * 2),),
    "portable.objective.kind": (whole(objectives=lambda p: (replace(p.objectives[0], kind="energy"),)),),
    "portable.objective.weight": tuple(
        whole(objectives=lambda p, weight=weight: (replace(p.objectives[0], weight=weight),))
        for weight in (0, -1, float("nan"), float("inf"), True)
    ),
    "portable.constraint.identity": (
        whole(constraints=lambda p: p.constraints * 2),
        whole(constraints=(Constraint("", "launches", 1),)),
    ),
    "portable.reference.duplicate": (whole(tasks=lambda p: (p.tasks[0], *p.tasks)),),
    "portable.reference.unknown": (
        task(0, inputs=("nothing",)),
        task(0, dependencies=("nobody",)),
        buffer("workspace", producer="nobody"),
        buffer("input", consumers=("nobody",)),
    ),
    "portable.reference.effect": (task(-1, outputs=()),),
    "portable.reference.producer_mismatch": (
        buffer("workspace", producer=""),
        lambda plan: buffer("output", producer=plan.tasks[0].id)(plan),
    ),
    "portable.reference.consumer_mismatch": (buffer("input", consumers=()),),
    "portable.dag.self": (task(1, dependencies=lambda t: (t.id,)),),
    "portable.dag.not_topological": (
        lambda plan: replace(plan, tasks=(plan.tasks[-1], *plan.tasks[:-1])),
    ),
    "portable.dag.cycle": (waits_for_the_next,),
    "portable.missing_data_dependency": (never_waits,),
    "portable.group.conflict": (lambda plan: replace(plan, tasks=tuple(replace(t, group="g0") for t in plan.tasks)),),
    "portable.buffer.consumers": (buffer("input", consumers=lambda b: b.consumers * 2),),
    "portable.buffer.storage": (buffer("input", storage="transient"),),
    "portable.buffer.lifetime": (buffer("workspace", lifetime=("", "")),),
    "portable.buffer.producer": (
        lambda plan: replace(
            buffer("workspace", producer="")(plan), tasks=tuple(replace(t, outputs=()) for t in plan.tasks)
        ),
    ),
    "portable.buffer.read_before_write": (
        lambda plan: buffer("workspace", producer=plan.tasks[-1].id)(
            replace(plan, tasks=tuple(replace(t, outputs=()) for t in plan.tasks))
        ),
    ),
    "portable.workspace.storage": (buffer("workspace", storage="external"), buffer("workspace", storage="persistent")),
    "portable.workspace.bound_missing": (
        buffer("workspace", size=NOTHING),
        buffer("workspace", size=number(4)),
    ),
    "portable.workspace.semantic_missing": (buffer("workspace", size=lambda b: bound(b, meaning="")),),
    "portable.workspace.untraceable": (
        buffer("workspace", size=lambda b: bound(b, operations=())),
        buffer("workspace", size=lambda b: bound(b, operations=("nobody",))),
        buffer("workspace", size=lambda b: bound(b, formula="")),
    ),
    "portable.workspace.unreplaced": (whole(obligations=()),),
    "portable.obligation.unknown": (
        whole(obligations=lambda p: (*p.obligations, replace(p.obligations[0], id="o.x", subject="x"))),
    ),
    "portable.bound_as_exact": (
        buffer("input", size=UpperBound(IntExpr.of(4), "everything", "one", ())),
        facts(read_bytes=UpperBound(IntExpr.of(4), "everything", "one", ())),
        resource(quantity=UpperBound(IntExpr.of(4), "everything", "one", ())),
    ),
    "portable.facts.missing": (task(0, facts=NOTHING),),
    "portable.facts.class": (
        task(0, facts=lambda t: replace(t.facts, ops_by_class=(replace(t.facts.ops_by_class[0], kind="flop"),))),
    ),
    "portable.facts.negative": (
        facts(read_bytes=number(-1)),
        facts(write_bytes=Exact(IntExpr.symbol("M") - 3)),
    ),
    "portable.facts.inexact": (
        facts(read_bytes=number(0.5)),
        facts(read_bytes=number(True)),
        facts(read_bytes=Exact(NOTHING)),
    ),
    "portable.facts.nonfinite": (facts(read_bytes=number(float("nan"))), facts(read_bytes=number(float("inf")))),
    "portable.facts.untyped_unknown": (
        facts(read_bytes=NOTHING),
        facts(read_bytes=7),
        facts(read_bytes=Unknown("")),
    ),
    "portable.resource.kind": (resource(kind="tensor_cores"),),
    "portable.resource.scope": (resource(scope="per_warp"),),
    "portable.resource.empty": (resource(quantity=NOTHING),),
    "portable.capability.empty": (task(0, capabilities=(Capability("arithmetic f32", ()),)),),
    "portable.capability.duplicate": (
        task(0, capabilities=doubled),
        task(0, capabilities=lambda t: t.capabilities * 2),
    ),
    "portable.decision.implicit": (
        task(0, facts=lambda t: replace(t.facts, ops_by_class=tuple(
            replace(work, count=Exact(work.count.expression * 2)) for work in t.facts.ops_by_class
        ))),
    ),
    "portable.dialect": (task(0, operation="cuda.reduce"), task(0, operation="intent.unheard_of")),
}  # fmt: skip
"""Changes of a sound plan, by the code with which each of them is refused."""

UNFAITHFUL: dict[str, tuple[Change, ...]] = {
    "portable.parent_digest": (
        whole(provenance=lambda p: replace(p.provenance, parents=(("kir", "0" * 64),))),
    ),
    "portable.lineage.dangling": (
        task(0, lineage=nobody),
        task(0, lineage=Lineage(Origin.LOWERED, (), ()), body=()),
        buffer("workspace", lineage=("nobody",)),
    ),
    "portable.lineage.uncovered": (
        lambda plan: replace(plan, tasks=plan.tasks[:-1]),
        task(-1, effects=()),
        task(-1, effects=lambda t: t.effects * 2),
    ),
}  # fmt: skip
"""Changes that leave a plan well formed, but not that of its worksets."""
