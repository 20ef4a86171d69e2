"""`trace`: both directions on the command line, and what it says when the lineage cannot be believed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import HEAD, TOTAL, Cli, tree


@pytest.fixture
def out(cli: Cli, two: Path, tmp_path: Path) -> Path:
    """The project of both kernels."""
    assert cli("emit", two, "-o", tmp_path / "out").status == 0
    return tmp_path / "out"


def line_of(path: Path, words: str) -> int:
    return next(n for n, line in enumerate(path.read_text().split("\n"), 1) if words in line)


@pytest.mark.req("P121")
def test_forward_names_every_level(cli: Cli, two: Path, out: Path) -> None:
    number = line_of(two, "I.reduce.sum")
    said = cli("trace", "forward", f"{two}:{number}", "-o", out)
    assert said.status == 0 and said.err == ""
    for level in ("operations", "worksets", "tasks", "commands", "stages", "instructions"):
        assert f"  {level} " in said.out
    emitted = line_of(out / "src" / "total.cpp", "intent::fold(")
    assert f"src/total.cpp:{emitted}" in said.out and "reduce.add" in said.out
    assert cli("trace", "forward", f"{two}:{number}").out == said.out  # emitted now, written nowhere
    record = cli("trace", "forward", f"{two}:{number}", "-o", out, "--json").json
    (kernel,) = record["kernels"]
    assert kernel["kernel"] == "total" and record["through"] == []
    assert {row["id"] for row in kernel["stages"]} <= set(said.out.split())


@pytest.mark.req("P122")
def test_reverse_leads_back(cli: Cli, two: Path, out: Path) -> None:
    emitted = out / "src" / "total.cpp"
    number = line_of(emitted, "intent::fold(")
    said = cli("trace", "reverse", f"{emitted}:{number}")
    assert said.status == 0
    assert f"{two.name}:{line_of(two, 'I.reduce.sum')}" in said.out
    record = cli("trace", "reverse", f"{emitted}:{number}", "--json").json
    assert record["line"] == emitted.read_text().split("\n")[number - 1]
    assert record["kernels"][0]["tasks"] and record["kernels"][0]["worksets"]


def test_lines_that_lead_to_others(cli: Cli, two: Path) -> None:
    constant = cli("trace", "forward", f"{two}:{line_of(two, 'OFFSET = 1.5')}")
    assert constant.status == 0 and f"takes part through line {line_of(two, 'x + OFFSET')}" in constant.out
    head = cli("trace", "forward", f"{two}:{line_of(two, 'def scaled')}")
    assert head.status == 0 and "function.launcher" not in head.out and "void scaled(" in head.out
    nothing = cli("trace", "forward", f"{two}:1")
    assert nothing.status == 1 and "nothing was emitted for this line" in nothing.out


def test_lines_that_come_from_no_kernel(cli: Cli, out: Path) -> None:
    for path, number, status, words in (
        ("include/intent/view.hpp", 1, 0, "runtime support: the same in every project that uses it"),
        ("CMakeLists.txt", 2, 0, "runtime support: how the project is built"),
        ("src/total.cpp", 4, 1, "a blank line"),
    ):
        said = cli("trace", "reverse", f"{out / path}:{number}")
        assert (said.status, said.err) == (status, "") and words in said.out
    header = cli(
        "trace", "reverse", f"{out / 'include/pair/pair.h'}:{line_of(out / 'include/pair/pair.h', 'pair_total_run')}"
    )
    assert "kernel total" in header.out and "kernel scaled" not in header.out


class TestSymbols:
    """What a profiler saw under a name."""

    @pytest.mark.req("P122")
    def test_of_a_project(self, cli: Cli, out: Path) -> None:
        symbols = json.loads((out / "MANIFEST.json").read_text())["symbols"]
        for name in ("pair_total_call", "pair_total_run", "pair::total", "pair::total_kernel"):
            said = cli("trace", "reverse", name, "-o", out)
            assert said.status == 0 and symbols[name]["command"] in said.out
            assert symbols[name]["concrete"][:12] in said.out and "kernel total" in said.out

    @pytest.mark.req("P123")
    def test_a_name_alone_is_no_identity(self, cli: Cli, out: Path) -> None:
        said = cli("trace", "reverse", "pair_total_call")
        assert said.status == 2 and "trace.name_as_identity" in said.err
        assert "trace.unmatched" in cli("trace", "reverse", "other_call", "-o", out).err


class TestDisbelief:
    @pytest.mark.req("P117")
    def test_detached(self, cli: Cli, two: Path, out: Path) -> None:
        (out / "diagnostics" / "lineage.json").unlink()
        for arguments in (("forward", f"{two}:5", "-o", out), ("reverse", out / "src" / "total.cpp:20")):
            said = cli("trace", *arguments)
            assert said.status == 2 and "error[trace.detached]" in said.err
        assert cli("check", two, "-o", out).status == 0

    def test_source_that_was_edited(self, cli: Cli, two: Path, out: Path) -> None:
        two.write_text("# first\n" + two.read_text())
        said = cli("trace", "forward", f"{two}:9", "-o", out)
        assert said.status == 2 and "error[trace.stale]" in said.err

    def test_emitted_file_that_was_edited(self, cli: Cli, two: Path, out: Path) -> None:
        path = out / "src" / "total.cpp"
        path.write_text("\n" + path.read_text())
        assert "error[trace.stale]" in cli("trace", "reverse", f"{path}:20").err
        number = line_of(two, "I.reduce.sum")
        assert "error[trace.stale]" in cli("trace", "forward", f"{two}:{number}", "-o", out).err

    @pytest.mark.req("P121", "S2")
    def test_lineage_that_was_edited(self, cli: Cli, two: Path, out: Path) -> None:
        path = out / "diagnostics" / "lineage.json"
        text = path.read_text()
        for before, after in (('"version": "0.0.0"', '"version": "0.0.1"'), ("reduce.add", "reduce.mul"), ("{", "[")):
            assert before in text
            path.write_text(text.replace(before, after, 1))
            assert "error[trace.broken]" in cli("trace", "forward", f"{two}:5", "-o", out).err

    def test_places_that_are_none(self, cli: Cli, two: Path, out: Path, tmp_path: Path) -> None:
        assert "error[cli.usage]" in cli("trace", "forward", two).err
        assert "error[cli.usage]" in cli("trace", "forward", f"{two}:99999").err
        assert "error[cli.file]" in cli("trace", "forward", f"{tmp_path / 'none.py'}:1").err
        assert "error[trace.unmatched]" in cli("trace", "reverse", f"{two}:1").err
        other = tmp_path / "other.py"
        other.write_text(HEAD + TOTAL)
        assert "error[trace.unmatched]" in cli("trace", "forward", f"{other}:3", "-o", out).err
        (out / "mine.cpp").write_text("int mine;\n")
        assert "error[trace.unmatched]" in cli("trace", "reverse", out / "mine.cpp:1").err
        before = tree(tmp_path)
        cli("trace", "forward", f"{two}:5")
        assert tree(tmp_path) == before


@pytest.mark.req("P123")
class TestIdentity:
    """Identifiers follow from what is done; names that people read take no part in them."""

    def ids(self, cli: Cli, path: Path) -> tuple[dict[str, list[str]], dict[str, str], dict[str, str]]:
        files = cli("emit", path, "--json").json["files"]
        kernel = json.loads(files["diagnostics/lineage.json"])["kernels"][0]
        found = {level: sorted(kernel[level]) for level in ("operations", "stages", "tasks", "worksets", "commands")}
        found["instructions"] = [row[0] for row in kernel["instructions"]]
        return found, json.loads(files["MANIFEST.json"])["kernels"][0]["digests"], files

    def test_a_new_name_changes_texts_only(self, cli: Cli, tmp_path: Path) -> None:
        body = (
            '\n\n@intent.kernel\ndef norm(x: I.In[I.f32, ("M", "N")], y: I.Out[I.f32, ("M", "N")]):\n'
            "    for m in I.parallel(I.domain(0, x.shape[0])):\n        row = x[m, :]\n"
            "        peak = I.reduce.max(row, axis=0)\n        weight = I.exp(row - peak)\n"
            "        y[m, :] = weight / I.reduce.sum(weight, axis=0)\n"
        )
        path = tmp_path / "norm.py"
        path.write_text(HEAD + body)
        before = self.ids(cli, path)
        renamed = (
            body.replace("weight", "likeness")
            .replace("row", "score")
            .replace("for m", "for sample")
            .replace("[m,", "[sample,")
        )
        path.write_text(HEAD + renamed)
        after = self.ids(cli, path)
        assert after[:2] == before[:2]
        assert after[2]["src/norm.cpp"] != before[2]["src/norm.cpp"]

    def test_one_edited_statement_keeps_the_other_identifiers(self, cli: Cli, tmp_path: Path) -> None:
        lines = [f"    out{i}[:] = I.exp(x[:]) * {i}.5" for i in range(6)]
        outs = ", ".join(f'out{i}: I.Out[I.f32, ("N",)]' for i in range(6))
        head = f'{HEAD}\n\n@intent.kernel\ndef many(x: I.In[I.f32, ("N",)], {outs}):\n'
        path = tmp_path / "many.py"
        path.write_text(head + "\n".join(lines) + "\n")
        before = self.ids(cli, path)[0]
        lines[3] = "    out3[:] = I.log(x[:]) * 3.5"
        path.write_text(head + "\n".join(lines) + "\n")
        after = self.ids(cli, path)[0]
        for level in ("operations", "stages"):
            kept = len(set(before[level]) & set(after[level])) / len(before[level])
            assert kept > 0.7, (level, kept)

    def test_equal_tasks_stay_apart(self, cli: Cli, tmp_path: Path) -> None:
        path = tmp_path / "twice.py"
        twice = "    y[:] = y[:] * 2.0\n" * 2
        path.write_text(f'{HEAD}\n\n@intent.kernel\ndef twice(y: I.InOut[I.f32, ("N",)]):\n{twice}')
        found = self.ids(cli, path)[0]
        for level, names in found.items():
            assert len(set(names)) == len(names), level
        assert sum(name.endswith(".2") for name in found["operations"]) or len(found["operations"]) > 4


class TestWhatIsShown:
    def test_a_line_behind_the_last_one(self, cli: Cli, two: Path, out: Path, tmp_path: Path) -> None:
        """A line feed at the end of a file begins no line."""
        for direction, path in (("forward", two), ("reverse", out / "src" / "total.cpp")):
            last = len(path.read_text().splitlines())
            assert cli("trace", direction, f"{path}:{last}").status in (0, 1)
            said = cli("trace", direction, f"{path}:{last + 1}")
            assert said.status == 2 and f"{path} has {last} lines, and no line {last + 1}" in said.err
        assert "a place is written FILE:LINE" in cli("trace", "forward", f"{two}:{'9' * 5000}").err
        (tmp_path / "bytes.py").write_bytes(b"\xff\xfe\x00")
        assert "is no text in UTF-8" in cli("trace", "forward", f"{tmp_path / 'bytes.py'}:1").err
        assert "error[plan.syntax]" in cli("plan", "diff", tmp_path / "bytes.py", out).err
        (tmp_path / "empty.py").write_text("")
        assert "has no lines" in cli("trace", "forward", f"{tmp_path / 'empty.py'}:1", "-o", out).err

    def test_what_is_cut_says_so(self, cli: Cli, two: Path, out: Path) -> None:
        source = out / "src" / "total.cpp"
        texts = {line.strip() for line in source.read_text().splitlines()}
        long = 0
        for number in range(1, len(two.read_text().splitlines()) + 1):
            for row in cli("trace", "forward", f"{two}:{number}", "-o", out, "--json").json["kernels"]:
                for found in row["instructions"]:
                    text = found["is"].partition("  ")[2]
                    long += text.endswith(" ...")
                    assert len(text) <= 72
                    if row["kernel"] == "total":
                        assert text in texts or any(line.startswith(text.removesuffix(" ...")) for line in texts)
                        assert text in texts or text.endswith(" ...")
        assert long

    def test_no_blanks_at_ends_of_lines(self, cli: Cli, two: Path, out: Path) -> None:
        blank = two.read_text().split("\n").index("") + 1
        assert cli("trace", "forward", f"{two}:{blank}").out.startswith(f"{two}:{blank}\n")

    def test_the_folder_is_named_as_everywhere(self, cli: Cli, two: Path, out: Path) -> None:
        number = line_of(two, "I.reduce.sum")
        wanted = cli("trace", "forward", f"{two}:{number}", "-o", out).out
        for option in ("--out", "--dir"):
            assert cli("trace", "forward", f"{two}:{number}", option, out).out == wanted
        assert "--dir" not in cli("trace", "--help").out
