"""The plans that were considered: with what each takes, why some are not legal, and how one is seen to be better."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import FrozenInstanceError, replace
from inspect import signature

import pytest
from intent2cuda.base.diagnostics import IntentError
from intent2cuda.base.envelope import opened
from intent2cuda.base.intexpr import IntExpr
from intent2cuda.base.records import RecordError
from intent2cuda.lower import lower
from intent2cuda.plan import planset
from intent2cuda.plan.coordination import RECORDS
from intent2cuda.plan.planset import Candidate, Dominance, PlanSet, compared, plan_set, planset_report, selected

from .support import KERNELS, planned

NAMES = re.findall(r"^def (\w+)", KERNELS.read_text(), re.MULTILINE)
SOFTMAX = planned("softmax_whole").planset


@pytest.mark.req("P47")
@pytest.mark.parametrize("name", NAMES)
def test_sets_are_sound_and_small(name: str) -> None:
    found = planned(name).planset
    assert planset_report(found).holds
    assert 1 <= len(found.candidates) <= found.budget == 8
    assert found.chosen in {candidate.structure for candidate in found.candidates}
    assert len({candidate.structure for candidate in found.candidates}) == len(found.candidates)


@pytest.mark.req("P47")
def test_softmax_has_three_plans_and_one_that_needs_a_permission() -> None:
    assert len(SOFTMAX.candidates) == 3
    assert [rejected.code for rejected in SOFTMAX.rejected if rejected.code == "numerics.permission"]
    fused, again, *_ = SOFTMAX.candidates
    assert fused.takes.functions != again.takes.functions
    assert fused.takes.resident_bytes != again.takes.resident_bytes == IntExpr.of(0)
    assert not [d for d in SOFTMAX.dominance if {d.better, d.worse} == {fused.structure, again.structure}]


@pytest.mark.req("P47")
def test_a_plan_that_takes_more_of_everything_is_dominated() -> None:
    first = SOFTMAX.candidates[0]
    more = {name: value + IntExpr.symbol("M") for name, value in vars(first.takes).items()}
    worse = Candidate("worse", "more of everything", "worse", replace(first.takes, **more))
    (found,) = (
        d for d in compared((*SOFTMAX.candidates, worse), 0) if d.better == first.structure and d.worse == "worse"
    )
    assert "by the form of the expressions" in found.basis and "functions" in found.basis
    assert selected((worse, first), compared((worse, first), 0)) is first


@pytest.mark.req("P47")
def test_a_product_is_stored_once_for_its_whole_depth() -> None:
    takes = planned("dense").planset.candidates[0].takes
    depth = takes.visits
    assert takes.written_bytes != depth * 4 and len(takes.written_bytes.terms[0][0]) < len(depth.terms[0][0])


@pytest.mark.req("P47", "S5")
def test_the_seed_gives_the_same_set_again() -> None:
    drafts = planned("softmax_whole").drafts
    assert plan_set(drafts, seed=7).digest == plan_set(drafts, seed=7).digest
    assert plan_set(drafts, seed=7).digest != plan_set(drafts, seed=8).digest
    assert plan_set(drafts).digest == SOFTMAX.digest


@pytest.mark.req("P47")
def test_the_budget_cuts_the_list() -> None:
    assert len(plan_set(planned("softmax_whole").drafts, budget=1).candidates) == 1


@pytest.mark.req("P47", "S3")
def test_a_set_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        SOFTMAX.chosen = ""
    assert isinstance(SOFTMAX.candidates, tuple) and isinstance(SOFTMAX.rejected, tuple)


@pytest.mark.req("P47")
@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("softmax_whole", "numerics.permission"),
        ("matvec", "gate.kernel.split"),
        ("odd_even_sort", "portable.launch.data_dependent"),
    ],
)
def test_plans_that_are_not_legal_stay_with_their_reason(name: str, code: str) -> None:
    found = planned(name).planset
    assert [each.because for each in found.rejected if each.code == code]
    assert not {each.plan for each in found.rejected} & {each.name for each in found.candidates}


def better(*pairs: tuple[int, int], basis: str = "a test") -> tuple[Dominance, ...]:
    names = [candidate.structure for candidate in SOFTMAX.candidates]
    return tuple(Dominance(names[one], names[other], basis) for one, other in pairs)


BROKEN: list[tuple[str, Callable[[PlanSet], PlanSet]]] = [
    ("planset.empty", lambda s: replace(s, candidates=())),
    ("planset.unknown_candidate", lambda s: replace(s, chosen="ab")),
    ("planset.unknown_candidate", lambda s: replace(s, dominance=(Dominance("ab", s.chosen, "a test"),))),
    ("planset.dominance_cycle", lambda s: replace(s, dominance=better((0, 1), (1, 2), (2, 0)))),
    ("planset.basis_missing", lambda s: replace(s, dominance=better((0, 1), basis=""))),
    ("planset.budget", lambda s: replace(s, budget=2)),
]


@pytest.mark.req("P47")
@pytest.mark.parametrize(("code", "change"), BROKEN)
def test_broken_sets_are_found(code: str, change: Callable[[PlanSet], PlanSet]) -> None:
    assert code in planset_report(change(SOFTMAX)).codes


@pytest.mark.req("P48")
def test_a_set_is_no_representation_of_the_kernel() -> None:
    """It has no text as a layer, nothing is lowered from it, and one plan is read out of it."""
    with pytest.raises(RecordError):
        RECORDS.text(SOFTMAX)
    with pytest.raises(IntentError):
        opened("{}", planset.SCHEMA)
    assert signature(lower).parameters["plan"].annotation == "ConcretePlan"
    assert signature(selected).return_annotation == "Candidate"
    assert not {"parent", "producer", "features"} & set(vars(SOFTMAX))
