"""What is known of machines: every number with its source, and nothing where nothing is known."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest

from intent2cuda.base.diagnostics import IntentError
from intent2cuda.target.deployment import Deployment, deployment, deployment_names, generic
from intent2cuda.target.evidence import EvaluationEvidence, EvidenceRecord, EvidenceSnapshot, Method, PlanningEvidence


@pytest.mark.parametrize("target", ["cpu", "cuda"])
def test_generic_deployments_know_nothing(target: str) -> None:
    found = generic(target)
    assert found.records == () and found.fact("memory.bytes") is None and found.calls == 1


@pytest.mark.parametrize("name", deployment_names())
def test_every_number_has_a_unit_and_a_source(name: str) -> None:
    found = deployment(name)
    assert len({record.quantity for record in found.records}) == len(found.records)
    for record in found.records:
        assert record.value > 0 and record.unit and record.source and isinstance(record.method, Method)


@pytest.mark.req("P69")
def test_fingerprints_tell_deployments_apart() -> None:
    names = deployment_names()
    assert len({deployment(name).fingerprint for name in names}) == len(names)


def test_other_names_are_refused() -> None:
    with pytest.raises(IntentError) as refused:
        deployment("h9000")
    assert refused.value.code == "gate.deployment.unknown"


def test_a_snapshot_is_the_set_of_its_records() -> None:
    one, two = (EvidenceRecord(q, 3, "B", Method.STATED, "a test") for q in ("memory.bytes", "cache.bytes"))
    snapshot = EvidenceSnapshot("a", (one, two))
    assert snapshot.digest == EvidenceSnapshot("b", (two, one)).digest
    assert snapshot.digest != EvidenceSnapshot("a", (one, replace(two, value=4))).digest
    assert snapshot.of("cache.bytes") is two and snapshot.of("clock.hertz") is None
    assert one.id != two.id


@pytest.mark.req("P61")
def test_the_two_roles_of_evidence_are_two_types() -> None:
    assert PlanningEvidence("a") != EvaluationEvidence("a")
    records = (PlanningEvidence, EvaluationEvidence, EvidenceSnapshot, EvidenceRecord, Deployment)
    assert "evidence_revision" not in {field.name for record in records for field in fields(record)}
