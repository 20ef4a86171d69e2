"""The requirements that a refusal shows, by its code: a case of a table counts for those of its code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from intent2cuda.plan.forbidden import FORBIDDEN

PORTABLE: Mapping[str, str] = {
    "portable.bound_as_exact": "P35",
    "portable.buffer.consumers": "P41",
    "portable.buffer.lifetime": "P41",
    "portable.buffer.producer": "P41",
    "portable.buffer.read_before_write": "P41",
    "portable.buffer.storage": "P8 P41",
    "portable.capability.duplicate": "P9",
    "portable.capability.empty": "P9",
    "portable.constraint.identity": "P11 P44",
    "portable.dag.cycle": "P40",
    "portable.dag.not_topological": "P40",
    "portable.dag.self": "P40",
    "portable.decision.implicit": "P14",
    "portable.dialect": "P29",
    "portable.facts.class": "P43",
    "portable.facts.inexact": "P43",
    "portable.facts.missing": "P6",
    "portable.facts.negative": "P43",
    "portable.facts.nonfinite": "P43",
    "portable.facts.untyped_unknown": "P13",
    "portable.group.conflict": "P10",
    "portable.lineage.dangling": "P12 P45",
    "portable.lineage.uncovered": "P12 P45",
    "portable.missing_data_dependency": "P40",
    "portable.objective.duplicate": "P11 P44",
    "portable.objective.kind": "P11",
    "portable.objective.weight": "P11",
    "portable.obligation.unknown": "P38",
    "portable.parent_digest": "P12 P45",
    "portable.reference.consumer_mismatch": "P39",
    "portable.reference.duplicate": "P39",
    "portable.reference.effect": "P39",
    "portable.reference.producer_mismatch": "P39",
    "portable.reference.unknown": "P39",
    "portable.resource.empty": "P7 P42",
    "portable.resource.kind": "P7 P42",
    "portable.resource.scope": "P7 P42",
    "portable.status": "P4",
    "portable.workspace.bound_missing": "P32",
    "portable.workspace.semantic_missing": "P32",
    "portable.workspace.storage": "P30",
    "portable.workspace.unreplaced": "P38",
    "portable.workspace.untraceable": "P36",
}

BOUND: Mapping[str, str] = {
    "concrete.alloc.unplanned": "P78",
    "concrete.buffer.alignment": "P68 P89",
    "concrete.buffer.lifetime": "P68 P88",
    "concrete.buffer.out_of_bounds": "P68 P89",
    "concrete.buffer.overlap": "P68 P88",
    "concrete.buffer.unwritten": "P55",
    "concrete.capacity.grid": "P90",
    "concrete.capacity.memory": "P90",
    "concrete.capacity.registers": "P90",
    "concrete.capacity.roles": "P90",
    "concrete.capacity.scratch": "P90",
    "concrete.capacity.shared": "P90",
    "concrete.capacity.stack": "P90",
    "concrete.capacity.threads": "P90",
    "concrete.capacity.unguarded": "P90",
    "concrete.capacity.workspace": "P90",
    "concrete.dag.cycle": "P82",
    "concrete.dag.not_topological": "P82",
    "concrete.dag.self": "P82",
    "concrete.extension.coverage": "P92",
    "concrete.extension.queue_free_has_queue": "P94",
    "concrete.extension.rule": "P92",
    "concrete.extension.unknown": "P63 P92",
    "concrete.fingerprint.mismatch": "P69 P91",
    "concrete.forbidden.timestamp": "P80",
    "concrete.identity": "P70",
    "concrete.implementation.extra": "P86",
    "concrete.implementation.missing": "P86",
    "concrete.implementation.points": "P86",
    "concrete.implementation.wrong_operation": "P64 P86",
    "concrete.lineage.accesses": "P72 P93",
    "concrete.lineage.dangling": "P72 P93",
    "concrete.lineage.uncovered": "P72 P93",
    "concrete.order.effects": "P55",
    "concrete.order.issue": "P84",
    "concrete.placement.level": "P87",
    "concrete.placement.visibility": "P87",
    "concrete.planning_evidence.missing": "P59 P70",
    "concrete.queue.device": "P65 P87",
    "concrete.queue.kind": "P76",
    "concrete.queue.missing": "P65",
    "concrete.reference.duplicate": "P66",
    "concrete.reference.unknown": "P65 P66 P68",
    "concrete.stage.members": "P55",
    "concrete.stage.unbound_axis": "P55",
    "concrete.stage.undefined": "P55",
    "concrete.sync.divergent": "P85",
    "concrete.sync.missing_happens_before": "P55 P67 P85",
    "concrete.token.multiple": "P83",
    "concrete.token.unconsumed": "P83",
    "concrete.token.unproduced": "P83",
    "concrete.token.wait_before_signal": "P83",
    "concrete.workspace.unreplaced": "P33",
    "gate.facts.changed": "P37",
    "gate.placement.unresolved": "P54",
    "gate.resource.unmapped": "P53",
}

GATE: Mapping[str, str] = {
    "evidence.missing": "P56 P59",
    "gate.abi.incompatible": "P51 P56",
    "gate.capability.unsupported": "P50 P56",
    "gate.capacity.exceeded": "P34 P52 P56",
    "gate.implementation.none": "P52 P56",
    "gate.requirements.unmet": "P56 P57",
}

ABSENT = dict(zip(FORBIDDEN, (f"P{number}" for number in range(19, 29)), strict=True))
"""The row that forbids a kind of words in portable plans."""

ROWS = PORTABLE | BOUND | GATE


def shows(code: str, *values: Any, name: str | None = None) -> Any:
    """A case of a table that shows the rows of its code."""
    return pytest.param(code, *values, id=name, marks=pytest.mark.req(*ROWS[code].split()))
