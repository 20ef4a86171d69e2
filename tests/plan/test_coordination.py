"""The verifier of coordinations finds what is broken on purpose; the interpreter runs what it lets through."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import permutations

import pytest
from intent2cuda.base.diagnostics import InternalError
from intent2cuda.base.intexpr import IntExpr
from intent2cuda.base.report import Assurance
from intent2cuda.plan.commands import (
    Barrier,
    Command,
    Launch,
    Signal,
    SignalAfter,
    Transfer,
    Unsynchronised,
    Wait,
    WaitAndSignal,
    WaitFor,
)
from intent2cuda.plan.coordination import Coordination, Device
from intent2cuda.plan.coordination_verify import coordination_report
from intent2cuda.plan.interp import admissible_orders, run
from intent2cuda.plan.ordering import Ordering

from .programs import BYTES, code, independent, split_product
from .rows import shows

Change = Callable[[Coordination], Coordination]


def command(name: str, **changes: object) -> Change:
    """Changes some fields of one command."""

    def change(plan: Coordination) -> Coordination:
        return replace(plan, commands=tuple(replace(c, **changes) if c.id == name else c for c in plan.commands))

    return change


def buffer(name: str, **changes: object) -> Change:
    def change(plan: Coordination) -> Coordination:
        return replace(plan, buffers=tuple(replace(b, **changes) if b.id == name else b for b in plan.buffers))

    return change


def body(name: str, **changes: object) -> Change:
    def change(plan: Coordination) -> Coordination:
        found = next(c.body for c in plan.commands if c.id == name)
        return command(name, body=replace(found, **changes))(plan)

    return change


def both(*changes: Change) -> Change:
    def change(plan: Coordination) -> Coordination:
        for each in changes:
            plan = each(plan)
        return plan

    return change


def reordered(*names: str) -> Change:
    return lambda plan: replace(plan, commands=tuple(c for n in names for c in plan.commands if c.id == n))


SHARED = buffer("out", region="r.partial", reuse="partial")

BROKEN: list[tuple[str, str, Change]] = [
    ("a device", "concrete.reference.unknown", command("c0", device="gpu1")),
    ("a queue", "concrete.reference.unknown", body("c0", queue="q9")),
    ("a dependency", "concrete.reference.unknown", command("c1", dependencies=("c9",))),
    ("a region", "concrete.reference.unknown", buffer("a", region="r.z")),
    ("a participant", "concrete.reference.unknown", command("c3", body=Barrier(("gpu9",)), clause=WaitFor(("e2",)))),
    ("twins", "concrete.reference.duplicate", lambda p: replace(p, tokens=(*p.tokens, "e0"))),
    ("itself", "concrete.dag.self", command("c1", dependencies=("c1",))),
    ("backwards", "concrete.dag.not_topological", command("c0", dependencies=("c1",))),
    ("a circle", "concrete.dag.cycle", both(command("c0", dependencies=("c1",)), command("c1", dependencies=("c0",)))),
    ("no signal", "concrete.token.unproduced", command("c0", clause=Unsynchronised())),
    ("two signals", "concrete.token.multiple", command("c3", clause=SignalAfter(("e0",)))),
    ("no wait", "concrete.token.unconsumed", command("c3", clause=Unsynchronised())),
    ("too early", "concrete.token.wait_before_signal", command("c0", clause=WaitAndSignal(("e1",), ("e0",)))),
    ("issued late", "concrete.order.issue", both(body("c1", queue="q0"), reordered("c1", "c0", "c2", "c3"))),
    ("a kind of queue", "concrete.queue.kind", body("c2", queue="q0")),
    ("another's queue", "concrete.queue.device", command("c0", device="host")),
    ("no queue", "concrete.queue.missing", body("c0", queue=None)),
    ("no wait between queues", "concrete.sync.missing_happens_before", command("c1", clause=SignalAfter(("e1",)))),
    ("memory of the host", "concrete.placement.visibility", command("c1", reads=("out_host",))),
    ("no place", "concrete.alloc.unplanned", command("c1", reads=("scratch",))),
    ("another life", "concrete.buffer.lifetime", buffer("a", first="c9")),
    ("dead before born", "concrete.buffer.lifetime", buffer("partial", first="c2", last="c1")),
    ("beyond the end", "concrete.buffer.out_of_bounds", buffer("a", bytes=BYTES + 4)),
    ("odd offset", "concrete.buffer.alignment", buffer("a", offset=IntExpr.of(8))),
    ("no alignment", "concrete.buffer.alignment", buffer("a", alignment=0)),
    ("the same bytes", "concrete.buffer.overlap", SHARED),
    ("a time", "concrete.forbidden.timestamp", body("c0", implementation=code("artifact", "k_latency_12"))),
]


@pytest.mark.parametrize(("code_", "change"), [shows(c, f, name=n) for n, c, f in BROKEN])
def test_broken_programs_are_found(code_: str, change: Change) -> None:
    good = split_product()
    assert coordination_report(good).holds
    assert code_ in coordination_report(change(good)).codes


@pytest.mark.req("S7")
def test_the_report_is_about_structure() -> None:
    assert coordination_report(independent()).holds
    assert coordination_report(independent()).level is Assurance.STRUCTURAL


@pytest.mark.req("P85")
def test_a_wait_may_be_a_command_or_a_barrier_as_well() -> None:
    """What orders two queues is the same, however it is written."""
    plan = split_product()
    c0, c1, *rest = plan.commands
    bare = replace(c1, clause=SignalAfter(("e1",)))
    join = Command("j", Barrier(("q0", "q1")), "gpu")
    waits = (Command("w", Wait(("e0",)), "gpu"), replace(bare, dependencies=("w",)))
    signals = (replace(c0, clause=Unsynchronised()), Command("s", Signal(("e0",)), "gpu", dependencies=("c0",)))
    for commands in ((c0, *waits, *rest), (*signals, c1, *rest)):
        assert coordination_report(replace(plan, commands=tuple(commands))).holds
    barrier = replace(plan, tokens=("e1", "e2"), commands=(signals[0], join, bare, *rest))
    assert coordination_report(barrier).holds
    assert Ordering(barrier).ancestors("c1") == {"c0", "j"}


@pytest.mark.req("P88")
def test_bytes_are_used_again_after_a_life_that_surely_ended() -> None:
    """`a` and `out_host` of one memory: the call of the host waits for everything that reads `a`."""
    plan = split_product()
    again = both(buffer("a", last="c0"), buffer("out", region="r.a", reuse="a"))(plan)
    assert coordination_report(again).holds
    apart = both(buffer("out", reuse="out"))(again)
    assert coordination_report(apart).codes == ("concrete.buffer.overlap",)
    unordered = command("c1", clause=SignalAfter(("e1",)))(again)
    assert "concrete.buffer.overlap" in coordination_report(unordered).codes


def values(one: Command, memory: dict[str, int]) -> dict[str, int]:
    """Small integers in place of arrays."""
    read = [memory[name] for name in one.reads]
    match one.body:
        case Launch():
            result = {"double": 2, "next": 1}.get(one.body.implementation.name, 0)
            made = read[0] * 2 if result == 2 else read[0] + 1 if result == 1 else sum(read)
            return {**memory, **dict.fromkeys(one.writes, made)}
        case Transfer():
            return {**memory, one.body.target: memory[one.body.source]}
        case _:
            return memory


@pytest.mark.req("P79", "P124")
@pytest.mark.parametrize("plan", [split_product(), independent()], ids=["chain", "two queues"])
def test_every_admissible_order_gives_the_same(plan: Coordination) -> None:
    orders = list(admissible_orders(plan))
    ends = [run(order, {"a": 3, "b": 4}, values) for order in orders]
    assert all(end == ends[0] for end in ends)
    assert len(orders) == (1 if plan == split_product() else 6)


@pytest.mark.req("P79", "S6")
@pytest.mark.parametrize("plan", [split_product(), independent()], ids=["chain", "two queues"])
def test_the_orders_that_run_are_those_that_the_ordering_allows(plan: Coordination) -> None:
    """The interpreter and the verifier know what is ordered each in its own way."""
    ordering = Ordering(plan)
    allowed = {
        tuple(c.id for c in order)
        for order in permutations(plan.commands)
        if all(not ({*(c.id for c in order[place:])} & ordering.ancestors(c.id)) for place, c in enumerate(order))
    }
    assert {tuple(c.id for c in order) for order in admissible_orders(plan)} == allowed


@pytest.mark.req("P79")
@pytest.mark.parametrize(
    ("change", "why"),
    [
        (command("c0", clause=WaitFor(("e1",))), "c0: e1 is not signalled"),
        (command("c0", dependencies=("c1",)), "c0: it depends on c1"),
        (lambda p: replace(p, given=()), "c0: a holds nothing"),
        (both(body("c1", queue="q0"), reordered("c1", "c0", "c2", "c3")), "c0: c1 is before it in q0"),
    ],
)
def test_a_program_that_cannot_go_on_says_why(change: Change, why: str) -> None:
    with pytest.raises(InternalError, match=r"concrete\.deadlock") as stuck:
        list(admissible_orders(change(split_product())))
    assert why in str(stuck.value)


def test_a_barrier_holds_back_what_is_later_on_its_devices() -> None:
    plan = independent()
    barrier = Command("j", Barrier(("gpu",)), "gpu")
    joined = replace(plan, commands=(*plan.commands[:1], barrier, *plan.commands[1:]))
    orders = [[c.id for c in order] for order in admissible_orders(joined)]
    assert all(order[:2] == ["c0", "j"] for order in orders)


@pytest.mark.req("P94")
def test_a_device_without_queues_runs_commands_where_they_stand() -> None:
    plan = independent()
    commands = tuple(replace(c, body=replace(c.body, queue=None), clause=Unsynchronised()) for c in plan.commands)
    ordered = tuple(replace(c, dependencies=(before.id,)) for c, before in zip(commands[1:], commands, strict=False))
    gpu = (Device("gpu", "cpu", ("global",), False),)
    host = replace(plan, devices=gpu, queues=(), tokens=(), commands=(commands[0], *ordered))
    assert coordination_report(host).holds
    assert len(list(admissible_orders(host))) == 1
    unordered = replace(host, commands=commands)
    assert "concrete.sync.missing_happens_before" in coordination_report(unordered).codes
