"""The portable plan: the same for every target, exact in its counts, free of anything that names a target."""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from intent2cuda.base.diagnostics import IntentError
from intent2cuda.base.intexpr import IntExpr, Symbol, evaluate
from intent2cuda.parse import parse_kernel
from intent2cuda.plan import plan, portable, quantity, worksets
from intent2cuda.plan.forbidden import FORBIDDEN, kinds
from intent2cuda.plan.portable import BufferRole, DecisionKind, Origin, Status
from intent2cuda.plan.portable_text import quantity_text
from intent2cuda.plan.portable_verify import lineage_report, portable_report
from intent2cuda.plan.quantity import Exact, Unknown, UpperBound
from intent2cuda.plan.stage import Role
from intent2cuda.target.deployment import deployment, deployment_names, generic
from intent2cuda.target.profile import kind_of, profile, profile_names

from .portables import FUSED, RECOMPUTED, STATEMENTS, UNFAITHFUL, WRONG, Change, sound
from .portables import portable as portable_of
from .rows import ABSENT, shows
from .support import DOCUMENTED, KERNELS, TARGETS, kernel, planned

NAMES = re.findall(r"^def (\w+)", KERNELS.read_text(), re.MULTILINE)
EXAMPLES = (
    ("softmax", {}),
    ("matmul", {}),
    ("attention", {"CAUSAL": True}),
    ("ragged_mean", {}),
)


def documented(name: str, constexprs: Mapping[str, Any]) -> Any:
    return parse_kernel(DOCUMENTED, name, constexprs).kernel


@pytest.mark.req("P2")
@pytest.mark.parametrize("name", NAMES)
def test_portable_layers_do_not_depend_on_the_target(name: str) -> None:
    plans = [planned(name, target) for target in TARGETS]
    assert len({p.portable.digest for p in plans}) == 1
    assert len({p.worksets.digest for p in plans}) == 1
    assert len({p.planset.digest for p in plans}) == 1
    assert {p.concrete.origin.portable for p in plans} == {plans[0].portable.digest}


@pytest.mark.req("P2", "S7")
@pytest.mark.parametrize(("name", "constexprs"), EXAMPLES)
def test_portable_layers_of_the_examples_are_the_same_everywhere(name: str, constexprs: Mapping[str, Any]) -> None:
    """Every target, and every machine that runs it."""
    of = documented(name, constexprs)
    found: set[tuple[str, str, str]] = set()
    for target in profile_names():
        family = kind_of(profile(target))
        machines = [deployment(m) for m in deployment_names()]
        for machine in (generic(family), *(m for m in machines if m.target == family)):
            try:
                made = plan(of, target, machine)
            except IntentError:
                continue  # the machine is less than what the target needs
            found.add((made.worksets.digest, made.planset.digest, made.portable.digest))
    assert len(found) == 1


@pytest.mark.req("P1")
def test_no_portable_module_knows_a_target() -> None:
    """Followed through everything that they import, outside and inside functions."""
    root = Path(portable.__file__).resolve().parents[2]
    pending = ["intent2cuda.plan.assembling", "intent2cuda.plan.portable_verify", "intent2cuda.plan.portable_text"]
    seen: set[str] = set()
    while pending:
        name = pending.pop()
        path = root / Path(*name.split(".")).with_suffix(".py")
        if name in seen or not path.exists():
            continue
        seen.add(name)
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and node.module:
                pending += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    assert len(seen) > 20
    assert not [
        name for name in seen if name.startswith(("intent2cuda.target", "intent2cuda.machine", "intent2cuda.emit"))
    ]


