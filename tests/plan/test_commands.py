"""Seven bodies, one for each command; synchronisation is apart from them. What makes no sense cannot be written."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, fields, replace
from typing import get_args

import pytest
from intent2cuda.base.records import RecordError
from intent2cuda.plan.commands import (
    BODIES,
    CLAUSES,
    Barrier,
    Body,
    Clause,
    CollectiveCommand,
    Command,
    HostCall,
    ImplementationRef,
    Launch,
    Signal,
    SignalAfter,
    Transfer,
    Unsynchronised,
    Wait,
    WaitAndSignal,
    WaitFor,
)
from intent2cuda.plan.coordination import COORDINATION, RECORDS

from .programs import code, independent, split_product

RUNS = code("artifact", "k")
EVERY: tuple[Body, ...] = (
    Launch(RUNS, "q0"),
    CollectiveCommand(RUNS, "all_reduce", ("gpu",), "q0"),
    Transfer("a", "b", "copy"),
    Barrier(("gpu",)),
    Signal(("e0",)),
    Wait(("e0",)),
    HostCall(RUNS, "calls"),
)


@pytest.mark.req("P66", "P67", "P73")
def test_there_are_seven_bodies_and_no_other_one_is_read() -> None:
    assert {type(body) for body in EVERY} == set(BODIES) == set(get_args(Body)) and len(BODIES) == 7
    for body in EVERY:
        command = Command("c", body, "gpu")
        assert RECORDS.read(RECORDS.text(command)) == command
        assert command.queue == getattr(body, "queue", None)
        assert command.implementation == getattr(body, "implementation", None)
    text = RECORDS.text(Command("c", EVERY[0], "gpu")).replace('"Launch"', '"Allocate"')
    with pytest.raises(RecordError, match="Allocate is no record here"):
        RECORDS.read(text)


@pytest.mark.req("P74")
def test_a_command_holds_one_body_and_its_kind_is_not_stored() -> None:
    for plan in (split_product(), independent()):
        assert '"kind"' not in "".join(RECORDS.text(command) for command in plan.commands)
    assert [f.name for f in fields(Command) if "body" in f.name] == ["body"]
    assert not any(f.type == "Body | None" or "payload" in f.name for f in fields(Command))
    two = RECORDS.text(Command("c", EVERY[3], "gpu")).replace('{"Barrier"', '{"Wait":{"tokens":["e"]},"Barrier"')
    with pytest.raises(RecordError, match="one tag, not 2"):
        RECORDS.read(two)


@pytest.mark.req("P75")
@pytest.mark.parametrize("field", [f.name for f in fields(ImplementationRef)])
def test_what_runs_code_names_all_of_it(field: str) -> None:
    with pytest.raises(ValueError, match=field):
        replace(RUNS, **{field: ""})
    for kind in (Launch, CollectiveCommand, HostCall):
        assert next(f for f in fields(kind) if f.name == "implementation").type == "ImplementationRef"
        with pytest.raises(TypeError):
            kind()


@pytest.mark.req("P76")
@pytest.mark.parametrize("body", [Barrier, Signal, Wait])
def test_only_what_is_issued_has_a_queue(body: type) -> None:
    with pytest.raises(TypeError):
        body(("e0",), queue="q0")
    assert {kind for kind in BODIES if any(f.name == "queue" for f in fields(kind))} == {
        Launch, CollectiveCommand, Transfer, HostCall,
    }  # fmt: skip


@pytest.mark.req("P77")
@pytest.mark.parametrize(
    "clause", [Unsynchronised(), WaitFor(("a", "b")), SignalAfter(("c",)), WaitAndSignal(("a",), ("b", "c"))]
)
def test_synchronisation_is_one_of_four(clause: Clause) -> None:
    command = Command("c", EVERY[0], "gpu", clause)
    assert RECORDS.read(RECORDS.text(command)) == command
    assert command.waits == getattr(clause, "waits", ()) and command.signals == getattr(clause, "signals", ())
    assert type(clause) in CLAUSES and len(CLAUSES) == 4


@pytest.mark.req("P77")
@pytest.mark.parametrize("tokens", [(), ("a", "a"), ("",)])
def test_sets_of_tokens_are_not_empty_and_name_each_once(tokens: tuple[str, ...]) -> None:
    for made in (Signal, Wait, WaitFor, SignalAfter):
        with pytest.raises(ValueError, match="tokens are named"):
            made(tokens)
    with pytest.raises(ValueError, match="tokens are named"):
        WaitAndSignal(tokens, ("b",))
    with pytest.raises(ValueError, match="tokens are named"):
        WaitAndSignal(("b",), tokens)


@pytest.mark.req("P77")
@pytest.mark.parametrize("body", [Signal(("e0",)), Wait(("e0",))])
def test_a_signal_or_a_wait_takes_no_clause(body: Body) -> None:
    with pytest.raises(ValueError, match="no further clause"):
        Command("c", body, "gpu", WaitFor(("e1",)))


@pytest.mark.req("S1", "P63", "P65", "P66")
def test_a_program_is_read_back_as_it_was() -> None:
    for plan in (split_product(), independent()):
        assert RECORDS.read(RECORDS.text(plan)) == plan


@pytest.mark.req("S3", "P80")
def test_no_record_can_be_changed_and_none_has_a_field_for_time() -> None:
    plan = split_product()
    with pytest.raises(FrozenInstanceError):
        plan.commands[0].id = "c9"
    names = {f.name for kind in COORDINATION if hasattr(kind, "__dataclass_fields__") for f in fields(kind)}
    assert not [n for n in names if any(w in n for w in ("time", "duration", "latency", "predict", "cost", "evidence"))]
