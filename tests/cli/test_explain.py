"""`explain`: the choice, what was not chosen with its numbers, and the limit that decided."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from intent2cuda import pipeline, plan
from intent2cuda.plan import planner
from intent2cuda.plan.catalogue import Row
from intent2cuda.plan.choosing import ImplementationPolicy

from .conftest import Cli

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SOURCES = sorted(EXAMPLES.glob("*/kernel.py"))
TILES = "cuda.contract.simt_tile"


def sections(text: str) -> dict[str, list[str]]:
    """The lines under each title."""
    found: dict[str, list[str]] = {}
    title = ""
    for line in text.splitlines()[1:]:
        if line and not line.startswith(" "):
            title = line
        elif line:
            found.setdefault(title, []).append(line)
    return found


def explained(cli: Cli, example: str, kernel: str, target: str) -> dict[str, list[str]]:
    said = cli("explain", f"{EXAMPLES / example / 'kernel.py'}:{kernel}", "--target", target)
    assert (said.status, said.err) == (0, "")
    assert said.out.startswith(f"{kernel} for ")
    return sections(said.out)


@pytest.mark.req("P52")
@pytest.mark.parametrize("target", ["cpu", "cuda"])
@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.parent.name)
def test_every_choice_has_its_reasons(source: Path, target: str) -> None:
    """Every implementation, every one that was tried before it, and every plan that was not bound says why."""
    for kernel in pipeline.kernel_names(source):
        planned = pipeline.plan_kernel(pipeline.front(source, kernel), "cpu" if target == "cpu" else "cuda")
        found = sections(plan.explain(planned))
        text = "\n".join(line for lines in found.values() for line in lines)
        for choice in planned.report.choices:
            assert f"{choice.entry.name}: {choice.entry.does}" in text
            for name, reason in choice.rejected:
                assert re.search(rf"not [^:]*{re.escape(name)}[^:]*: {re.escape(reason)}", text), (kernel, name)
        for candidate in planned.planset.candidates:
            assert candidate.name in text
        for rejected in planned.planset.rejected:
            assert f"[{rejected.code}]: {rejected.because}" in text
        refusals = [line for line in found["plan"] if line.startswith("  not taken: ")]
        assert all(re.search(r": .{8}", line) for line in refusals), refusals


def test_a_plan_that_was_not_bound_stands_beside_the_one_that_was(cli: Cli) -> None:
    for target, mine, theirs in (("cpu", "2*M*N", "3*M*N"), ("cuda", "3*M*N", "2*M*N")):
        found = explained(cli, "04_softmax", "softmax", target)["plan"]
        chosen = next(place for place, line in enumerate(found) if line.startswith("  not taken: "))
        assert f"    functions and divisions: {mine}" in found[:chosen]
        assert f"    functions and divisions: {theirs} instead of {mine}" in found[chosen:]
        assert any("bytes stored on the way" in line and "instead of" in line for line in found[chosen:])
        assert any("[numerics.permission]" in line for line in found)


def test_limits_say_what_is_used_of_them(cli: Cli) -> None:
    cuda = explained(cli, "06_matmul", "matmul", "cuda")["limits"]
    assert "  bytes of shared memory a block: 20480 of 49152" in cuda and "  threads a block: 256 of 1024" in cuda
    assert "  no limit refused anything better" in cuda
    assert explained(cli, "06_matmul", "matmul", "cpu")["limits"][0].startswith("  bytes in the frame of a thread: ")


@pytest.mark.req("P90")
def test_the_limit_that_bound_is_named_with_both_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    small = Row((("tile_m", 64, ""), ("tile_n", 64, ""), ("tile_k", 16, "")), shared_bytes=20480)
    large = Row((("tile_m", 64, ""), ("tile_n", 64, ""), ("tile_k", 64, "")), shared_bytes=81920)
    policy = ImplementationPolicy(rows=((TILES, (large, small)),))
    monkeypatch.setattr(planner, "ImplementationPolicy", lambda: policy)
    planned = pipeline.plan_kernel(pipeline.front(EXAMPLES / "06_matmul" / "kernel.py", "matmul"), "cuda")
    limits = sections(plan.explain(planned))["limits"]
    (bound,) = (line for line in limits if "bound by capacity" in line)
    assert "tile_k=64" in bound and "81920 B of shared memory > 49152 B" in bound
    assert "no limit refused anything better" not in "\n".join(limits)


def test_memory_says_what_became_of_each_bound(cli: Cli) -> None:
    found = explained(cli, "04_softmax", "softmax", "cpu")["memory"]
    assert any(line.startswith("  weight (b1): 4*N bytes of scratch a thread: ") for line in found)
    assert any(line.startswith("    in place of at most 4*M*N (every element of weight held at once") for line in found)
    found = explained(cli, "04_softmax", "softmax", "cuda")["memory"]
    assert found[0] == "  weight: 0 bytes: no element is stored, each is used where it is made"
    assert found[1].startswith("    in place of at most 4*M*N (every element of weight held at once")
    found = explained(cli, "06_matmul", "matmul", "cuda")["memory"]
    assert any("every element of <I.matmul> held at once" in line for line in found)


@pytest.mark.parametrize("target", ["cpu", "cuda"])
def test_values_have_the_names_of_the_author_and_segments_their_order(cli: Cli, target: str) -> None:
    found = explained(cli, "08_attention", "attention", target)
    text = "\n".join(line for lines in found.values() for line in lines)
    assert "%" not in text and "min(K, g)" in text and "every element of seen_peak held" in text
    assert any(
        line.endswith("segments: in order, grouped: members keep their order, on every target")
        for line in found["proved"]
    )


@pytest.mark.parametrize("target", ["cpu", "cuda"])
@pytest.mark.parametrize(("example", "kernel"), [("08_attention", "attention"), ("12_k_means", "accumulate")])
def test_a_record_that_makes_no_difference_is_no_reason(cli: Cli, example: str, kernel: str, target: str) -> None:
    """And what the bound plan takes is there whatever it was chosen by."""
    found = explained(cli, example, kernel, target)["plan"]
    kept = [
        "  fused, kept: expensive values are stored by the first sweep",
        "    because what measured costs could decide makes no difference here",
    ]
    only = ["  fused, kept: every other legal plan comes to the same stages"]
    wanted = kept if any(line.startswith("  not taken: statement by statement") for line in found) else only
    assert found[: len(wanted)] == wanted
    assert found[len(wanted)].startswith("    functions and divisions: ")


def test_stages_have_the_identifiers_of_traces(cli: Cli) -> None:
    found = explained(cli, "04_softmax", "softmax", "cpu")["stages"]
    ids = {line.split()[0] for line in found if re.match(r"  s[0-9a-f]{8}", line)}
    traced = cli("trace", "forward", f"{EXAMPLES / '04_softmax' / 'kernel.py'}:12").out
    assert ids & set(traced.split())


def test_numbers_that_data_decide_are_said_to_be_bounds(cli: Cli) -> None:
    said = cli("explain", f"{EXAMPLES / '20_aggregation' / 'kernel.py'}:segment_mean")
    words = "where offsets decides how many members a part has, with every part as long as it could be:"
    assert f"{words}\n    functions and divisions: G\n" in said.out


IDENTIFIERS = re.compile(r"\bb\.[0-9a-f]|\b[0-9a-f]{8}[/:]|\bdata\.|\w\.cost\b|bytes of (local|shared) a|<[a-z_]+>")
"""Names of records, of bounds, of numbers that data decide, and of operations."""


@pytest.mark.parametrize("target", ["cpu", "cuda"])
@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.parent.name)
def test_nothing_is_called_by_a_number_or_by_an_operation(source: Path, target: str) -> None:
    """Extents and values are what the author wrote, and every stage that he wrote has its line."""
    for kernel in pipeline.kernel_names(source):
        planned = pipeline.plan_kernel(pipeline.front(source, kernel), "cpu" if target == "cpu" else "cuda")
        text = plan.explain(planned)
        assert not re.search(r"<(?!I\.|part of )\w+>|%|: -\d|< -", re.sub(r"costs \d+ %", "", text)), kernel
        lines = source.read_text().splitlines()
        for found in re.finditer(r"fold \w.* -> <(I\.[\w.]+)>.*\(line (\d+)\)", text):
            assert found[1].rpartition(".")[0] in lines[int(found[2]) - 1], found[0]
        assert not re.search(r"^  t[0-9a-f]{8}", text, re.MULTILINE)
        assert not IDENTIFIERS.search(text), IDENTIFIERS.search(text)


UNNAMED = """
import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def k(x: I.In[I.f32, ("M", "N")], w: I.In[I.f32, ("N", "K")], a: I.In[I.i32, ("M",)], b: I.In[I.i32, ("M",)],
      c: I.Out[I.f32, ("M",)], y: I.Out[I.f32, ("M", "K")], z: I.Out[I.f32, ("N",)]):
    for m in I.parallel(I.domain(0, x.shape[0])):
        c[m] = I.reduce.sum(x[a[m] : b[m], 0], axis=0)
    y[:, :] = I.matmul(I.matmul(x[:, :], w[:, :], acc_dtype=I.f32), I.zeros((w.shape[1], y.shape[1]), dtype=I.f32),
                       acc_dtype=I.f32)
    z[:] = I.cumsum(x[0, :] * x[0, :], axis=0)