@pytest.mark.req("P1", "P96")
def test_texts_are_those_of_one_layer() -> None:
    found, whole = sound()
    texts = {"portable": portable.sealed(found).text, "worksets": worksets.sealed(whole).text}
    loaders = {"portable": portable.loaded, "worksets": worksets.loaded}
    assert portable.loaded(texts["portable"]) == found and worksets.loaded(texts["worksets"]) == whole
    for layer, other in (("portable", "worksets"), ("worksets", "portable")):
        with pytest.raises(IntentError) as refused:
            loaders[layer](texts[other])
        assert [d.code for d in refused.value.diagnostics] == [f"{layer}.schema.name"]
    with pytest.raises(IntentError) as refused:
        portable.loaded(texts["portable"].replace('"version":"0.0.0"', '"version":"0.0.1"'))
    assert [d.code for d in refused.value.diagnostics] == ["portable.schema.version"]
    with pytest.raises(IntentError) as refused:
        portable.loaded(texts["portable"].replace("per_task", "shared"))
    assert [d.code for d in refused.value.diagnostics] == ["portable.schema.digest"]


@pytest.mark.req("P4", "P5", "P39", "P40", "P41", "P45")
@pytest.mark.parametrize("structure", [FUSED, RECOMPUTED, STATEMENTS])
@pytest.mark.parametrize("name", NAMES)
def test_portable_plans_are_well_formed(name: str, structure: str) -> None:
    found, whole = portable_of(kernel(name), structure)
    assert str(portable_report(found)) == "verified (structural)"
    assert str(lineage_report(whole, found)) == "verified (conservation)"
    assert found.status is (Status.SELECTED if structure == FUSED else Status.CANDIDATE)


@pytest.mark.parametrize(
    ("code", "change"), [shows(code, change) for code, changes in WRONG.items() for change in changes]
)
def test_plans_with_one_thing_wrong_are_found(code: str, change: Change) -> None:
    assert code in portable_report(change(sound()[0])).codes


@pytest.mark.parametrize(
    ("code", "change"), [shows(c, change) for c, changes in UNFAITHFUL.items() for change in changes]
)
def test_plans_of_something_else_are_found(code: str, change: Change) -> None:
    found, whole = sound()
    assert code in lineage_report(whole, change(found)).codes


@pytest.mark.req("P12", "P45")
def test_where_a_plan_comes_from() -> None:
    found, whole = sound()
    assert found.provenance.planner and found.strategy == STATEMENTS
    assert dict(found.provenance.parents) == {"kir": whole.parent, "worksets": whole.digest}
    assert {task.lineage.kind for task in found.tasks} == {Origin.DECOMPOSED, Origin.CLONED}
    (fused,) = portable_of(kernel("softmax_whole"))[0].tasks
    assert fused.lineage.kind is Origin.FUSED and len(fused.lineage.operations) == len(whole.groups[0].ops)


def test_names_of_locals_do_not_count(tmp_path: Path) -> None:
    text = KERNELS.read_text()
    renamed = text.replace("weight", "other").replace("peak", "top")
    assert renamed != text
    path = tmp_path / "renamed.py"
    path.write_text(renamed)
    again = plan(parse_kernel(path, "softmax_rows").kernel, "cpu")
    before = planned("softmax_rows")
    assert again.portable.digest == before.portable.digest
    assert again.concrete.digest == before.concrete.digest
    assert portable.RECORDS.text(again.portable) == portable.RECORDS.text(before.portable)


def numbers(found: portable.PortablePlan, **sizes: int) -> dict[tuple[str, str], int]:
    """What all tasks do, for a call."""
    values = {Symbol(name): size for name, size in sizes.items()}
    totals: dict[tuple[str, str], int] = {}
    for work in (work for task in found.tasks for work in task.facts.ops_by_class):
        assert isinstance(work.count, Exact)
        key = work.kind, work.dtype
        totals[key] = totals.get(key, 0) + evaluate(work.count.expression, values)
    return totals


@pytest.mark.req("P13")
def test_counts_of_softmax_are_exact() -> None:
    (task,) = portable_of(kernel("softmax_whole"))[0].tasks
    found = numbers(portable_of(kernel("softmax_whole"))[0], M=3, N=5)
    assert found == {("add", "f32"): 30, ("cmp", "f32"): 15, ("div", "f32"): 15, ("transc", "f32"): 15}
    size = IntExpr.symbol("M") * IntExpr.symbol("N") * 4
    assert task.facts.read_bytes == task.facts.write_bytes == Exact(size)
    assert task.facts.message_bytes == Exact(IntExpr.of(0))


