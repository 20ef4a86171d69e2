"""The gate: five inputs and no defaults, a proof for each need, and refusals that name both numbers."""

from __future__ import annotations

from dataclasses import replace
from inspect import Parameter, signature
from pathlib import Path
from typing import Any

import pytest
from intent2cuda.base.diagnostics import IntentError
from intent2cuda.base.intexpr import IntExpr
from intent2cuda.parse import parse_kernel
from intent2cuda.plan import Planned, plan
from intent2cuda.plan.capacity import held_bytes
from intent2cuda.plan.catalogue import TABLES, Row
from intent2cuda.plan.choosing import ImplementationPolicy
from intent2cuda.plan.concrete import ConcretePlan, HostCheck
from intent2cuda.plan.gate import Candidate, bind, discharged
from intent2cuda.plan.policies import EvidencePolicy, TargetRequirements, planning_evidence
from intent2cuda.plan.portable import content_digest
from intent2cuda.plan.quantity import UpperBound
from intent2cuda.plan.report import BindingReport
from intent2cuda.plan.structures import Structures
from intent2cuda.plan.text import stage_text
from intent2cuda.plan.wording import reader_names
from intent2cuda.target.deployment import Deployment, deployment, generic
from intent2cuda.target.evidence import EvidenceRecord, EvidenceSnapshot, Method
from intent2cuda.target.profile import kind_of, profile

from .rows import shows
from .support import KERNELS, kernel, planned

INPUTS = ("candidate", "target", "deployment", "implementations", "evidence")


def given(name: str, on: str, /, **changes: Any) -> dict[str, Any]:
    """The inputs of the gate for a kernel, with some of them changed."""
    found = profile(on)
    family = kind_of(found)
    return {
        "candidate": Candidate(planned(name, on).portable, Structures(kernel(name))),
        "target": found,
        "deployment": generic(family),
        "implementations": ImplementationPolicy(),
        "evidence": planning_evidence(family),
        **changes,
    }


def bound(name: str, on: str, /, **changes: Any) -> tuple[ConcretePlan, BindingReport]:
    return bind(**given(name, on, **changes))


def refusal(name: str, on: str, /, **changes: Any) -> IntentError:
    with pytest.raises(IntentError) as refused:
        bound(name, on, **changes)
    return refused.value


def machine(**facts: int) -> Deployment:
    """A machine with a GPU of which these numbers are known; `__` stands for a dot."""
    records = (EvidenceRecord(q.replace("__", "."), v, "1", Method.STATED, "a test") for q, v in facts.items())
    return Deployment("small", "cuda", 1, tuple(records))


def tiles(shared_bytes: int) -> ImplementationPolicy:
    row = Row((("tile_m", 128, "larger"), ("tile_n", 256, "larger"), ("tile_k", 64, "larger")), shared_bytes)
    return ImplementationPolicy(rows=(("cuda.contract.simt_tile", (row,)),))


@pytest.mark.req("P49")
@pytest.mark.parametrize("missing", INPUTS)
def test_every_input_is_given_or_the_kernel_is_refused(missing: str) -> None:
    assert refusal("saxpy", "cpu", **{missing: None}).code == "gate.binding.missing"
    assert all(signature(bind).parameters[name].default is Parameter.empty for name in INPUTS)


@pytest.mark.req("P49")
def test_the_environment_decides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    before = bound("saxpy", "cpu")[0].digest
    for name in ("OMP_NUM_THREADS", "CUDA_VISIBLE_DEVICES", "CC", "CXXFLAGS"):
        monkeypatch.setenv(name, "7")
    assert bound("saxpy", "cpu")[0].digest == before