"""


@pytest.mark.parametrize("target", ["cpu", "cuda"])
def test_what_has_no_name_goes_by_the_text_of_the_author(cli: Cli, tmp_path: Path, target: str) -> None:
    path = tmp_path / "k.py"
    path.write_text(UNNAMED.lstrip())
    said = cli("explain", path, "--target", target)
    assert said.status == 0, said.err
    assert not IDENTIFIERS.search(said.out), IDENTIFIERS.search(said.out)


def test_costs_are_said_in_words(cli: Cli) -> None:
    found = explained(cli, "04_softmax", "softmax", "cpu")["plan"]
    words = "what is expensive is stored: computing it again costs 400 % of storing and reading"
    assert f"    because {words}" in found
    for target, percent in (("cpu", 800), ("cuda", 100)):
        found = explained(cli, "05_reductions", "column_sums", target)["plan"]
        assert any(f": one by one costs {percent} % of side by side" in line for line in found)


def test_parts_of_ragged_relations_have_the_words_of_the_author(cli: Cli) -> None:
    for example, kernel, extent in (
        ("16_sparse_products", "csr_matrix", "start[row + 1] - start[row]"),
        ("20_aggregation", "segment_mean", "offsets[g + 1] - offsets[g]"),
        ("10_mixture_of_experts", "contract", "offsets[expert + 1] - offsets[expert]"),
    ):
        found = explained(cli, example, kernel, "cpu")
        assert any(f"i < {extent}" in line for line in found["stages"])
    assert "  product (b1): 4*N*offsets[expert + 1] - 4*N*offsets[expert] bytes of scratch a thread" in "\n".join(
        found["memory"]
    )


RAGGED = """
import intent2cuda as intent
import intent2cuda.language as I