@pytest.mark.req("P13")
def test_reuse_and_intensity_are_quotients_of_exact_numbers() -> None:
    product = portable_of(documented("matmul", {}))[0].facts
    sizes = dict.fromkeys(map(Symbol, "MNK"), 4096)
    over, under = (
        evaluate(side.expression, sizes)
        for side in (product.intensity.over, product.intensity.under)
        if isinstance(side, Exact)
    )
    assert over // under == 1365
    blur = portable_of(kernel("blur"))[0].facts
    assert blur.reuse.over != blur.reuse.under


@pytest.mark.req("P13")
def test_counts_that_depend_on_data_say_so() -> None:
    (task,) = portable_of(kernel("collatz"))[0].tasks
    unknown = [work.count.reason for work in task.facts.ops_by_class if isinstance(work.count, Unknown)]
    assert unknown and all("data" in why for why in unknown)


@pytest.mark.req("P5", "P15", "P30")
def test_softmax_by_statements_is_a_chain_of_tasks() -> None:
    found = sound()[0]
    edges = {(before, task.id) for task in found.tasks for before in task.dependencies}
    assert len(found.tasks) == 3
    first, second, third = (task.id for task in found.tasks)
    assert edges == {(first, second), (first, third), (second, third)}
    kept = [b for b in found.buffers if b.role is BufferRole.WORKSPACE]
    assert {b.storage for b in kept} == {"transient"}
    assert all(b.producer and b.consumers and b.lifetime[0] == b.producer for b in kept)


@pytest.mark.req("P14", "P15", "P16")
def test_storing_and_computing_again_are_decisions() -> None:
    stored, again = (portable_of(kernel("softmax_whole"), structure)[0] for structure in (FUSED, RECOMPUTED))
    kept = [d for d in stored.decisions if d.kind is DecisionKind.MATERIALIZE]
    assert [d.alternatives for d in kept] == [("recompute",)]
    sizes = {"M": 3, "N": 5}
    assert numbers(stored, **sizes)["transc", "f32"] == 15 and numbers(again, **sizes)["transc", "f32"] == 30
    twice = [d for d in again.decisions if d.kind is DecisionKind.RECOMPUTE]
    extra = {(w.kind, w.count.expression) for d in twice for w in d.extra if isinstance(w.count, Exact)}
    assert ("transc", IntExpr.symbol("M") * IntExpr.symbol("N")) in extra
    (fused,) = [d for d in stored.decisions if d.kind is DecisionKind.FUSE]
    assert fused.subject == stored.tasks[0].lineage.operations


@pytest.mark.req("P13", "P17", "P37")
def test_segments_are_a_decision_with_their_merges() -> None:
    found = portable_of(documented("attention", {"CAUSAL": False}))[0]
    (order,) = (d for d in found.decisions if d.kind is DecisionKind.ORDER)
    segments, blocks = (d for d in found.decisions if d.kind is DecisionKind.SEGMENT)
    assert order.reason == "segments in source order, merged with any parentheses"
    parameter, rows = found.parameters
    assert parameter.symbol in segments.subject and parameter.least == 1
    assert rows.symbol in blocks.subject and not blocks.extra  # blocks of rows have nothing to merge
    sizes = {"B": 1, "H": 1, "Q": 1, "K": 100, "E": 8, parameter.symbol: 32}
    values = {Symbol(name): size for name, size in sizes.items()}
    extra = {w.kind: evaluate(w.count.expression, values) for w in segments.extra if isinstance(w.count, Exact)}
    assert extra["transc"] == 2 * 4 and extra["mul"] == (2 + 2 * 8) * 4
    (task,) = found.tasks
    mentioned = [
        w for w in task.facts.ops_by_class if isinstance(w.count, Exact) and parameter.symbol in str(w.count.expression)
    ]
    assert not mentioned  # the work of the task does not depend on how it is cut


