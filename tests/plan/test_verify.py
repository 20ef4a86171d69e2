"""The verifier of concrete plans finds what is broken on purpose, in every part of a plan."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from intent2cuda.base.intexpr import IntExpr
from intent2cuda.base.report import Assurance
from intent2cuda.parse import parse_kernel
from intent2cuda.plan import plan
from intent2cuda.plan.commands import Command, Unsynchronised
from intent2cuda.plan.concrete import ConcretePlan
from intent2cuda.plan.concrete_sealing import loaded, snapshot
from intent2cuda.plan.coordination import Coordination, Queue, QueueKind
from intent2cuda.plan.schedules import (
    AsyncCopy,
    CpuKernelSchedule,
    CudaKernelSchedule,
    PhaseBarrier,
    SyncRecord,
    TensorMap,
    VirtualSlotSchedule,
    WarpRole,
)
from intent2cuda.plan.stage import (
    BoundAxis,
    Effect,
    Fold,
    Implementation,
    Keep,
    Level,
    Loop,
    Points,
    Stage,
    Sync,
    TimeTiles,
)
from intent2cuda.plan.stage_identity import StageIds, every_part
from intent2cuda.target.evidence import PlanningEvidence

from .rows import shows
from .support import DOCUMENTED, KERNELS, made, planned, verified

Stages = Sequence[Stage]
Change = Callable[[ConcretePlan], dict[str, Any]]


def stages(change: Callable[[Stages], Stages]) -> Change:
    return lambda plan: {"stages": tuple(change(plan.stages))}


def in_nest(change: Callable[[Stages], Stages]) -> Change:
    """Changes the body of the outermost loops."""
    return stages(lambda all_: [replace(s, body=tuple(change(s.body))) if isinstance(s, Points) else s for s in all_])


def without(kind: type) -> Callable[[Stages], Stages]:
    return lambda found: [stage for stage in found if not isinstance(stage, kind)]


def at_level(level: Level) -> Callable[[Stages], Stages]:
    def apply(found: Stages) -> Stages:
        return [
            replace(s, axes=tuple(BoundAxis(b.axis, level, "") for b in s.axes)) if isinstance(s, Points) else s
            for s in found
        ]

    return apply


def by(name: str) -> Change:
    return stages(lambda found: [replace(s, implementation=Implementation(name)) for s in found])


def origin(**changes: Any) -> Change:
    return lambda plan: {"origin": replace(plan.origin, **changes)}


def schedule(**changes: Any) -> Change:
    return lambda plan: {"schedule": replace(plan.schedule, **changes)}


def launch(**changes: Any) -> Change:
    return lambda plan: {"schedule": replace(plan.schedule, launch=replace(plan.schedule.launch, **changes))}


def coordination(change: Callable[[Coordination], Coordination]) -> Change:
    return lambda plan: {"coordination": change(plan.coordination)}


def command(**changes: Any) -> Change:
    return coordination(lambda c: replace(c, commands=tuple(replace(one, **changes) for one in c.commands)))


def places(*names: str, **changes: Any) -> Change:
    """Changes the places of the buffers that replace these, or of all of them."""

    def change(found: Coordination) -> Coordination:
        hit = [b.id for b in found.buffers if not names or b.id in names or b.replaces in names]
        return replace(found, buffers=tuple(replace(b, **changes) if b.id in hit else b for b in found.buffers))

    return coordination(change)


def no_keeps(body: Stages) -> Stages:
    return [replace(s, keeps=()) if isinstance(s, Fold) else s for s in body]


def no_start(body: Stages) -> Stages:
    rest = [s for s in body if not (isinstance(s, Points) and isinstance(s.body[0], Keep))]
    return [replace(s, start=()) if hasattr(s, "start") else s for s in rest]


def unwrapped(found: Stages) -> Stages:
    return [s for nest in found if isinstance(nest, Points) for s in nest.body]


def _reversed_stores(stage: Stage) -> Stage:
    if isinstance(stage, Points):
        effects = [s for s in stage.body if isinstance(s, Effect)]
        return replace(stage, body=(*(s for s in stage.body if not isinstance(s, Effect)), *reversed(effects)))
    body = getattr(stage, "body", None)
    return replace(stage, body=tuple(map(_reversed_stores, body))) if body else stage


def used_again(per: str) -> Change:
    """The last buffer takes the memory of the first one, of which there is one for each thread, block or call."""

    def change(found: Coordination) -> Coordination:
        regions = tuple(replace(r, bytes=r.bytes + BIG, per=per) if r.id == "scratch b1" else r for r in found.regions)
        moved = {"region": "scratch b1", "reuse": "b1"}
        return replace(
            found, regions=regions, buffers=tuple(replace(b, **moved) if b.id == "b3" else b for b in found.buffers)
        )

    return coordination(change)


QUEUES = (Queue("stream", "host", QueueKind.COMPUTE),)
SLOTS = VirtualSlotSchedule((), (), "", "")
ODD = SyncRecord("s0", "block", "all threads of the block", "nothing")
BIG = IntExpr.symbol("N") * 4 + IntExpr.symbol("H") * 4
THREE = (IntExpr.of(3), IntExpr.of(1), IntExpr.of(1))
GRID = (IntExpr.of(1), IntExpr.of(70000), IntExpr.of(1))


def in_one_sweep(body: Stages) -> Stages:
    """The second sweep in the first one."""
    one, other = (stage for stage in body if isinstance(stage, Fold))
    joint = replace(one, beside=(other.op,))
    return [joint if stage is one else stage for stage in body if stage is not other]


def ahead(found: Stages) -> Stages:
    """Every loop looks ahead, whatever its rounds do."""
    search = Implementation("cpu.loop.search")
    return [replace(stage, implementation=search) if isinstance(stage, Loop) else stage for stage in found]


def together(found: Stages) -> Stages:
    """Rounds of every loop run together, whatever they do."""
    tiles, code = TimeTiles((1,), IntExpr.of(8)), Implementation("cpu.loop.time_tiles")
    return [replace(s, implementation=code, tiles=tiles) if isinstance(s, Loop) else s for s in found]


def nearer(found: Stages) -> Stages:
    """A sweep follows the one before it a row too early."""
    return [replace(s, tiles=replace(s.tiles, reach=(0,))) if getattr(s, "tiles", None) else s for s in found]


def one_by_one(found: Stages) -> Stages:
    return [replace(s, body=tuple(at_level(Level.TEAM)(s.body))) if isinstance(s, Loop) else s for s in found]


BROKEN: list[tuple[str, str, str, str, Change]] = [
    # what is wrong, code, kernel, target, change
    ("a store is missing", "concrete.implementation.missing", "saxpy", "cpu", in_nest(lambda body: ())),
    ("a store runs twice", "concrete.implementation.extra", "saxpy", "cpu", in_nest(lambda body: (*body, *body))),
    ("a store too early", "concrete.order.effects", "odd_even_sort", "cpu",
     stages(lambda found: [_reversed_stores(s) for s in found])),
    ("nothing defines it", "concrete.stage.undefined", "softmax_rows", "cpu", in_nest(lambda body: body[1:])),
    ("one sweep for what follows from it", "concrete.stage.undefined", "softmax_rows", "cpu", in_nest(in_one_sweep)),
    ("one sweep over other members", "concrete.stage.members", "two_sums", "cpu", in_nest(in_one_sweep)),
    ("read before written", "concrete.buffer.unwritten", "softmax_rows", "cpu", in_nest(no_keeps)),
    ("an empty carry", "concrete.buffer.unwritten", "sort_rows", "cpu", in_nest(no_start)),
    ("no loop", "concrete.stage.unbound_axis", "saxpy", "cpu", stages(unwrapped)),
    ("no point", "concrete.implementation.points", "softmax_rows", "cpu", stages(unwrapped)),
    ("a barrier is missing", "concrete.sync.missing_happens_before", "passes", "sm_80", in_nest(without(Sync))),
    ("a barrier is missing", "concrete.sync.missing_happens_before", "reverse_row", "sm_80", in_nest(without(Sync))),
    ("a barrier is missing", "concrete.sync.missing_happens_before", "two_layers", "sm_80", in_nest(without(Sync))),
    ("not for all", "concrete.sync.divergent", "saxpy", "sm_80", in_nest(lambda body: (Sync("no reason"), *body))),
    ("teams in a team", "concrete.placement.level", "softmax_rows", "cpu", in_nest(at_level(Level.TEAM))),
    ("a level of another target", "concrete.placement.level", "saxpy", "cpu",
     lambda plan: schedule(maps=tuple(replace(m, chain=("grid.x",)) for m in plan.schedule.maps))(plan)),
    # implementations
    ("no such code", "concrete.implementation.missing", "saxpy", "cpu", by("cpu.pointwise.magic")),
    ("rounds that run together", "concrete.implementation.wrong_operation", "triangle", "cpu", stages(together)),
    ("rounds with too little between them", "concrete.implementation.wrong_operation", "sweeps", "cpu", stages(nearer)),
    ("rounds of other code", "concrete.implementation.wrong_operation", "sweeps", "cpu", stages(ahead)),
    ("tiles of no rows", "concrete.placement.level", "saxpy", "cpu", stages(at_level(Level.TILES))),
    ("rows in no tiles", "concrete.placement.level", "sweeps", "cpu", stages(one_by_one)),
    ("a loop that looks ahead", "concrete.implementation.wrong_operation", "triangle", "cpu", stages(ahead)),
    ("code of another target", "concrete.implementation.missing", "saxpy", "cpu", by("cuda.points.lanes")),
    ("code for something else", "concrete.implementation.wrong_operation", "saxpy", "cpu", by("cpu.reduce.lanes")),
    ("not what was chosen", "concrete.implementation.wrong_operation", "saxpy", "cpu", by("cpu.points.serial")),
    ("no command for a task", "concrete.implementation.missing", "saxpy", "cpu", command(tasks=())),
    # where it comes from
    ("no planner", "concrete.identity", "saxpy", "cpu", origin(planner="")),
    ("no structure", "concrete.identity", "saxpy", "cpu", origin(structure="")),
    ("no evidence", "concrete.planning_evidence.missing", "saxpy", "cpu", origin(evidence=PlanningEvidence(""))),
    ("another parent", "concrete.fingerprint.mismatch", "saxpy", "cpu", origin(portable="ab" * 32)),
    ("another architecture", "concrete.fingerprint.mismatch", "saxpy", "cpu", origin(target="ab" * 32)),
    ("another interface", "concrete.fingerprint.mismatch", "saxpy", "cpu", origin(abi="ab" * 32)),
    ("other work", "gate.facts.changed", "saxpy", "cpu", lambda plan: {"facts": ((plan.facts[0][0], "0"),)}),
    ("work of nothing", "gate.facts.changed", "saxpy", "cpu", lambda plan: {"facts": ()}),
    ("an unknown task", "concrete.lineage.dangling", "saxpy", "cpu", command(tasks=("t1",))),
    ("a stage for nothing", "concrete.lineage.uncovered", "saxpy", "cpu", lambda plan: {"realises": ()}),
    ("a stage that is not", "concrete.lineage.dangling", "saxpy", "cpu",
     lambda plan: {"realises": (*plan.realises, ("s1", plan.realises[0][1]))}),
    ("accesses are lost", "concrete.lineage.accesses", "saxpy", "cpu", command(reads=())),
    ("a resource is lost", "gate.resource.unmapped", "saxpy", "cpu", lambda plan: {"resources": ()}),
    ("a resource twice", "gate.resource.unmapped", "saxpy", "cpu", lambda plan: {"resources": plan.resources * 2}),
    # memory
    ("no place", "gate.placement.unresolved", "softmax_rows", "cpu",
     coordination(lambda c: replace(c, buffers=c.buffers[:2]))),
    ("another space", "gate.placement.unresolved", "softmax_rows", "cpu",
     coordination(lambda c: replace(c, regions=tuple(replace(r, space="local") for r in c.regions)))),
    ("a view without place", "gate.placement.unresolved", "saxpy", "cpu",
     coordination(lambda c: replace(c, buffers=c.buffers[1:]))),
    ("a bound is left", "concrete.workspace.unreplaced", "softmax_rows", "cpu", places(replaces="")),
    ("a bound is forgotten", "concrete.workspace.unreplaced", "softmax_rows", "sm_80", lambda plan: {"unneeded": ()}),
    ("beyond the end", "concrete.buffer.out_of_bounds", "softmax_rows", "cpu",
     coordination(lambda c: replace(c, regions=tuple(replace(r, bytes=r.bytes - 4) for r in c.regions)))),
    ("odd offset", "concrete.buffer.alignment", "softmax_rows", "cpu", places(offset=IntExpr.of(3))),
    ("no life", "concrete.buffer.lifetime", "softmax_rows", "cpu", places(first="never")),
    ("the same bytes", "concrete.buffer.overlap", "sort_rows", "sm_80", places("b1", "b2", offset=IntExpr.of(0))),
    ("used again too early", "concrete.buffer.overlap", "two_layers", "cpu", used_again("block")),
    ("an unknown region", "concrete.reference.unknown", "softmax_rows", "cpu", places(region="moon")),
    ("memory that nobody placed", "concrete.alloc.unplanned", "saxpy", "cpu", command(reads=("x", "y", "heap"))),
    ("memory of the host", "concrete.placement.visibility", "saxpy", "sm_80",
     coordination(lambda c: replace(c, regions=tuple(replace(r, space="host") for r in c.regions)))),
    # the schedule
    ("of another target", "concrete.extension.unknown", "saxpy", "cpu", lambda plan: {"schedule": SLOTS}),
    ("a command is left out", "concrete.extension.coverage", "saxpy", "cpu", schedule(covers=())),
    ("an axis is left out", "concrete.extension.coverage", "saxpy", "cpu", schedule(maps=())),
    ("a wait is left out", "concrete.extension.coverage", "saxpy", "cpu", schedule(joins=())),
    ("a barrier is left out", "concrete.extension.coverage", "passes", "sm_80", schedule(barriers=())),
    ("a barrier too many", "concrete.extension.rule", "passes", "sm_80", schedule(barriers=(ODD,))),
    ("a queue for calls", "concrete.extension.queue_free_has_queue", "saxpy", "cpu",
     coordination(lambda c: replace(c, queues=QUEUES))),
    ("no such share", "concrete.extension.rule", "saxpy", "cpu", schedule(share="random")),
    ("too many threads", "concrete.capacity.threads", "saxpy", "sm_80", launch(threads=2048)),
    ("half a warp", "concrete.extension.rule", "saxpy", "sm_80", launch(threads=48)),
    ("too many blocks", "concrete.capacity.grid", "saxpy", "sm_80", launch(grid=GRID)),
    ("too much shared memory", "concrete.capacity.shared", "saxpy", "sm_80", schedule(shared_bytes=50000)),
    ("too many roles", "concrete.capacity.roles", "saxpy", "sm_80", schedule(roles=(WarpRole("copy", 0, 9),))),
    ("no copies yet", "concrete.extension.rule", "saxpy", "sm_75",
     schedule(copies=(AsyncCopy("s1", "x", "tile", 16, 0),))),
    ("no barriers in memory yet", "concrete.extension.rule", "saxpy", "sm_75",
     schedule(phases=(PhaseBarrier("f", 1, 2),))),
    ("no maps of tensors yet", "concrete.extension.rule", "saxpy", "sm_80",
     schedule(tensor_maps=(TensorMap("x", (64,), 128),))),
    ("no clusters yet", "concrete.extension.rule", "saxpy", "sm_80", schedule(cluster=(2, 1, 1))),
]  # fmt: skip


@pytest.mark.parametrize(("code", "name", "target", "change"), [shows(*row[1:], name=row[0]) for row in BROKEN])
def test_broken_plans_are_found(code: str, name: str, target: str, change: Change) -> None:
    found = planned(name, target)
    assert verified(found, target).holds
    changes = change(found.concrete)
    assert any(getattr(found.concrete, field) != value for field, value in changes.items())
    assert code in verified(found, target, **changes).codes


@pytest.mark.req("P53")
def test_every_symbol_that_the_portable_plan_leaves_open_is_bound_in_its_range() -> None:
    found = plan(parse_kernel(DOCUMENTED, "attention", {"CAUSAL": False}).kernel, "cpu")
    segment, rows = found.concrete.parameters
    assert verified(found, "cpu").holds
    for wrong in ((), (segment,), (segment, replace(rows, value=0))):
        assert "concrete.parameter.unbound" in verified(found, "cpu", parameters=wrong).codes


@pytest.mark.req("S7")
def test_the_level_of_the_report_is_conservation() -> None:
    assert verified(planned("saxpy"), "cpu").level is Assurance.CONSERVATION


@pytest.mark.req("P91")
def test_a_plan_for_one_architecture_is_none_for_another() -> None:
    codes = verified(planned("saxpy", "sm_80"), "sm_90a").codes
    assert codes and set(codes) == {"concrete.fingerprint.mismatch"}


@pytest.mark.req("P68")
@pytest.mark.parametrize("target", ["cpu", "sm_80"])
def test_places_lives_and_reuse_of_attention_are_recorded(target: str) -> None:
    """Region, offset, size, alignment, first and last stage, and group of every buffer; nothing lies on another."""
    found = plan(parse_kernel(DOCUMENTED, "attention", {"CAUSAL": False}).kernel, target)
    made, identities = found.concrete, found.bound.identities
    ids = StageIds(made.stages, identities)
    steps = {ids.of(stage) for stage in every_part(made.stages)} | {c.id for c in made.coordination.commands}
    not_own = ("tiles", "q", "k", "v", "out")
    own = [b for b in made.coordination.buffers if b.id not in not_own]
    regions = {region.id: region for region in made.coordination.regions}
    assert len(own) > 5 and len(made.buffers) == len(own)
    ends: dict[str, IntExpr] = {}
    for buffer in own:
        assert {buffer.first, buffer.last} <= steps and buffer.reuse and buffer.replaces and buffer.alignment >= 4
        assert buffer.offset == ends.get(buffer.region, IntExpr.of(0))
        ends[buffer.region] = buffer.offset + buffer.bytes
    assert ends == {name: regions[name].bytes for name in ends}
    assert loaded(snapshot(made, identities).text, made.kernel, identities).coordination == made.coordination
    lives = {(buffer.first, buffer.last) for buffer in own}
    assert len(lives) > 1  # not all of them as long as the launch


@pytest.mark.req("P88")
def test_bytes_of_one_thread_are_used_again_without_a_barrier() -> None:
    found = planned("two_layers")
    assert verified(found, "cpu", **used_again("thread")(found.concrete)).holds


@pytest.mark.req("S6")
def test_the_verifier_does_not_ask_the_builder() -> None:
    """A plan whose schedule and stages were changed together, as a careless builder would, is found all the same."""
    found = planned("passes", "sm_80")
    bare = [replace(s, body=tuple(b for b in s.body if not isinstance(b, Sync))) for s in found.concrete.stages]
    changes = {"stages": tuple(bare), "schedule": replace(found.concrete.schedule, barriers=())}
    assert "concrete.sync.missing_happens_before" in verified(found, "sm_80", **changes).codes


@pytest.mark.req("P63", "P71", "P94")
def test_plans_of_targets_share_their_coordination_and_differ_in_their_schedule() -> None:
    cpu, cuda = planned("saxpy").concrete, planned("saxpy", "sm_80").concrete
    assert type(cpu.coordination) is type(cuda.coordination)
    assert isinstance(cpu.schedule, CpuKernelSchedule) and isinstance(cuda.schedule, CudaKernelSchedule)
    (one,), (other,) = cpu.coordination.commands, cuda.coordination.commands
    assert isinstance(one, Command) and (one.queue, other.queue) == (None, "stream")
    assert one.id == other.id and one.clause == other.clause == Unsynchronised()


@pytest.mark.parametrize("target", ["cpu", "sm_80"])
@pytest.mark.parametrize("name", re.findall(r"^def (\w+)", KERNELS.read_text(), re.MULTILINE))
def test_plans_of_the_tests_hold(name: str, target: str) -> None:
    found = planned(name, target)
    assert verified(found, target).holds
    assert made(found).draft.kernel is found.concrete.kernel
