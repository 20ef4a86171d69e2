"""`plan diff`: three answers first, then every change by its identifier; 3 when Kernel IR or facts changed."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from intent2cuda.plan import planner
from intent2cuda.plan.catalogue import Row
from intent2cuda.plan.choosing import ImplementationPolicy

from .conftest import HEAD, TOTAL, Cli, Said

PRODUCT = """

@intent.kernel
def product(a: I.In[I.f32, ("M", "K")], b: I.In[I.f32, ("K", "N")], c: I.Out[I.f32, ("M", "N")]):
    c[:, :] = I.matmul(a[:, :], b[:, :], acc_dtype=I.f32)
"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "kernels.py"
    path.write_text(HEAD + TOTAL + PRODUCT)
    return path


def emit(cli: Cli, source: Path, out: Path, *options: object) -> Path:
    assert cli("emit", source, "-o", out, "--target", "cuda", *options).err == ""
    return out


@pytest.fixture
def old(cli: Cli, source: Path, tmp_path: Path) -> Path:
    return emit(cli, source, tmp_path / "old")


def first_three(said: Said) -> list[str]:
    return [line.split("  ")[0] for line in said.out.splitlines()[:3]]


def retuned(cli: Cli, source: Path, out: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The project with tiles of twice the depth, as another row of the catalogue would have it."""
    row = Row((("tile_m", 64, ""), ("tile_n", 64, ""), ("tile_k", 32, "twice the depth")), shared_bytes=40960)
    policy = ImplementationPolicy(rows=(("cuda.contract.simt_tile", (row,)),))
    with monkeypatch.context() as patch:
        patch.setattr(planner, "ImplementationPolicy", lambda: policy)
        return emit(cli, source, out)


@pytest.mark.req("P123")
def test_nothing_changed(cli: Cli, source: Path, old: Path, tmp_path: Path) -> None:
    again = emit(cli, source, tmp_path / "again")
    said = cli("plan", "diff", old, again)
    assert (said.status, said.err) == (0, "")
    assert said.out == (
        "semantics  unchanged: Kernel IR and facts are equal\ndecisions  unchanged\nresources  unchanged\n"
    )
    record = cli("plan", "diff", old, again, "--json").json
    assert record["changes"] == record["files"] == record["meaning_changed"] == []


def test_other_tiles_are_a_decision(
    cli: Cli, source: Path, old: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    new = retuned(cli, source, tmp_path / "new", monkeypatch)
    said = cli("plan", "diff", old, new)
    assert said.status == 1
    lines = said.out.splitlines()
    assert lines[0] == "semantics  unchanged: Kernel IR and facts are equal"
    assert lines[1].startswith("decisions  changed: ") and "1 stage" in lines[1]
    assert lines[2].startswith("resources  changed: product: shared bytes a block ")
    stages = json.loads((new / "diagnostics" / "plan.json").read_text())["kernels"][1]["stages"]
    (stage,) = (name for name, row in stages.items() if row.get("by") == "cuda.contract.simt_tile")
    assert any(stage in line and "tile_k 16 -> 32" in line for line in lines)
    assert "kernel total" not in said.out
    (files,) = (line for line in lines if "src/product.cu: " in line)
    assert f"under {stage}" in files


def test_the_comment_on_a_pull_request(
    cli: Cli, source: Path, old: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    new = retuned(cli, source, tmp_path / "new", monkeypatch)
    said = cli("plan", "diff", old, new, "--markdown")
    assert said.status == 1
    rows = said.out.splitlines()
    assert rows[0] == "### Plans" and [row.split("**")[1] for row in rows[2:5]] == [
        "semantics",
        "decisions",
        "resources",
    ]
    tables = [row for row in rows if row.startswith("|")]
    assert tables[0] == "| level | what | change |" and all(row.count(" | ") == 2 for row in tables if "---" not in row)
    assert any("tile_k 16 -> 32" in row and "`s" in row for row in tables)


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("I.reduce.sum(x[m, :], axis=0)", "I.reduce.max(x[m, :], axis=0)", "Kernel IR of total; facts of total"),
        ("I.reduce.sum(x[m, :], axis=0)", "I.reduce.sum(x[m, :], axis=0) + 1.0", "Kernel IR of total; facts of total"),
        ("def total", "def sums_of", "sums_of is new; total is gone"),
    ],
)
def test_another_meaning_is_3(
    cli: Cli, source: Path, old: Path, tmp_path: Path, before: str, after: str, words: str
) -> None:
    source.write_text(source.read_text().replace(before, after))
    new = emit(cli, source, tmp_path / "new")
    said = cli("plan", "diff", old, new)
    assert said.status == 3
    assert first_three(said) == ["semantics", "decisions", "resources"] and words in said.out.splitlines()[0]
    assert cli("plan", "diff", old / "MANIFEST.json", new / "MANIFEST.json").status == 3
    if "total" in after or "reduce" in after:
        kir = [line for line in said.out.splitlines() if line.startswith("  kir  ")]
        assert any("added: reduce.maximum" in line or "added: add" in line for line in kir) or "new" in words


@pytest.mark.req("P123")
def test_another_name_is_no_other_plan(cli: Cli, source: Path, old: Path, tmp_path: Path) -> None:
    source.write_text(
        source.read_text()
        .replace("for m in", "for sample in")
        .replace("[m, :]", "[sample, :]")
        .replace("sums[m]", "sums[sample]")
    )
    said = cli("plan", "diff", old, emit(cli, source, tmp_path / "new"))
    lines = said.out.splitlines()
    assert said.status == 1 and lines[0].endswith("are equal") and lines[1] == "decisions  unchanged"
    assert any("src/total.cu: " in line for line in lines) and "->" not in said.out


def test_files_by_themselves(
    cli: Cli, source: Path, old: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    new = retuned(cli, source, tmp_path / "new", monkeypatch)
    whole = cli("plan", "diff", old / "diagnostics" / "plan.json", new / "diagnostics" / "plan.json")
    assert whole.status == 1 and "tile_k 16 -> 32" in whole.out and "hunk" not in whole.out
    assert cli("plan", "diff", old / "MANIFEST.json", new).out == cli("plan", "diff", old, new).out
    for side in (old, new):
        shutil.copy(side / "MANIFEST.json", tmp_path / f"{side.name}.json")
        shutil.rmtree(side / "diagnostics")
    alone = cli("plan", "diff", tmp_path / "old.json", tmp_path / "new.json")
    detached = cli("plan", "diff", old, new)
    for said in (alone, detached):
        assert said.status == 1
        assert said.out.splitlines()[0] == "semantics  unchanged: Kernel IR and facts are equal"
        assert said.out.splitlines()[1] == "decisions  changed: concrete plan of product"
        assert "only digests can be compared" in said.out


@pytest.mark.req("S1", "S2")
def test_what_is_no_plan(cli: Cli, source: Path, old: Path, tmp_path: Path) -> None:
    plan = old / "diagnostics" / "plan.json"
    text = plan.read_text()
    for before, after in (
        ('"version": "0.0.0"', '"version": "9"'),
        ("tile_k", "tile_x"),
        ('"kernels"', '"kernel"'),
        ("{", "[1, {"),
        ('"threads a block": 256', '"threads a block": NaN'),
        ('"threads a block": 256', '"threads a block": 256, "threads a block": 256'),
    ):
        assert before in text
        plan.write_text(text.replace(before, after, 1))
        said = cli("plan", "diff", old, old)
        assert said.status == 2 and "error[plan.syntax]" in said.err, before
    assert "error[plan.syntax]" in cli("plan", "diff", source, old).err
    assert "error[cli.file]" in cli("plan", "diff", tmp_path / "nowhere.json", old).err
    assert "error[trace.unmatched]" in cli("plan", "diff", tmp_path, old).err


def test_a_file_that_was_edited_by_hand_is_found(cli: Cli, source: Path, old: Path, tmp_path: Path) -> None:
    new = emit(cli, source, tmp_path / "new")
    (new / "src" / "total.cu").write_text((new / "src" / "total.cu").read_text() + "// mine\n")
    said = cli("plan", "diff", old, new)
    assert said.status == 2 and "error[trace.stale]" in said.err and "src/total.cu" in said.err


@pytest.mark.req("P123")
def test_what_only_follows_is_no_decision(cli: Cli, source: Path, old: Path, tmp_path: Path) -> None:
    """An operation that another one feeds gets another identifier; what was decided about it is the same."""
    source.write_text(source.read_text().replace("x[m, :], axis=0", "I.exp(x[m, :]), axis=0"))
    middle = emit(cli, source, tmp_path / "middle")
    source.write_text(source.read_text().replace("I.exp(", "I.exp2("))
    said = cli("plan", "diff", middle, emit(cli, source, tmp_path / "new"))
    assert said.status == 3
    lines = said.out.splitlines()
    assert lines[0] == "semantics  changed: Kernel IR of total" and lines[1].startswith("decisions  unchanged: ")
    assert lines[1].endswith(" follow the operations") and lines[2] == "resources  unchanged"
    kir = [line.split(maxsplit=2)[2] for line in lines if line.startswith("  kir ") and "equal" not in line]
    assert "removed: exp" in kir and "added: exp2" in kir
    assert any(line.startswith("reduce.add (was ") for line in kir) and any("store (was " in line for line in kir)


def test_memory_and_waits_say_what_they_are(cli: Cli, source: Path, old: Path, tmp_path: Path) -> None:
    """The one target keeps tiles in shared memory, the threads of the other wait for each other."""
    cpu = tmp_path / "cpu"
    assert cli("emit", source, "-o", cpu, "--target", "cpu").err == ""
    said = cli("plan", "diff", old, cpu).out
    assert "  concrete  tiles  removed: 20480 bytes of shared memory a block\n" in said
    assert re.search(r"concrete  s\w{8}  added: wait: what its threads wrote is complete", said)


def edited(cli: Cli, source: Path, out: Path, before: str, after: str) -> Path:
    text = source.read_text()
    assert before in text
    source.write_text(text.replace(before, after))
    return emit(cli, source, out)


def test_a_constant_is_shown_with_both_values(cli: Cli, source: Path, tmp_path: Path) -> None:
    one = edited(cli, source, tmp_path / "one", "axis=0)", "axis=0) + 1.5")
    said = cli("plan", "diff", one, edited(cli, source, tmp_path / "two", "1.5", "2.5"))
    lines = said.out.splitlines()
    assert said.status == 3 and lines[1].startswith("decisions  unchanged: ")
    assert any(line.endswith("constant 2.5 (before: constant 1.5)") for line in lines)


def test_one_statement_more_is_the_same_task_with_more_work(cli: Cli, source: Path, old: Path, tmp_path: Path) -> None:
    said = cli("plan", "diff", old, edited(cli, source, tmp_path / "new", "x[m, :], axis=0", "I.exp(x[m, :]), axis=0"))
    portable = [line for line in said.out.splitlines() if line.startswith("  portable  ") and "equal" not in line][1:]
    assert any("intent.reduce: transc f32 none -> M*N" in line for line in portable)
    assert any(re.search(r"fuse \d+ operations: .* \(was d\w{8}\)$", line) for line in portable)
    assert not [line for line in portable if "removed" in line or "added" in line]
    assert said.out.splitlines()[1].startswith("decisions  unchanged: ")


def test_a_stage_that_does_something_else_shows_both(cli: Cli, source: Path, tmp_path: Path) -> None:
    """On cpu one thread fetches the next row while it computes something long."""
    text = source.read_text()
    out = [tmp_path / "plain", tmp_path / "long"]
    for folder, total in zip(out, ("x[m, :]", "I.exp(x[m, :])"), strict=True):
        source.write_text(text.replace("x[m, :]", total))
        assert cli("emit", f"{source}:total", "-o", folder).err == ""
    lines = cli("plan", "diff", *out).out.splitlines()
    fold = "fold n < N: serial -> <I.reduce.sum>"
    assert any(line.endswith(f"{fold} prefetch (before: {fold})") for line in lines)
    assert lines[1] == "decisions  changed: 1 stage"


def test_other_architectures_and_targets_are_no_silence(cli: Cli, source: Path, old: Path, tmp_path: Path) -> None:
    new = emit(cli, source, tmp_path / "new", "--arch", "sm_90a")
    said = cli("plan", "diff", old, new)
    assert said.status == 1
    assert "built for  architectures: sm_80, sm_90a -> sm_90a\n" in said.out
    assert "- **built for** architectures: sm_80, sm_90a → sm_90a\n" in cli("plan", "diff", old, new, "--markdown").out
    (row,) = cli("plan", "diff", old, new, "--json").json["requires"]
    assert row == {"name": "architectures", "old": "sm_80, sm_90a", "new": "sm_90a"}
    cpu = tmp_path / "cpu"
    assert cli("emit", source, "-o", cpu, "--target", "cpu").err == ""
    assert "built for  target: cuda -> cpu\n" in cli("plan", "diff", old, cpu).out


def test_a_file_of_kernels_is_emitted_first(cli: Cli, source: Path, old: Path) -> None:
    said = cli("plan", "diff", old, source)
    assert said.status == 2 and f"intent2cuda emit {source}" in said.err


def test_nothing_is_said_in_words_of_python_or_by_a_bare_identifier(cli: Cli, source: Path, tmp_path: Path) -> None:
    source.write_text(HEAD + SOFTMAX)
    for target in ("cpu", "cuda"):
        assert cli("emit", source, "-o", tmp_path / target, "--target", target).status == 0
    said = cli("plan", "diff", tmp_path / "cpu", tmp_path / "cuda").out
    assert "built for  processor: x86-64-v3 for x86_64 -> none\n" in said
    assert "built for  threads a block: none -> 256\n" in said
    assert re.search(r"  removed: weight: 4\*N bytes of scratch a thread\n", said)
    source.write_text(HEAD + SOFTMAX.replace("I.exp(", "I.exp2("))
    assert cli("emit", source, "-o", tmp_path / "new").status == 0
    changed = cli("plan", "diff", tmp_path / "cpu", tmp_path / "new").out
    assert "  store weight: computed once: this sweep stores it" in changed
    assert "  memory of weight: one for each member of the loop around" in changed
    for text in (said, changed):
        assert not re.search(r"[{}']|\bNone\b|\[\]|\(\)|\w_per_\w|materialize|resource \d", text), text


SOFTMAX = """

@intent.kernel
def softmax(x: I.In[I.f32, ("M", "N")], y: I.Out[I.f32, ("M", "N")], last: I.Out[I.f32, ()]):
    for m in I.parallel(I.domain(0, x.shape[0])):
        value = x[m, :]
        weight = I.exp(value - I.reduce.max(value, axis=0))
        y[m, :] = weight / I.reduce.sum(weight, axis=0)
    last[()] = x[0, 0]
"""