@pytest.mark.req("P8", "P18", "P32", "P35", "P36", "P38")
def test_workspaces_have_a_bound_that_says_what_it_bounds() -> None:
    found = portable_of(documented("attention", {"CAUSAL": False}))[0]
    sizes = {b.id: b.size for b in found.buffers if b.role is BufferRole.WORKSPACE and isinstance(b.size, UpperBound)}
    product = IntExpr.of(4)
    for name in "BHQK":
        product = product * IntExpr.symbol(name)
    scores = [size for size in sizes.values() if size.expression == product]
    assert scores and all("held at once" in size.meaning and size.operations for size in scores)
    assert all(
        str(size).startswith("at most ") and quantity_text(size, {}).startswith("at most ") for size in sizes.values()
    )
    assert [o.subject for o in found.obligations] == list(sizes)
    assert {b.id for b in found.buffers} > {"q", "k", "v", "out"}


@pytest.mark.req("P18", "P32", "P38")
@pytest.mark.parametrize("name", ["matmul", "softmax", "ragged_mean"])
def test_intermediates_of_fused_kernels_are_bounded_too(name: str) -> None:
    found = portable_of(documented(name, {}))[0]
    (workspace,) = [b for b in found.buffers if b.role is BufferRole.WORKSPACE]
    expected = {"matmul": "4*M*N", "softmax": "4*M*N", "ragged_mean": "4*D*G"}
    assert isinstance(workspace.size, UpperBound) and str(workspace.size.expression) == expected[name]
    decided = [d for d in found.decisions if d.kind is DecisionKind.RESOURCE]
    assert [d.subject[1:] for d in decided] == [("transient", "member")]


@pytest.mark.req("P9")
def test_a_product_may_be_realised_in_two_ways() -> None:
    (task,) = portable_of(documented("matmul", {}))[0].tasks
    ways = {capability.need: capability.alternatives for capability in task.capabilities}
    assert ways["contract bf16*bf16->f32"] == ("matrix product", "scalar multiply-add")


@pytest.mark.req("P7")
def test_resources_are_abstract() -> None:
    (task,) = portable_of(documented("attention", {"CAUSAL": False}))[0].tasks
    kinds = {(resource.kind, resource.scope) for resource in task.resources}
    assert kinds == {("arithmetic", "per_task"), ("memory_bandwidth", "per_task"), ("memory_capacity", "per_instance")}


@pytest.mark.req("P10")
def test_outputs_that_have_nothing_in_common_may_be_made_at_the_same_time(tmp_path: Path) -> None:
    source = tmp_path / "two.py"
    source.write_text(
        "import intent2cuda as intent\nimport intent2cuda.language as I\n\n\n@intent.kernel\n"
        'def two(x: I.In[I.f32, ("M",)], y: I.In[I.f32, ("N",)], a: I.Out[I.f32, ("M",)], b: I.Out[I.f32, ("N",)]):\n'
        "    a[:] = I.exp(x[:])\n    b[:] = I.sqrt(y[:])\n"
    )
    found, whole = portable_of(parse_kernel(source, "two").kernel)
    assert len(found.tasks) == len(whole.groups) == 2
    assert found.tasks[0].group == found.tasks[1].group != ""
    assert {task.group for task in sound()[0].tasks} == {""}


@pytest.mark.parametrize(
    ("name", "constexprs", "roles"),
    [
        ("softmax", {}, {"M": Role.FREE, "N": Role.REDUCTION}),
        ("matmul", {}, {"M": Role.FREE, "N": Role.FREE, "K": Role.REDUCTION}),
        ("attention", {"CAUSAL": True}, dict.fromkeys("BHQE", Role.FREE) | {"K": Role.SEGMENT, "D": Role.REDUCTION}),
    ],
)
def test_axes_have_a_part_in_their_group(name: str, constexprs: Mapping[str, Any], roles: Mapping[str, Role]) -> None:
    (group,) = portable_of(documented(name, constexprs))[1].groups
    assert {str(axis.extent): axis.role for axis in group.axes} == roles