@intent.kernel
def k(x: I.In[I.f32, ("N", "D")], start: I.In[I.i32, ("E",)], y: I.Out[I.f32, ("G",)], z: I.Out[I.f32, ("G",)]):
    rows = I.ragged(outer=I.domain(0, y.shape[0]), members=I.domain(0, x.shape[0]), offsets=start)
    for g in I.parallel(rows.outer):
        part = x[rows[g], 0]
        %s
"""


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("y[g] = I.reduce.sum(part, axis=0)", ""),
        (
            "y[g] = I.reduce.sum(part, axis=0) + I.reduce.sum(x[g, :], axis=0)",
            "another sweep stands beside it: one thread runs all that belongs to a member",
        ),
        (
            "y[g] = I.reduce.sum(x[rows[g], :], axis=(0, 1))",
            "it is no reduction along one axis to one element over the part of a member around",
        ),
        (
            "if start[g] > 0:\n            y[g] = I.reduce.sum(part, axis=0)",
            "the threads do not share the loop around by parts of its members",
        ),
        ("y[g] = I.reduce.sum(x[g, :], axis=0)", "the number of its members is not read from memory"),
    ],
)
def test_a_fold_that_the_threads_do_not_share_has_its_own_reason(
    cli: Cli, tmp_path: Path, body: str, reason: str
) -> None:
    path = tmp_path / "k.py"
    path.write_text(RAGGED.lstrip() % body)
    said = cli("explain", str(path))
    folds = [part for part in said.out.split("\n  s") if re.match(r"\w+  fold ", part)]
    assert said.status == 0 and folds, said.err
    assert any(
        f"cpu.reduce.ragged: {reason}\n" in fold if reason else "    cpu.reduce.ragged: " in fold for fold in folds
    )


def test_a_body_of_one_atomic_access_is_no_loop(cli: Cli, tmp_path: Path) -> None:
    """What is said of a body holds of it: it is no store, and it is no loop either."""
    path = tmp_path / "k.py"
    path.write_text(
        "import intent2cuda as intent\nimport intent2cuda.language as I\n\n\n@intent.kernel\n"
        'def k(x: I.In[I.i32, ("N",)], y: I.InOut[I.i32, ("M",)]):\n'
        "    for n in I.parallel(I.domain(0, x.shape[0])):\n"
        "        I.atomic.add(y, index=(x[n],), value=1, order='relaxed')\n"
    )
    said = cli("explain", str(path))
    assert "more than one store" not in said.out
    assert "not element work alone: it has a loop, a branch, a sweep, an atomic access or a check" in said.out
