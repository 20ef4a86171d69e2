"""What the gate decides for each target, and what it says about it."""

from __future__ import annotations

import re

import pytest
from intent2cuda.base.diagnostics import Diagnostic, IntentError, InternalError
from intent2cuda.base.report import Assurance, Report, report
from intent2cuda.ir.builder import Builder
from intent2cuda.ir.ops import Combiner
from intent2cuda.plan import explain, plan, portable_text, verify, worksets_text
from intent2cuda.plan.catalogue import CPU_POINTS, STRAIGHT, TABLES, Situation
from intent2cuda.plan.choosing import Chooser, ImplementationPolicy
from intent2cuda.plan.concrete import ConcretePlan
from intent2cuda.plan.stage import Fold, Level, Points, Product, Space
from intent2cuda.plan.trees import every
from intent2cuda.plan.views import layers
from intent2cuda.types.dtype import F32, INDEX
from intent2cuda.types.value_type import Access

from .support import KERNELS, TARGETS, planned

NAMES = re.findall(r"^def (\w+)", KERNELS.read_text(), re.MULTILINE)


@pytest.mark.req("P52")
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", NAMES)
def test_every_stage_has_a_catalogued_implementation(name: str, target: str) -> None:
    made = planned(name, target)
    known = {entry.name for table in TABLES for entry in table}
    for stage in every(made.concrete.stages):
        if getattr(stage, "implementation", None) is not None:
            assert stage.implementation.name in known
    assert len(made.report.choices) >= len([s for s in made.concrete.stages if isinstance(s, Points | Product)])


def test_names_of_the_catalogue_are_unique_and_every_table_ends_with_one_that_serves() -> None:
    names = [entry.name for table in TABLES for entry in table]
    assert len(set(names)) == len(names)
    assert Chooser(ImplementationPolicy()).take("s", TABLES[0], Situation(team=True)).name == "cpu.points.serial"


def test_a_choice_says_what_was_tried_before() -> None:
    chosen = next(c for c in planned("softmax_rows").report.choices if c.entry.name == "cpu.points.team")
    assert ("cpu.pointwise.map", STRAIGHT.otherwise) in chosen.rejected
    assert [name for name, _ in chosen.rejected] == [e.name for e in CPU_POINTS[: CPU_POINTS.index(chosen.entry)]]


@pytest.mark.req("L59")
def test_dependent_loops_of_a_gpu_stay_in_one_block() -> None:
    made = planned("odd_even_sort", "sm_80")
    assert made.concrete.launch is not None
    assert [blocks.constant for blocks in made.concrete.launch.grid] == [1, 1, 1]
    assert "one block runs the kernel" in explain(made) and "through y" in explain(made)


@pytest.mark.req("L51")
def test_independent_rows_of_a_gpu_are_spread_over_blocks() -> None:
    (rows,) = [s for s in planned("softmax_rows", "sm_80").concrete.stages if isinstance(s, Points)]
    assert [bound.level for bound in rows.axes] == [Level.GRID]


def test_a_row_kept_by_a_cpu_is_computed_again_by_a_gpu() -> None:
    assert [b.name for b in planned("softmax_rows").concrete.buffers] == ["weight"]
    assert planned("softmax_rows", "sm_80").concrete.buffers == ()


@pytest.mark.parametrize("name", ["greatest_of_columns", "likeliest"])
def test_the_greatest_of_contiguous_columns_are_looked_for_side_by_side_on_a_cpu(name: str) -> None:
    """Also where the members and the columns are of one kind, as in a step from every state to every state."""
    (fold,) = [s for s in every(planned(name).concrete.stages) if isinstance(s, Fold)]
    assert fold.implementation.name == "cpu.reduce.arg_max_columns" and len(fold.into) == 2
    (fold,) = [s for s in every(planned(name, "sm_80").concrete.stages) if isinstance(s, Fold)]
    assert not fold.over


