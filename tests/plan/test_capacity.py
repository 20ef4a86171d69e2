"""No plan takes more than a thread, a block or a machine has."""

from __future__ import annotations

from dataclasses import replace

import pytest
from intent2cuda.base.intexpr import IntExpr, Symbol, evaluate
from intent2cuda.ir.builder import Builder
from intent2cuda.plan import plan
from intent2cuda.plan.capacity import capacity_findings, register_limit, registers
from intent2cuda.plan.schedules import CudaKernelSchedule
from intent2cuda.target.deployment import Deployment
from intent2cuda.target.evidence import EvidenceRecord, Method
from intent2cuda.target.profile import CudaProfile, profile
from intent2cuda.types.dtype import F32
from intent2cuda.types.value_type import Access

from .support import kernel, planned, verified
from .test_verify import THREE, Change, coordination, launch


@pytest.mark.req("P90")
def test_frames_of_threads_have_a_limit() -> None:
    b = Builder("small")
    x, y = b.view("x", F32, ("M", 64), Access.INOUT), b.view("y", F32, ("M", 64), Access.OUT)
    with b.parallel(b.domain(0, b.dim("M"))) as (i,):
        value = b.load(x, i, None)
        b.store(
            x, (i, b.pointwise("sub", b.broadcast(b.constant(63), (None,), (64,)), b.indices(b.domain(0, 64)))), value
        )
        b.store(y, (i, None), value)
    found = plan(b.finish(), "cpu")
    assert [r.space for r in found.concrete.coordination.regions].count("local") == 1
    assert verified(found, "cpu").holds
    big = coordination(
        lambda c: replace(
            c, regions=tuple(replace(r, bytes=IntExpr.of(1 << 20)) if r.space == "local" else r for r in c.regions)
        )
    )
    assert "concrete.capacity.stack" in verified(found, "cpu", **big(found.concrete)).codes


def machine(memory: int, cores: int = 4) -> Deployment:
    facts = {"memory.bytes": memory, "units": cores}
    records = (EvidenceRecord(name, value, "1", Method.STATED, "a test") for name, value in facts.items())
    return Deployment("small", "any", 1, tuple(records))


def both(one: Change, other: Change) -> Change:
    return lambda plan: one(plan) | other(plan)


def sized(**spaces: int) -> Change:
    """The regions of a space have so many bytes each."""
    return coordination(
        lambda c: replace(c, regions=tuple(replace(r, bytes=IntExpr.of(spaces.get(r.space, 0))) for r in c.regions))
    )


@pytest.mark.req("P90")
@pytest.mark.parametrize(
    ("code", "name", "target", "need", "change"),
    [
        ("concrete.capacity.scratch", "softmax_rows", "cpu", 4 * 1000, sized(scratch=1000)),  # of each of 4 threads
        ("concrete.capacity.memory", "softmax_rows", "cpu", 4 * 1000 + 2 * 8, sized(scratch=1000, **{"global": 8})),
        (
            "concrete.capacity.workspace",
            "sort_rows",
            "sm_80",
            3 * 1000,
            both(sized(workspace=1000), launch(grid=THREE)),
        ),
        ("concrete.capacity.memory", "saxpy", "sm_80", 2 * 8, sized(**{"global": 8})),
    ],
)
def test_a_machine_has_as_much_memory_as_a_plan_takes(
    code: str, name: str, target: str, need: int, change: Change
) -> None:
    found = planned(name, target)
    changed = replace(found.concrete, **change(found.concrete))
    assert code in [d.code for d in capacity_findings(changed, profile(target), machine(need - 1))]
    assert not list(capacity_findings(changed, profile(target), machine(need)))
    assert not list(capacity_findings(changed, profile(target), None))


@pytest.mark.req("P34", "P90")
def test_a_workspace_of_no_known_size_is_checked_at_the_call() -> None:
    on = machine(10**9)
    found = plan(kernel("sort_rows"), "sm_80", replace(on, target="cuda"))
    assert not list(capacity_findings(found.concrete, profile("sm_80"), on))
    bare = replace(found.concrete, checks=())
    assert [d.code for d in capacity_findings(bare, profile("sm_80"), on)] == ["concrete.capacity.unguarded"]


@pytest.mark.req("P90")
def test_the_sums_of_a_tile_fit_into_the_registers_of_a_thread() -> None:
    found, target = planned("dense", "sm_80"), profile("sm_80")
    assert isinstance(found.concrete.schedule, CudaKernelSchedule) and isinstance(target, CudaProfile)
    assert registers(found.concrete) == 16  # 64 x 64 sums of f32, 256 threads
    assert not list(capacity_findings(found.concrete, target, None))
    less = replace(target, registers_per_thread=15)
    assert [d.code for d in capacity_findings(found.concrete, less, None)] == ["concrete.capacity.registers"]
    crowded = launch(resident=32)(found.concrete)["schedule"]
    assert register_limit(crowded, target) == 8
    assert "concrete.capacity.registers" in verified(found, "sm_80", schedule=crowded).codes


@pytest.mark.req("P90")
@pytest.mark.parametrize(("members", "blocks"), [(1, 1), (100, 100), (10**9, 2048)])
def test_blocks_that_have_memory_of_their_own_are_few(members: int, blocks: int) -> None:
    """No more than devices run at once: the workspace does not grow with the members of the loop."""
    shape = planned("sort_rows", "sm_80").concrete.launch
    assert shape is not None and evaluate(shape.blocks, {Symbol("M"): members, Symbol("N"): 64}) == blocks
    others = planned("saxpy", "sm_80").concrete.launch
    assert others is not None and others.most == 0
