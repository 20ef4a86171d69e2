"""Five layers, each with a text of its own; a step from one to the next publishes nothing unless all of it holds."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from intent2cuda import pipeline
from intent2cuda.base.diagnostics import Diagnostic, IntentError, InternalError
from intent2cuda.base.envelope import Envelope
from intent2cuda.base.files import LINEAGE, MANIFEST, PLANS
from intent2cuda.base.report import Assurance, Report
from intent2cuda.cli.main import main
from intent2cuda.ir import kernel_text
from intent2cuda.ir.digest import kernel_digest
from intent2cuda.ir.kernel import Kernel
from intent2cuda.machine import program_text
from intent2cuda.pipeline import back
from intent2cuda.pipeline.front import Front
from intent2cuda.plan import Planned, concrete_sealing, gate, portable, worksets
from intent2cuda.plan.gate import Candidate
from intent2cuda.plan.structures import Structures

from .support import KERNELS, planned
from .test_binding import given

NAME = "softmax_rows"
LAYERS = {"ir": "kir", "worksets": "worksets", "portable": "portable", "concrete": "concrete", "machine": "machine"}
"""For each stage of `show` what its codes begin with."""

DIGESTS = {
    "ir": "kir.schema.digest",
    "worksets": "worksets.schema.digest",
    "portable": "portable.schema.digest",
    "concrete": "concrete.schema.digest",
    "machine": "machine.schema.digest",
}


@dataclass(frozen=True)
class Made:
    front: Front
    planned: Planned
    texts: dict[str, Envelope]

    def load(self, layer: str, text: str) -> Any:
        concrete, identities = self.planned.concrete, self.planned.bound.identities
        loaders: dict[str, Callable[[str], Any]] = {
            "ir": kernel_text.loaded,
            "worksets": worksets.loaded,
            "portable": portable.loaded,
            "concrete": lambda found: concrete_sealing.loaded(found, concrete.kernel, identities),
            "machine": program_text.loaded,
        }
        return loaders[layer](text)


@cache
def made(target: Any) -> Made:
    front = pipeline.front(KERNELS, NAME)
    return Made(front, pipeline.plan_kernel(front, target), pipeline.snapshots(front, target))


def codes(refused: pytest.ExceptionInfo[IntentError]) -> list[str]:
    return [diagnostic.code for diagnostic in refused.value.diagnostics]


@pytest.mark.req("P1", "S1")
@pytest.mark.parametrize("target", ["cpu", "cuda"])
@pytest.mark.parametrize("loader", LAYERS)
@pytest.mark.parametrize("layer", LAYERS)
def test_each_layer_is_read_by_its_own_loader_alone(layer: str, loader: str, target: str) -> None:
    found = made(target)
    text = found.texts[layer].text
    if layer == loader:
        assert found.load(loader, text) is not None
        return
    with pytest.raises(IntentError) as refused:
        found.load(loader, text)
    assert codes(refused) == [f"{LAYERS[loader]}.schema.name"]


@pytest.mark.req("P1", "S1", "S2", "P114")
@pytest.mark.parametrize("target", ["cpu", "cuda"])
def test_what_is_read_is_what_was_written(target: str) -> None:
    found = made(target)
    plan, program = found.planned.concrete, back.program_of(found.front, found.planned).unit
    read = {layer: found.load(layer, envelope.text) for layer, envelope in found.texts.items()}
    assert isinstance(read["ir"], Kernel) and kernel_digest(read["ir"]) == kernel_digest(found.front.kernel)
    assert read["worksets"] == found.planned.worksets and read["portable"] == found.planned.portable
    assert read["concrete"] == plan and read["machine"] == program
    assert len({envelope.schema for envelope in found.texts.values()}) == len(LAYERS)
    assert len({type(each) for each in read.values()}) == len(LAYERS)
    again = pipeline.snapshots(pipeline.front(KERNELS, NAME), "cpu" if target == "cpu" else "cuda")
    assert {layer: e.text for layer, e in again.items()} == {layer: e.text for layer, e in found.texts.items()}


@pytest.mark.req("S2", "P114")
@pytest.mark.parametrize("layer", LAYERS)
def test_a_text_that_was_changed_is_refused_even_when_it_is_sealed_again(layer: str) -> None:
    found = made("cpu")
    envelope = found.texts[layer]
    with pytest.raises(IntentError) as refused:
        found.load(layer, envelope.text.replace('"version":"0.0.0"', '"version":"0.0.1"'))
    assert codes(refused) == [f"{LAYERS[layer]}.schema.version"]
    with pytest.raises(IntentError) as refused:
        found.load(layer, envelope.text.replace(NAME, "other"))
    assert codes(refused) == [DIGESTS[layer]]
    if layer in ("ir", "concrete", "machine"):
        with pytest.raises(IntentError) as refused:
            found.load(layer, replace(envelope, content_digest="ab" * 32).text)
        assert codes(refused) == [DIGESTS[layer]]


WRONG = Report(Assurance.STRUCTURAL, (Diagnostic("test.wrong", "it is odd", subject="test"),))


def wrong(*_: object, **__: object) -> Report:
    return WRONG


def fault(*_: object, **__: object) -> Any:
    raise InternalError("test.wrong")


VERIFIERS: list[tuple[str, str, str, Any]] = [
    ("Kernel IR", "intent2cuda.rewrite.passes", "verify", fault),
    ("worksets", "intent2cuda.plan.assembling", "worksets_report", wrong),
    ("portable plan", "intent2cuda.plan.assembling", "sealed_report", wrong),
    ("portable plan and worksets", "intent2cuda.plan.assembling", "lineage_report", wrong),
    ("what the gate gets", "intent2cuda.plan.gate", "sealed_report", wrong),
    ("concrete plan", "intent2cuda.plan.verify", "report", wrong),
    ("what lowering gets", "intent2cuda.plan", "sealed_report", wrong),
    ("machine program", "intent2cuda.machine.verify", "verify", wrong),
    ("machine program and plan", "intent2cuda.pipeline.back", "_one_plan", wrong),
    ("an observer", "intent2cuda.pipeline.lineage", "text", fault),
]


@pytest.mark.req("S4")
@pytest.mark.parametrize("target", ["cpu", "cuda"])
@pytest.mark.parametrize(
    ("where", "name", "verifier"), [pytest.param(*row[1:], id=row[0].replace(" ", "_")) for row in VERIFIERS]
)
def test_nothing_is_published_when_a_verifier_says_no(
    where: str, name: str, verifier: Any, target: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    """No file of the project, not even a folder; and what was there before stays as it was."""
    out, before = tmp_path / "out", tmp_path / "before"
    arguments = ["emit", f"{KERNELS}:{NAME}", "--target", target, "-o"]
    assert main([*arguments, str(before)]) == 0
    kept = {path: path.read_bytes() for path in before.rglob("*") if path.is_file()}
    monkeypatch.setattr(import_module(where), name, verifier)
    capsys.readouterr()
    for folder in (out, before):
        assert main([*arguments, str(folder)]) != 0
        assert "test.wrong" in capsys.readouterr().err
    assert not out.exists()
    assert {path: path.read_bytes() for path in before.rglob("*") if path.is_file()} == kept


@pytest.mark.req("S4", "S6")
def test_a_step_takes_nothing_that_was_changed_on_the_way() -> None:
    """Plans that were edited after they were verified are found by their digests, whatever the edit."""
    found = made("cpu")
    plan = found.planned.portable
    edited = replace(plan, tasks=tuple(replace(task, group="any") for task in plan.tasks))
    with pytest.raises(InternalError, match=r"portable\.digest"):
        gate.bind(Candidate(edited, Structures(found.front.kernel)), *gate_inputs())
    for concrete, code in (
        (replace(found.planned.concrete, selection=()), r"concrete\.digest"),
        (replace(found.planned.concrete, origin=replace(found.planned.concrete.origin, portable="0" * 64)),
         r"concrete\.fingerprint\.mismatch"),
    ):  # fmt: skip
        with pytest.raises(InternalError, match=code):
            back.program_of(found.front, replace(found.planned, concrete=concrete))


def gate_inputs() -> tuple[Any, ...]:
    inputs = given(NAME, "cpu")
    return tuple(inputs[name] for name in ("target", "deployment", "implementations", "evidence"))


@pytest.mark.req("S4")
def test_worksets_with_one_thing_wrong_are_found() -> None:
    whole = made("cpu").planned.worksets
    (first, *rest) = whole.groups
    for code, groups in (
        ("worksets.reference.duplicate", (first, first, *rest)),
        ("worksets.operation.shared", (replace(first, ops=first.ops * 2), *rest)),
        ("worksets.effect.unknown", (replace(first, effects=("nothing",)), *rest)),
    ):
        assert worksets.worksets_report(whole).holds
        assert code in worksets.worksets_report(replace(whole, groups=groups)).codes


@pytest.mark.req("P62")
@pytest.mark.parametrize("target", ["cpu", "cuda", "cuda-sim"])
def test_all_that_is_made_of_a_plan_names_its_digest(target: Any) -> None:
    """The program, the head of its file, the manifest with its symbols, the lineage, and the record of plans."""
    front = pipeline.front(KERNELS, NAME)
    digest = pipeline.plan_kernel(front, target).concrete.digest
    project = pipeline.emit_project([front], target, "p")
    (kernel,) = json.loads(project.files[MANIFEST])["kernels"]
    (traced,) = json.loads(project.files[LINEAGE])["kernels"]
    (recorded,) = json.loads(project.files[PLANS])["kernels"]
    symbols = json.loads(project.files[MANIFEST])["symbols"].values()
    named = [kernel["digests"]["concrete"], traced["concrete"], recorded["digests"]["concrete"]]
    named += [symbol["concrete"] for symbol in symbols]
    assert set(named) == {digest} and len(named) > 4
    assert f"concrete {digest[:12]}" in project.files[traced["file"]]


@pytest.mark.req("P62")
def test_a_program_of_another_plan_is_no_program_of_this_one(monkeypatch: pytest.MonkeyPatch) -> None:
    found = made("cpu")
    other = back.program_of(pipeline.front(KERNELS, "layer_norm"), planned("layer_norm"))
    monkeypatch.setattr(back.lower, "lower", lambda *_: other)
    with pytest.raises(InternalError, match=r"trace\.second_schedule"):
        back.program_of(found.front, found.planned)


@pytest.mark.req("S2")
def test_show_prints_the_text_of_a_layer(capsys: pytest.CaptureFixture[str]) -> None:
    for layer, envelope in made("cpu").texts.items():
        assert main(["show", f"{KERNELS}:{NAME}", "--stage", layer, "--sealed"]) == 0
        assert capsys.readouterr().out.strip() == envelope.text.strip()
    for stage in ("relations", "files"):
        assert main(["show", f"{KERNELS}:{NAME}", "--stage", stage, "--sealed"]) == 2
        assert "for example --stage portable --sealed" in capsys.readouterr().err