def test_small_arrays_of_known_size_lie_in_shared_memory() -> None:
    b = Builder("small")
    x, y = b.view("x", F32, ("M", 64), Access.INOUT), b.view("y", F32, ("M", 64), Access.OUT)
    with b.parallel(b.domain(0, b.dim("M"))) as (i,):
        value = b.load(x, i, None)
        places = b.indices(b.domain(0, 64))
        last = b.broadcast(b.constant(63), (None,), (64,))
        b.store(x, (i, b.pointwise("sub", last, places)), value)
        b.store(y, (i, None), value)
    (buffer,) = plan(b.finish(), "sm_80").concrete.buffers
    assert buffer.space is Space.SHARED


def test_a_workspace_of_unknown_size_is_refused_in_the_authors_words() -> None:
    b = Builder("unknown")
    count = b.view("count", F32, ("M",))
    y = b.view("y", F32, ("M", "N"), Access.INOUT)
    with b.parallel(b.domain(0, b.dim("M"))) as (i,):
        size = b.pointwise("add", b.cast(b.load(count, i), b.dim("M").tensor.dtype), b.dim("N"), name="size")
        places = b.indices(b.domain(0, size), name="places")
        total = b.reduce(Combiner.ADD, b.cast(places, F32), (0,))
        value = b.pointwise("exp", b.cast(places, F32), name="value")
        table = b.pointwise("div", value, b.broadcast(total, (None,), (b.expression(size),)), name="table")
        b.loop(b.domain(0, 3), (table,), lambda k, c: (b.gather(c[0], places),))
        b.store(y, (i, b.constant(0)), total)
    with pytest.raises(IntentError) as refused:
        plan(b.finish(), "sm_80")
    assert refused.value.code == "gate.capacity.unknown"


def test_a_workspace_for_a_part_of_a_domain_is_as_large_as_the_domain() -> None:
    b = Builder("part")
    end, y = b.view("end", INDEX, ("M",)), b.view("y", F32, ("N",), Access.INOUT)
    with b.parallel(b.domain(0, b.dim("M"))) as (i,):
        places = b.indices(b.subregion(b.domain(0, b.dim("N")), None, b.load(end, i)))
        value = b.cast(places, F32)
        (table,) = b.loop(b.domain(0, 3), (value,), lambda k, c: (b.pointwise("add", b.gather(c[0], places), c[0]),))
        b.scatter_reduce(y, (places,), table)
    buffers = plan(b.finish(), "sm_80").concrete.buffers
    assert buffers and all(str(buffer.extents[0]) == "N" for buffer in buffers)


@pytest.mark.parametrize("name", ["softmax_whole", "dense", "triangle"])
def test_reports_speak_of_every_layer(name: str) -> None:
    made = planned(name)
    assert worksets_text(made).startswith("workset ")
    assert portable_text(made).startswith("portable plan ")
    assert explain(made).startswith(f"{name} for x86-64-v3")
    assert set(layers(made)) == {"worksets", "planset", "portable", "stages", "buffers", "launch"}


def test_a_plan_that_verification_rejects_gives_way_to_another(monkeypatch: pytest.MonkeyPatch) -> None:
    """The report says which one was rejected, and for what; without any other the kernel is not planned."""
    kernel = planned("softmax_whole").kernel
    fault = report(Assurance.STRUCTURAL, [Diagnostic("concrete.test", "a fault")])

    def unfused(plan: ConcretePlan, made: verify.Made, *_: object) -> Report:
        return fault if made.draft.policy.fuse else Report(Assurance.STRUCTURAL)

    monkeypatch.setattr(verify, "report", unfused)
    made = plan(kernel, "cuda")
    kept = [(tried.name, tried.rejected) for tried in made.report.structures]
    assert kept[0] == ("fused, column by column", "[concrete.test] : a fault") and kept[-1][1] == ""
    assert made.report.notes[-3] == "not fused, column by column: [concrete.test] : a fault"
    assert made.concrete.stages != planned("softmax_whole", "cuda").concrete.stages
    monkeypatch.setattr(verify, "report", lambda *_: fault)
    with pytest.raises(InternalError, match=r"not statement by statement: \[concrete\.test\] : a fault"):
        plan(kernel, "cuda")
