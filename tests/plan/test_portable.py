"""The portable plan: the same for every target, exact in its counts, free of anything that names a target."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from intent2cuda.base.intexpr import IntExpr, Symbol, evaluate
from intent2cuda.parse import parse_kernel
from intent2cuda.plan import plan, portable_verify
from intent2cuda.plan.portable import BufferRole, Count, DecisionKind, PortablePlan

from .support import KERNELS, TARGETS, planned

NAMES = re.findall(r"^def (\w+)", KERNELS.read_text(), re.MULTILINE)


@pytest.mark.req("P2")
@pytest.mark.parametrize("name", NAMES)
def test_portable_layers_do_not_depend_on_the_target(name: str) -> None:
    plans = [planned(name, target) for target in TARGETS]
    assert len({p.portable.digest for p in plans}) == 1
    assert len({p.planset.digest for p in plans}) == 1
    assert {p.concrete.origin.portable for p in plans} == {plans[0].portable.digest}


@pytest.mark.parametrize("name", NAMES)
def test_portable_plans_are_well_formed(name: str) -> None:
    assert portable_verify.findings(planned(name).portable) == ()


def test_names_of_locals_do_not_count() -> None:
    text = KERNELS.read_text()
    renamed = text.replace("weight", "other").replace("peak", "top")
    assert renamed != text
    path = KERNELS.with_name("renamed.py")
    try:
        path.write_text(renamed)
        again = plan(parse_kernel(path, "softmax_rows").kernel, "cpu")
    finally:
        path.unlink()
    assert again.portable.digest == planned("softmax_rows").portable.digest
    assert again.concrete.digest == planned("softmax_rows").concrete.digest


@pytest.mark.req("P13")
def test_counts_of_softmax_are_exact() -> None:
    (task,) = planned("softmax_whole").portable.tasks
    found = {(kind, dtype): count.exact for kind, dtype, count in task.facts.operations}
    values = {Symbol("M"): 3, Symbol("N"): 5}
    numbers = {key: evaluate(exact, values) for key, exact in found.items() if exact is not None}
    assert numbers == {("add", "f32"): 30, ("cmp", "f32"): 15, ("div", "f32"): 15, ("transc", "f32"): 15}
    assert task.facts.read_bytes.exact == task.facts.write_bytes.exact == IntExpr.symbol("M") * IntExpr.symbol("N") * 4


@pytest.mark.req("P13")
def test_counts_that_depend_on_data_say_so() -> None:
    (task,) = planned("collatz").portable.tasks
    unknown = [count.unknown for _, _, count in task.facts.operations if count.exact is None]
    assert unknown and all("data" in why or "branch" in why for why in unknown)


@pytest.mark.req("P14", "P15")
def test_storing_and_computing_again_are_decisions() -> None:
    softmax, norm = planned("softmax_rows").portable, planned("layer_norm").portable
    stored = [d for d in softmax.decisions if d.kind is DecisionKind.MATERIALIZE]
    assert [d.alternatives for d in stored] == [("recompute",)]
    assert any(d.kind is DecisionKind.RECOMPUTE for d in norm.decisions)


@pytest.mark.req("P30", "P32")
def test_workspace_is_transient_and_bounded() -> None:
    (workspace,) = [b for b in planned("softmax_rows").portable.buffers if b.role is BufferRole.WORKSPACE]
    assert (workspace.storage, workspace.bound) == ("transient", IntExpr.symbol("N"))
    assert workspace.meaning and workspace.producer and workspace.consumers


@pytest.mark.req("P47")
def test_considered_plans_are_listed() -> None:
    found = planned("softmax_whole").planset
    assert found.candidates[0].name == found.chosen
    assert len(found.candidates) >= 3
    assert [r.code for r in found.rejected] == ["numerics.permission"]
    assert not [d for d in found.dominance if d.worse == found.chosen]


def broken(plan: PortablePlan, case: str) -> PortablePlan:
    task, buffer = plan.tasks[0], plan.buffers[0]
    match case:
        case "portable.reference.unknown":
            return replace(plan, tasks=(replace(task, inputs=("nothing",)),))
        case "portable.dag.self":
            return replace(plan, tasks=(replace(task, dependencies=(task.id,)),))
        case "portable.dag.not_topological":
            return replace(plan, tasks=(replace(task, dependencies=("later",)),))
        case "portable.facts.negative":
            return replace(plan, tasks=(replace(task, facts=replace(task.facts, read_bytes=Count(IntExpr.of(-1)))),))
        case "portable.facts.untyped_unknown":
            return replace(plan, tasks=(replace(task, facts=replace(task.facts, read_bytes=Count(None))),))
        case "portable.workspace.storage":
            changed = tuple(replace(b, storage="external") for b in plan.buffers)
            return replace(plan, buffers=changed)
        case "portable.workspace.semantic_missing":
            return replace(plan, buffers=tuple(replace(b, meaning="") for b in plan.buffers))
        case "portable.reference.consumer_mismatch":
            return replace(plan, buffers=(replace(buffer, consumers=("nobody",)), *plan.buffers[1:]))
        case "portable.dialect":
            return replace(plan, tasks=(replace(task, operation="cuda.kernel"),))
        case "portable.objective.duplicate":
            return replace(plan, objectives=plan.objectives * 2)
        case _:
            return replace(plan, objectives=(("latency", "minimise", 0),))


@pytest.mark.parametrize(
    "code",
    [
        "portable.reference.unknown",
        "portable.dag.self",
        "portable.dag.not_topological",
        "portable.facts.negative",
        "portable.facts.untyped_unknown",
        "portable.workspace.storage",
        "portable.workspace.semantic_missing",
        "portable.reference.consumer_mismatch",
        "portable.dialect",
        "portable.objective.duplicate",
        "portable.objective.weight",
    ],
)
def test_broken_plans_are_found(code: str) -> None:
    found = portable_verify.findings(broken(planned("softmax_rows").portable, code))
    assert any(finding.startswith(code) for finding in found)


@pytest.mark.req("P29")
@pytest.mark.parametrize("kind", sorted(portable_verify.FORBIDDEN))
def test_words_of_targets_are_found_wherever_they_hide(kind: str) -> None:
    plan = planned("softmax_rows").portable
    for word in portable_verify.FORBIDDEN[kind]:
        hidden = replace(plan.decisions[0], alternatives=("fine", f"uses {word.upper()}9"))
        found = portable_verify.findings(replace(plan, decisions=(hidden, *plan.decisions[1:])))
        assert any(finding.startswith(f"portable.forbidden.{kind}") for finding in found)
