"""`check` and `diff`: 0 up to date, 1 different, 2 bad input; the folder stays as it is."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from intent2cuda.version import VERSION

from .conftest import HEAD, SCALED, TOTAL, Cli, Said, tree


@pytest.fixture
def out(cli: Cli, two: Path, tmp_path: Path) -> Path:
    """The project of both kernels."""
    assert cli("emit", two, "-o", tmp_path / "out").status == 0
    return tmp_path / "out"


@pytest.fixture
def check(cli: Cli, two: Path, out: Path) -> Callable[..., Said]:
    """Checks the project, and that neither `check` nor `diff` writes anything."""

    def run(*arguments: object) -> Said:
        before = tree(out.parent)
        checked = cli("check", two, "-o", out, *arguments)
        told = cli("diff", two, "-o", out, *arguments)
        assert told.status == checked.status
        assert tree(out.parent) == before
        return checked

    return run


def states(said: Said) -> dict[str, str]:
    return {row["path"]: row["state"] for row in said.json["differences"]}


def test_up_to_date(check: Callable[..., Said], out: Path) -> None:
    said = check()
    assert (said.status, said.out, said.err) == (0, f"{out} is up to date\n", "")
    assert check("--json").json == {"up_to_date": True, "differences": [], "because": []}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x + OFFSET", "x - OFFSET"),  # a helper
        ("OFFSET = 1.5", "OFFSET = 2.5"),  # a constant
        ("y[:] = moved", "y[:] = -moved"),  # the kernel
        ("FACTOR: I.Constexpr[int] = 2", "FACTOR: I.Constexpr[int] = 3"),  # a default
    ],
)
def test_edited_source(check: Callable[..., Said], two: Path, before: str, after: str) -> None:
    text = two.read_text()
    assert before in text
    two.write_text(text.replace(before, after))
    said = check("--json")
    assert said.status == 1
    assert states(said) == dict.fromkeys(
        ("src/scaled.cpp", "MANIFEST.json", "diagnostics/lineage.json", "diagnostics/plan.json"), "stale"
    )


def test_edited_helper_of_another_file(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "library.py").write_text(HEAD + "\n\n@intent.fn\ndef moved(x):\n    return x + 1.0\n")
    main = tmp_path / "main.py"
    body = SCALED.partition("@intent.kernel")
    main.write_text(HEAD + "from library import moved\n\n\n" + body[1] + body[2])
    assert cli("emit", main, "-o", tmp_path / "out").status == 0
    assert cli("check", main, "-o", tmp_path / "out").status == 0
    (tmp_path / "library.py").write_text(HEAD + "\n\n@intent.fn\ndef moved(x):\n    return x + 2.0\n")
    said = cli("check", main, "-o", tmp_path / "out", "--json")
    assert said.status == 1 and "src/scaled.cpp" in states(said)


def test_comment_in_the_source_changes_only_the_manifest(
    cli: Cli, check: Callable[..., Said], two: Path, out: Path
) -> None:
    two.write_text(two.read_text() + "\n# said in passing\n")
    said = check("--json")
    assert said.status == 1 and states(said) == {"MANIFEST.json": "stale"}
    assert cli("diff", two, "-o", out).out == "only MANIFEST.json differs\n"


def test_edited_missing_and_left_over_files(check: Callable[..., Said], out: Path) -> None:
    source = out / "src" / "total.cpp"
    source.write_text(source.read_text() + "// mine\n")
    (out / "python" / "pair.pyi").unlink()
    (out / "include" / "pair" / "old.hpp").write_text("")
    said = check("--json")
    assert said.status == 1
    assert states(said) == {"src/total.cpp": "edited", "python/pair.pyi": "missing", "include/pair/old.hpp": "added"}
    assert f"edited   {source}\n" in check().out


def test_kernel_that_is_gone_leaves_orphans(check: Callable[..., Said], two: Path) -> None:
    two.write_text(HEAD + SCALED + TOTAL.replace("def total", "def sums_of"))
    found = states(check("--json"))
    assert found["src/total.cpp"] == "orphan" and found["src/sums_of.cpp"] == "missing"


def test_files_beside_the_project_do_not_matter(check: Callable[..., Said], out: Path) -> None:
    (out / "build").mkdir()
    (out / "build" / "libpair.a").write_text("")
    (out / "README.md").write_text("mine")
    assert check().status == 0


def test_runtime_header_that_was_edited(check: Callable[..., Said], out: Path) -> None:
    header = out / "include" / "intent" / "view.hpp"
    header.write_text(header.read_text().replace("intent", "intend", 1))
    assert states(check("--json")) == {"include/intent/view.hpp": "edited"}


class TestManifest:
    @pytest.mark.parametrize(
        "content",
        [None, b"", b'{"schema": "intent2cuda.mani', b"[]", b"7", b"{}", b'{"target": 1}', b"\xff\xfe"],
    )
    def test_unreadable(self, cli: Cli, two: Path, out: Path, content: bytes | None) -> None:
        manifest = out / "MANIFEST.json"
        manifest.unlink()
        if content is not None:
            manifest.write_bytes(content)
        said = cli("check", two, "-o", out)
        assert said.status == 2 and "error[cli.usage]" in said.err and "--target" in said.err
        found = cli("check", two, "-o", out, "--target", "cpu", "--json")
        assert found.status == 1
        assert states(found) == {"MANIFEST.json": "missing" if content is None else "stale"}

    def test_one_that_points_out_of_the_folder(self, cli: Cli, two: Path, out: Path) -> None:
        record = json.loads((out / "MANIFEST.json").read_text())
        record["files"]["../pair.py"] = "0" * 64
        (out / "MANIFEST.json").write_text(json.dumps(record))
        said = cli("check", two, "-o", out)
        assert said.status == 1 and "pair.py" not in said.out.replace(str(out), "")
        assert two.is_file()

    def test_no_folder(self, cli: Cli, two: Path, tmp_path: Path) -> None:
        said = cli("check", two, "-o", tmp_path / "nowhere")
        assert said.status == 2 and "nowhere" in said.err
        assert not (tmp_path / "nowhere").exists()


class TestOptions:
    """The folder says how it was emitted: nobody has to repeat it."""

    @pytest.mark.parametrize(
        "options",
        [
            ["--target", "cuda", "--arch", "sm_90a"],
            ["--target", "cuda-sim"],
            ["--constexpr", "FACTOR=7"],
        ],
        ids=" ".join,
    )
    def test_recorded(self, cli: Cli, two: Path, tmp_path: Path, options: list[str]) -> None:
        assert cli("emit", two, "-o", tmp_path / "out", *options).status == 0
        assert cli("check", two, "-o", tmp_path / "out").status == 0
        assert cli("check", two, "-o", tmp_path / "out", *options).status == 0

    def test_others_are_a_difference(self, cli: Cli, two: Path, out: Path) -> None:
        assert cli("check", two, "-o", out, "--constexpr", "FACTOR=7").status == 1
        assert cli("check", two, "-o", out, "--target", "cuda").status == 1
        assert cli("check", f"{two}:scaled", "-o", out).status == 1

    def test_bools_floats_and_members(self, cli: Cli, tmp_path: Path) -> None:
        path = tmp_path / "variants.py"
        path.write_text(
            HEAD
            + "\n\nclass Mode(I.Enum):\n    FAST = 0\n    EXACT = 1\n\n\n@intent.kernel\n"
            + 'def variants(x: I.In[I.f32, ("N",)], y: I.Out[I.f32, ("N",)], NEGATE: I.Constexpr[bool],\n'
            + "             SLOPE: I.Constexpr[float], MODE: I.Constexpr[Mode] = Mode.FAST):\n"
            + "    value = x[:] * I.cast(SLOPE, I.f32)\n"
            + "    if NEGATE:\n        value = -value\n"
            + "    if MODE == Mode.EXACT:\n        value = value + 1.0\n"
            + "    y[:] = value\n"
        )
        options = ["--constexpr", "NEGATE=true", "--constexpr", "SLOPE=0.25", "--constexpr", "MODE=EXACT"]
        assert cli("emit", path, *options, "-o", tmp_path / "out").err == ""
        assert cli("check", path, "-o", tmp_path / "out").status == 0


class TestDiff:
    def test_it_applies(self, cli: Cli, two: Path, out: Path) -> None:
        two.write_text(two.read_text().replace("x + OFFSET", "x - OFFSET"))
        (out / "python" / "pair.pyi").unlink()
        (out / "include" / "pair" / "old.hpp").write_text("int old;")
        told = cli("diff", two, "-o", out)
        assert told.status == 1
        assert cli("diff", two, "-o", out, "--json").json == {"up_to_date": False, "diff": told.out}
        patch = ["patch", "-p1", "--no-backup-if-mismatch"]
        done = subprocess.run(patch, input=told.out, cwd=out, text=True, capture_output=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        assert states(cli("check", two, "-o", out, "--json")) == {"MANIFEST.json": "stale"}

    def test_a_reviewer_reads_kernels_first_and_derived_files_last(self, cli: Cli, two: Path, out: Path) -> None:
        two.write_text(two.read_text().replace("x + OFFSET", "x - OFFSET").replace("factor", "times"))
        for path in ("CMakeLists.txt", "src/pair_c.cpp", "include/intent/view.hpp", "include/pair/pair.hpp"):
            (out / path).write_text("edited\n")
        told = cli("diff", two, "-o", out).out
        assert re.findall(r"^\+\+\+ b/(.*)$", told, re.MULTILINE) == [
            "src/scaled.cpp",
            "src/pair_c.cpp",
            "CMakeLists.txt",
            "include/pair/pair.hpp",
            "include/intent/view.hpp",
            "diagnostics/lineage.json",
            "diagnostics/plan.json",
        ]

    def test_bytes_that_are_no_text(self, cli: Cli, two: Path, out: Path) -> None:
        (out / "src" / "total.cpp").write_bytes(b"\xff\x00\n")
        told = cli("diff", two, "-o", out)
        assert told.status == 1 and "+++ b/src/total.cpp" in told.out


class TestAlone:
    """`check DIR`: whether a copy is as it was emitted, without the source."""

    @pytest.fixture
    def copy(self, out: Path, two: Path, tmp_path: Path) -> Path:
        two.unlink()
        return out.rename(tmp_path / "vendored")

    def test_as_it_was_emitted(self, cli: Cli, copy: Path) -> None:
        said = cli("check", copy)
        assert (said.status, said.out) == (0, f"{copy} is as it was emitted\n")
        (copy / "diagnostics" / "lineage.json").unlink()
        assert cli("check", copy, "--json").json == {"up_to_date": True, "differences": [], "because": []}

    def test_what_was_added_where_the_project_could_use_it(self, cli: Cli, copy: Path) -> None:
        added = ("include/intent/mine.hpp", "src/old.cpp", "python/more.py", "cmake/Find.cmake", "config.hpp")
        kept = ("README.md", ".gitignore", "build/libpair.a", "build/src/pair.cpp", "src/__pycache__/a.pyc")
        for path in (*added, *kept):
            (copy / path).parent.mkdir(parents=True, exist_ok=True)
            (copy / path).write_text("")
        said = cli("check", copy, "--json")
        assert said.status == 1 and states(said) == dict.fromkeys(sorted(added), "added")
        assert f"added    {copy / 'src' / 'old.cpp'}\n" in cli("check", copy).out

    @pytest.mark.req("P114")
    def test_what_was_changed_or_taken_away(self, cli: Cli, copy: Path) -> None:
        header = copy / "include" / "intent" / "view.hpp"
        header.write_text(header.read_text() + "\n")
        (copy / "src" / "total.cpp").unlink()
        said = cli("check", copy, "--json")
        assert said.status == 1
        assert states(said) == {"include/intent/view.hpp": "edited", "src/total.cpp": "missing"}
        manifest = copy / "MANIFEST.json"
        manifest.write_text(manifest.read_text().replace('"cpu"', '"cuda"', 1))
        changed = cli("check", copy)
        assert changed.status == 2 and "error[artifact.digest]" in changed.err
        manifest.write_bytes(b"\xff\xfe\x00")
        assert "error[artifact.syntax]" in cli("check", copy).err

    def test_what_is_no_project(self, cli: Cli, copy: Path, tmp_path: Path) -> None:
        assert "error[cli.file]" in cli("check", tmp_path).err
        (tmp_path / "kernel.py").write_text(HEAD + TOTAL)
        assert "error[cli.usage]" in cli("check", tmp_path / "kernel.py").err

    def test_a_difference_needs_the_source(self, cli: Cli, copy: Path) -> None:
        said = cli("diff", copy)
        assert said.status == 2 and f"{copy} is a folder, and no source" in said.err


class TestBecause:
    """What of the things that a project was made from is another now."""

    @pytest.mark.req("P109")
    @pytest.mark.parametrize(
        ("change", "reason"),
        [
            (lambda record: record["kernels"][1]["digests"].update(machine="0" * 64), "total: machine program"),
            (lambda record: record["abi"].update(index_bits=32), "ABI"),
            (lambda record: record["runtime_libraries"].pop(), "libraries"),
            (lambda record: record["producers"].update(emitter="0.0.1"), f"emitter 0.0.1 -> {VERSION}"),
        ],
        ids=["machine", "abi", "library", "emitter"],
    )
    def test_each_by_itself(
        self, check: Callable[..., Said], out: Path, change: Callable[[Any], object], reason: str
    ) -> None:
        record = json.loads((out / "MANIFEST.json").read_text())
        change(record)
        (out / "MANIFEST.json").write_text(json.dumps(record))
        said = check("--json")
        assert said.status == 1 and states(said) == {"MANIFEST.json": "stale"}
        assert said.json["because"] == [reason]
        assert f"because of {reason}\n" in check().out

    def test_layers_in_their_order(self, check: Callable[..., Said], two: Path) -> None:
        two.write_text(two.read_text().replace("I.reduce.sum", "I.reduce.max"))
        (reason,) = check("--json").json["because"]
        assert reason.startswith("total: Kernel IR, facts, worksets, ") and reason.endswith("machine program")

    def test_a_comment_is_none(self, check: Callable[..., Said], two: Path) -> None:
        two.write_text(two.read_text() + "\n# said in passing\n")
        assert check("--json").json["because"] == []


def test_a_project_named_after_its_folder_in_another_checkout(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder of a repository has another name there; the project keeps its own."""
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "kernels.py").write_text(HEAD + SCALED + TOTAL)
    monkeypatch.chdir(tmp_path / "one")
    assert cli("emit", "kernels.py", "-o", "out").status == 0
    shutil.copytree(tmp_path / "one", tmp_path / "other")
    monkeypatch.chdir(tmp_path / "other")
    said = cli("check", "kernels.py", "-o", "out")
    assert (said.status, said.out) == (0, "out is up to date\n")
