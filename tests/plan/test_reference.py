"""One portable plan bound three ways: with a queue, without one, and in slots. And what schedules say, as text."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any, get_args

import pytest
from intent2cuda.base.intexpr import IntExpr, Operation, Symbol
from intent2cuda.base.records import RecordError, Records
from intent2cuda.lower import lower
from intent2cuda.plan import schedules
from intent2cuda.plan.coordination import RECORDS
from intent2cuda.plan.coordination_verify import coordination_report
from intent2cuda.plan.interp import admissible_orders, run
from intent2cuda.plan.schedules import (
    SCHEMAS,
    TARGETS,
    AsyncCopy,
    CudaKernelSchedule,
    PhaseBarrier,
    Schedule,
    Slot,
    TensorMap,
    VirtualSlotSchedule,
    WarpRole,
)
from intent2cuda.plan.schedules_verify import slot_findings

from .reference import Reference
from .support import KERNELS, planned, verified

NAMES = re.findall(r"^def (\w+)", KERNELS.read_text(), re.MULTILINE)
KINDS = [kind for kind in vars(schedules).values() if isinstance(kind, type) and kind.__module__ == schedules.__name__]
RECORDS_OF_SCHEDULES = Records((*KINDS, IntExpr, Operation, Symbol))


@pytest.mark.req("P94", "P95")
@pytest.mark.parametrize("queued", [True, False])
@pytest.mark.parametrize("name", NAMES)
def test_the_reference_binds_every_plan_the_same_way_each_time(name: str, queued: bool) -> None:
    """A command for each task, and all that the production binder has to carry out."""
    portable = planned(name).portable
    made = Reference(queued).coordination(portable)
    assert made == Reference(queued).coordination(portable)
    assert RECORDS.text(made) == RECORDS.text(Reference(queued).coordination(portable))
    assert coordination_report(made).holds
    assert [command.tasks for command in made.commands] == [(task.id,) for task in portable.tasks]
    (launch,) = planned(name).concrete.coordination.commands
    assert set(launch.tasks) == {task for command in made.commands for task in command.tasks}


@pytest.mark.req("P79", "P95")
@pytest.mark.parametrize("name", NAMES)
def test_plans_of_the_reference_run(name: str) -> None:
    made = Reference(queued=True).coordination(planned(name).portable)
    ends = {run(order, "", lambda command, done: done + command.id) for order in admissible_orders(made)}
    assert ends == {"".join(command.id for command in made.commands)}


@pytest.mark.req("P81", "P94")
def test_slots_have_a_clock_and_a_rule_for_a_miss() -> None:
    found = planned("layer_norm")
    made, slots = Reference(queued=False).coordination(found.portable), Reference(queued=False).slots(found.portable)
    plan = replace(found.concrete, target="slots", coordination=made, schedule=slots)
    assert not list(slot_findings(plan, slots))
    broken: list[tuple[VirtualSlotSchedule, str]] = [
        (replace(slots, clock=""), "concrete.slot.untyped"),
        (replace(slots, on_miss=""), "concrete.slot.untyped"),
        (replace(slots, slots=()), "concrete.extension.coverage"),
    ]
    for schedule, code in broken:
        assert code in [finding.code for finding in slot_findings(plan, schedule)]
    assert not any("duration" in f.name or "time" in f.name for f in fields(Slot))


@pytest.mark.req("P81")
def test_a_slot_comes_after_what_it_depends_on() -> None:
    found = planned("two_steps")
    made, slots = Reference(queued=False).coordination(found.portable), Reference(queued=False).slots(found.portable)
    assert len(slots.slots) > 1
    early = replace(slots, slots=tuple(replace(slot, cycle=0) for slot in slots.slots))
    plan = replace(found.concrete, target="slots", coordination=made, schedule=early)
    assert "concrete.extension.rule" in [finding.code for finding in slot_findings(plan, early)]


def pipelined() -> CudaKernelSchedule:
    """The schedule of a plan for sm_90a, with copies that go on while others compute."""
    found = planned("softmax_rows", "sm_90a").concrete.schedule
    assert isinstance(found, CudaKernelSchedule)
    return replace(
        found,
        copies=(AsyncCopy("s1", "k", "tile", 16, 0), AsyncCopy("s1", "v", "tile", 16, 1)),
        phases=(PhaseBarrier("full", 1, 2), PhaseBarrier("empty", 256, 2)),
        tensor_maps=(TensorMap("k", (64, 64), 128),),
        roles=(WarpRole("copy", 0, 4), WarpRole("math", 4, 4)),
        cluster=(2, 1, 1),
    )


@pytest.mark.req("P3", "P71")
def test_what_only_one_architecture_has_is_typed_and_read_back() -> None:
    made = pipelined()
    text = RECORDS_OF_SCHEDULES.text(made)
    assert RECORDS_OF_SCHEDULES.read(text) == made
    assert verified(planned("softmax_rows", "sm_90a"), "sm_90a", schedule=made).holds
    names = [f.type for kind in get_args(Schedule) for f in fields(kind)]
    assert not [name for name in names if any(word in str(name) for word in ("dict", "Mapping", "Any"))]


@pytest.mark.req("P3")
@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace('"copies":[', '"extra":{"cp.async":"16"},"copies":['),
        lambda text: text.replace('{"AsyncCopy":', '{"Anything":'),
        lambda text: text.replace('"tensor_maps"', '"maps_of_tensors"'),
    ],
)
def test_facts_as_free_keys_are_refused(change: Callable[[str], str]) -> None:
    text = RECORDS_OF_SCHEDULES.text(pipelined())
    assert change(text) != text
    with pytest.raises(RecordError):
        RECORDS_OF_SCHEDULES.read(change(text))


@pytest.mark.req("P71")
def test_every_schedule_has_a_schema_and_a_target_of_its_own() -> None:
    kinds: tuple[Any, ...] = get_args(Schedule)
    assert set(SCHEMAS) == set(TARGETS) == set(kinds)
    assert len(set(SCHEMAS.values())) == len(set(TARGETS.values())) == len(kinds)


@pytest.mark.req("P62")
@pytest.mark.parametrize("target", ["cpu", "sm_80"])
def test_what_is_lowered_names_the_plan_that_it_is_made_from(target: str) -> None:
    concrete = planned("softmax_rows", target).concrete
    digests = dict(lower(concrete).unit.digests)
    assert digests["concrete"] == concrete.digest and digests["portable"] == concrete.origin.portable