REFUSALS: list[tuple[str, str, str, str, dict[str, Any], str]] = [
    # what, code, kernel, target, changed inputs, words of the message or of what was tried
    ("too few devices", "gate.requirements.unmet", "saxpy", "cpu",
     {"requirements": TargetRequirements(devices=2)}, "2 devices are asked for, generic-cpu has 1"),
    ("too little memory", "gate.requirements.unmet", "saxpy", "sm_80",
     {"requirements": TargetRequirements(memory_bytes=10**12), "deployment": deployment("a100-80")},
     "1000000000000 B of memory are asked for, a100-80 has 80000000000 B"),
    ("no arithmetic", "gate.requirements.unmet", "saxpy", "sm_80",
     {"requirements": TargetRequirements(dtypes=("f8e5m2",))}, "arithmetic in f8e5m2 is asked for"),
    ("no collectives", "gate.requirements.unmet", "saxpy", "sm_80",
     {"requirements": TargetRequirements(collectives=("all_reduce",))}, "all_reduce is asked for"),
    ("a lesser machine", "gate.abi.incompatible", "saxpy", "sm_90a",
     {"deployment": deployment("a100-80")}, "sm_90a needs compute capability 90, a100-80 has 80"),
    ("another family", "gate.abi.incompatible", "saxpy", "cpu",
     {"deployment": generic("cuda")}, "generic-cuda runs cuda, x86-64-v3 is cpu"),
    ("declined", "gate.capability.unsupported", "dense", "sm_80",
     {"implementations": ImplementationPolicy(declined=frozenset({"matrix product", "scalar multiply-add"}))},
     "the policy declines it"),
    ("all excluded", "gate.implementation.none", "saxpy", "cpu",
     {"implementations": ImplementationPolicy(excluded=frozenset(e.name for t in TABLES for e in t))},
     "cpu.pointwise.map: the policy excludes it"),
    ("too large a tile", "gate.capacity.exceeded", "dense", "sm_80",
     {"implementations": tiles(245760)}, "245760 B of shared memory > 49152 B"),
    ("no evidence", "evidence.missing", "softmax_rows", "cpu",
     {"evidence": EvidencePolicy(EvidenceSnapshot("none", ()), fallback=False)},
     "no record of recompute.cost in none"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("code", "name", "target", "changes", "words"), [shows(*row[1:], name=row[0]) for row in REFUSALS]
)
def test_refusals_say_what_was_asked_and_what_there_is(
    code: str, name: str, target: str, changes: dict[str, Any], words: str
) -> None:
    bound(name, target)
    refused = refusal(name, target, **changes)
    assert refused.code == code
    said = [text for d in refused.diagnostics for text in (d.message, *d.considered)]
    assert any(words in text for text in said)
    assert words in str(refused)


@pytest.mark.req("P58")
@pytest.mark.parametrize("word", ["sm_90a", "nvidia", "openmp", "node17", "cuda"])
@pytest.mark.parametrize("field", ["dtypes", "collectives"])
def test_requirements_cannot_name_a_machine(field: str, word: str) -> None:
    with pytest.raises(IntentError) as refused:
        TargetRequirements(**{field: (word,)})
    assert refused.value.code == "portable.requirements.identity" and word in str(refused.value)


@pytest.mark.req("P50")
def test_every_need_of_every_task_has_a_proof() -> None:
    found = planned("dense", "sm_80")
    needs = [f"{task.id}: {c.need}" for task in found.portable.tasks for c in task.capabilities]
    assert needs and set(needs) <= {proof.need for proof in found.report.proofs}
    assert all(proof.rule for proof in (*found.report.proofs, *found.report.abi))


@pytest.mark.req("P50")
def test_a_declined_alternative_gives_way_to_another() -> None:
    policy = ImplementationPolicy(declined=frozenset({"matrix product"}))
    rules = [proof.rule for proof in bound("dense", "sm_80", implementations=policy)[1].proofs]
    assert any(rule.startswith("scalar multiply-add") for rule in rules)
    assert not any(rule.startswith("matrix product") for rule in rules)


@pytest.mark.req("P52", "P64")
def test_an_excluded_implementation_is_recorded_and_another_is_selected() -> None:
    first = bound("saxpy", "cpu")[0].selection[0].implementation.name
    plan_, report = bound("saxpy", "cpu", implementations=ImplementationPolicy(excluded=frozenset({first})))
    (selected, *_) = plan_.selection
    assert selected.implementation.name != first and selected.implementation.version
    assert (first, "the policy excludes it") in report.choices[0].rejected


@pytest.mark.req("P52")
def test_a_row_that_fits_is_bound_with_all_its_parameters() -> None:
    plan_, _ = bound("dense", "sm_80", implementations=tiles(40000))
    found = [dict(s.parameters) for s in plan_.selection if s.parameters]
    assert found == [{"tile_m": 128, "tile_n": 256, "tile_k": 64}]


def snapshot(recompute: int) -> EvidencePolicy:
    record = EvidenceRecord("recompute.cost", recompute, "%", Method.MEASURED, "a test")
    apart = EvidenceRecord("columns.apart.cost", 800, "%", Method.MEASURED, "a test")
    return EvidencePolicy(EvidenceSnapshot("s", (record, apart)))


@pytest.mark.req("P59", "P61")
def test_evidence_that_decides_otherwise_gives_another_plan_which_names_it() -> None:
    store, again = (bound("softmax_rows", "cpu", evidence=snapshot(cost))[0] for cost in (400, 50))
    assert store.digest != again.digest and store.origin.structure != again.origin.structure
    assert store.origin.portable == again.origin.portable
    for made, cost in ((store, 400), (again, 50)):
        evidence = snapshot(cost).snapshot
        assert made.origin.evidence.snapshot == evidence.digest
        assert evidence.records[0].id in made.origin.evidence.used


@pytest.mark.req("P59")
def test_other_evidence_for_the_same_choice_is_another_origin_of_the_same_decisions() -> None:
    one, other = (bound("softmax_rows", "cpu", evidence=snapshot(cost))[0] for cost in (400, 500))
    assert one.digest == other.digest and one.origin.evidence != other.origin.evidence


def workspace(found: Planned) -> HostCheck | None:
    checks = (c for c in found.concrete.checks if isinstance(c, HostCheck) and c.kind == "capacity")
    return next(checks, None)


@pytest.mark.req("P34")
def test_a_workspace_is_checked_at_the_call_on_a_machine_whose_memory_is_known() -> None:
    """The generic plan needs no machine; two calls at once need twice as much."""
    assert workspace(plan(kernel("sort_rows"), "sm_80")) is None
    small = machine(memory__bytes=10**9)
    once, twice = (workspace(plan(kernel("sort_rows"), "sm_80", replace(small, calls=n))) for n in (1, 2))
    assert once is not None and twice is not None
    assert (once.relation, once.rhs) == ("<=", IntExpr.of(10**9))
    assert twice.lhs == once.lhs * 2 and "small" in once.sentence


PARTS = ("selection", "parameters", "resources", "realises", "facts", "schedule")


def stages(found: ConcretePlan) -> str:
    return stage_text(found.stages, reader_names(found.kernel))


@pytest.mark.req("P31")
@pytest.mark.parametrize("target", ["cpu", "sm_80"])
def test_a_bound_ten_times_as_large_is_no_other_work_and_no_other_choice(target: str) -> None:
    """What counts against the memory of a machine is the workspace that takes its place."""
    found = planned("sort_rows", target).portable
    held = [b for b in found.buffers if isinstance(b.size, UpperBound)]
    more = {b.id: replace(b, size=replace(b.size, expression=b.size.expression * 10)) for b in held}
    larger = replace(found, buffers=tuple(more.get(b.id, b) for b in found.buffers))
    larger = replace(larger, digest=content_digest(larger))
    assert more and larger.digest != found.digest and larger.facts == found.facts
    candidate = Candidate(larger, Structures(kernel("sort_rows")))
    one, other = (bound("sort_rows", target, **changes)[0] for changes in ({}, {"candidate": candidate}))
    assert stages(one) == stages(other)
    for part in (*PARTS, "coordination", "checks"):
        assert getattr(one, part) == getattr(other, part), part


@pytest.mark.req("P31", "P34")
@pytest.mark.parametrize(("target", "family"), [("cpu", "cpu"), ("sm_80", "cuda")])
def test_ten_times_the_workspace_changes_what_fits_and_nothing_else(target: str, family: str) -> None:
    """Ten calls at once have ten workspaces: the plan is the same, the check at the call asks for ten times as much."""
    small = replace(machine(memory__bytes=10**9, units=4), target=family)
    once, ten = (bound("sort_rows", target, deployment=replace(small, calls=n))[0] for n in (1, 10))
    checks = [[c for c in made.checks if isinstance(c, HostCheck) and c.kind == "capacity"] for made in (once, ten)]
    ((one,), (many,)) = checks
    assert many.lhs == one.lhs * 10 and many.rhs == one.rhs
    assert stages(once) == stages(ten)
    for part in PARTS:
        assert getattr(once, part) == getattr(ten, part), part


@pytest.mark.req("P31", "P34")
@pytest.mark.parametrize(("target", "family"), [("cpu", "cpu"), ("sm_80", "cuda")])
def test_a_workspace_of_known_size_is_refused_where_it_does_not_fit(target: str, family: str, tmp_path: Path) -> None:
    source = tmp_path / "fixed.py"
    source.write_text(KERNELS.read_text().replace('("N", "N")', "(256, 256)"))
    fixed = parse_kernel(source, "matrix_power").kernel
    big = replace(machine(memory__bytes=10**9, units=4), target=family)
    held = held_bytes(plan(fixed, target).concrete, profile(target), big).constant
    assert held and held % (2 * 4 * 256 * 256) == 0  # the power, and the product that takes its place
    enough = replace(machine(memory__bytes=held + 2 * 4 * 256 * 256, units=4), target=family)
    assert plan(fixed, target, enough).concrete.checks == plan(fixed, target).concrete.checks
    with pytest.raises(IntentError) as refused:
        plan(fixed, target, replace(enough, calls=10))
    assert refused.value.code == "gate.capacity.exceeded" and f"takes {10 * held} B and " in str(refused.value)


@pytest.mark.req("P38")
def test_every_obligation_is_met_or_the_kernel_is_refused() -> None:
    found = planned("softmax_rows")
    assert found.portable.obligations
    assert len(found.report.obligations) == len(found.portable.obligations)
    assert all(each.by for each in found.report.obligations)
    other = planned("softmax_rows", "sm_80")
    assert other.concrete.unneeded and all("0 bytes" in each.by for each in other.report.obligations)
    bare = replace(other.concrete, unneeded=())
    with pytest.raises(IntentError) as refused:
        discharged(other.portable, bare)
    assert refused.value.code == "gate.obligation.open"


@pytest.mark.parametrize("target", ["armv8", "x86-64-v4", "sm_75", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120"])
def test_every_profile_binds(target: str) -> None:
    made, report = bound("dense", target)
    assert report.target == target and made.target == kind_of(profile(target))
