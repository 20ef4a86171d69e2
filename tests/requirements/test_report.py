"""The table of requirements: complete for the demanded layers, and only what passed counts."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from ..conformance.reject import catalogue
from .report import TESTS, Report, Requirements, table

SMALL = Requirements({"L1": "Domains are ordered.", "P1": "Plans are typed."}, ("L",), {})


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-P", "-m", "pytest", "--req-report", "-p", "no:cacheprovider", *arguments]
    return subprocess.run(command, cwd=TESTS.parent, capture_output=True, text=True, check=False)


def test_every_demanded_row_has_a_test_or_waits_for_something_that_is_stated() -> None:
    done = run("--collect-only")
    assert done.returncode == 0, done.stdout[-3000:]
    shown = done.stdout.partition("= requirements =")[2]
    waiting = Requirements.read().open
    assert re.findall(r"^(\w+) +waits: (.+)$", shown, re.MULTILINE) == list(waiting.items())
    assert [row for row, count in re.findall(r"^([PS]\d+) +(\d+)  ", shown, re.MULTILINE) if count == "0"] == list(
        waiting
    )


def test_a_row_without_a_passed_test_fails_the_run() -> None:
    done = run("tests/ir/test_reader.py", "-k", "names_of_locals")
    shown = done.stdout.partition("= requirements =")[2]
    assert done.returncode == 1 and "1 passed" in done.stdout
    assert "L16    1  " in shown and "L1     0  " in shown
    assert "tests/ir/test_reader.py::test_names_of_locals_do_not_change_the_digest" in shown
    assert "demanded, without a test: P1, " in shown


def test_only_demanded_layers_can_miss_a_test() -> None:
    assert SMALL.missing({}) == ("L1",)
    assert SMALL.missing({"L1": frozenset({"tests/a.py::test_a"})}) == ()


def test_a_row_that_waits_is_stated_and_misses_nothing_until_it_has_a_test() -> None:
    waiting = replace(SMALL, demanded=("L", "P"), open={"P1": "there are no plans yet"})
    shown = {"L1": frozenset({"tests/a.py::test_a"})}
    assert waiting.missing(shown) == waiting.arrived(shown) == ()
    assert "P1   waits: there are no plans yet" in table(waiting, shown).splitlines()
    both = {**shown, "P1": frozenset({"tests/b.py::test_b"})}
    assert waiting.arrived(both) == ("P1",)
    assert table(waiting, both).endswith("said to wait, with a test: P1")


def test_each_row_stands_with_its_sentence_and_the_names_of_its_tests() -> None:
    lines = table(SMALL, {"L1": frozenset({"tests/b.py::test_b", "tests/a.py::test_a"})}).splitlines()
    assert lines[:3] == [
        "L1     2  Domains are ordered.",
        "          tests/a.py::test_a, tests/b.py::test_b",
        "P1     0  Plans are typed.",
    ]
    assert "L (language): 1 of 1 rows have a test" in lines


@pytest.mark.parametrize(("when", "outcome", "counts"), [("call", "passed", True), ("call", "failed", False)])
def test_only_what_passed_counts(pytestconfig: pytest.Config, when: str, outcome: str, counts: bool) -> None:
    report = Report(pytestconfig)
    properties: list[tuple[str, object]] = [("req", ("L1", "tests/a.py::test_a")), ("other", "value")]
    done = pytest.TestReport("tests/a.py::test_a", ("", None, ""), {}, outcome, None, when, user_properties=properties)
    report.pytest_runtest_logreport(done)
    assert report.shown() == ({"L1": {"tests/a.py::test_a"}} if counts else {})


def test_refused_programs_of_the_table_exist_and_are_illegal() -> None:
    illegal = {p.name for path in catalogue.topic_files() for p in catalogue.read(path) if not p.legal}
    listed = [program for programs in Requirements.read().refused.values() for program in programs]
    assert listed and not set(listed) - illegal


def test_rows_of_the_table_have_sentences() -> None:
    requirements = Requirements.read()
    assert not {*requirements.refused, *requirements.open} - set(requirements.sentences)
    assert len(requirements.sentences) == len(set(requirements.sentences.values()))
    assert Path(TESTS / "requirements.toml").read_text(encoding="utf-8").isascii()