def test_members_of_ragged_groups_are_reduced_and_groups_are_free() -> None:
    (group,) = portable_of(documented("ragged_mean", {}))[1].groups
    free = {str(axis.extent) for axis in group.axes if axis.role is Role.FREE}
    assert free == {"G", "D"} and [axis.role for axis in group.axes].count(Role.REDUCTION) == 1
    assert [axis.source != "" for axis in group.axes if str(axis.extent) == "G"] == [True]


@pytest.mark.req("P47")
def test_considered_plans_are_listed() -> None:
    found = planned("softmax_whole").planset
    assert len(found.candidates) >= 3
    assert "numerics.permission" in [r.code for r in found.rejected]


def hidden(word: str, depth: int, rng: random.Random) -> Any:
    """A word somewhere in nested mappings and tuples, as a key or as a value."""
    if depth == 0:
        return {word: 1} if rng.random() < 0.5 else {"note": word}
    inner = hidden(word, depth - 1, rng)
    return rng.choice([{"part": inner, "other": 2}, ("first", inner), [inner], {"more": {"inside": inner}}])


@pytest.mark.req("P29", "P46")
@pytest.mark.parametrize(
    ("kind", "word"),
    [
        pytest.param(kind, word, marks=pytest.mark.req(ABSENT[kind]))
        for kind, words in FORBIDDEN.items()
        for word in words
    ],
)
def test_words_of_targets_are_found_wherever_they_hide(kind: str, word: str) -> None:
    rng = random.Random(word)
    found = sound()[0]
    spelled = rng.choice([word, word.upper(), word.title(), f"uses {word}", f"x.{word}.y"])
    inside, deeper = (hidden(spelled, rng.randrange(4), rng) for _ in range(2))
    places: list[Change] = [
        lambda p: replace(p, parameters=(inside,)),
        lambda p: replace(p, tasks=(replace(p.tasks[0], parts=(deeper,)), *p.tasks[1:])),
        lambda p: replace(p, decisions=(replace(p.decisions[0], alternatives=("fine", spelled)), *p.decisions[1:])),
        lambda p: replace(p, decisions=(replace(p.decisions[0], reason=spelled), *p.decisions[1:])),
    ]
    for place in places:
        assert f"portable.forbidden.{kind}" in portable_report(place(found)).codes


@pytest.mark.req("P29", "P46")
def test_the_schema_has_no_field_for_what_is_of_a_target() -> None:
    modules = (portable, worksets, quantity)
    records = [kind for m in modules for kind in vars(m).values() if getattr(kind, "__module__", "") == m.__name__]
    names = {f.name for kind in records if is_dataclass(kind) for f in fields(kind)}
    assert len(names) > 60
    assert not [(name, kind) for name in names for kind in kinds(name)]
    assert list(kinds("shared_memory_offset")) == ["bank", "address"]


@pytest.mark.req("P29")
def test_authors_may_call_things_what_they_like(tmp_path: Path) -> None:
    source = tmp_path / "named.py"
    source.write_text(
        "import intent2cuda as intent\nimport intent2cuda.language as I\n\n\n@intent.kernel\n"
        'def cuda_stream(gpu: I.In[I.f32, ("L1", "N")], offset: I.Out[I.f32, ("L1", "N")]):\n'
        "    register = I.exp(gpu[:, :] - I.reduce.max(gpu[:, :], axis=1)[:, None])\n"
        "    offset[:, :] = register / I.reduce.sum(register, axis=1)[:, None]\n"
    )
    found, _ = portable_of(parse_kernel(source, "cuda_stream").kernel)
    assert portable_report(found).holds


@pytest.mark.req("P29", "P39", "P45")
def test_every_code_is_shown_by_a_plan_that_is_refused() -> None:
    folder = Path(portable.__file__).parent
    modules = ("portable_verify", "portable_memory", "portable_numbers", "forbidden")
    text = "".join((folder / f"{module}.py").read_text() for module in modules)
    written = set(re.findall(r'"(portable\.[a-z_.]+[a-z_])"', text))
    computed = {f"portable.facts.{kind}" for kind in ("inexact", "nonfinite")}
    assert written | computed == {*WRONG, *UNFAITHFUL, "portable.digest"}  # the last one: test_layers
