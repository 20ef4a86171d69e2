"""Which tests show which requirement: `pytest --req-report` prints it, and fails on a demanded row without one.

Rows that wait for something are stated with the reason; one that has a test nevertheless fails the report as well.

A row counts when one of its tests passed; with --collect-only, when one was collected. Beside marked tests the cases of
conformance/cases count for the rows of their first line, and refused programs for the rows of requirements.toml, where
the run of their area or topic covers them.
"""

from __future__ import annotations

import ast
import re
import textwrap
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import pytest

from ..conformance.scope import is_outside

TESTS = Path(__file__).resolve().parents[1]
LAYERS = {"P": "planning", "S": "planning rules", "L": "language", "K": "kernel and host"}
WIDTH = 120

Shown = Mapping[str, frozenset[str]]


@dataclass(frozen=True)
class Requirements:
    """The rows with their sentences, the layers that need a test for each row, and the rows of refused programs.

    open: rows of those layers that wait, with what each waits for.
    """

    sentences: Mapping[str, str]
    demanded: tuple[str, ...]
    refused: Mapping[str, tuple[str, ...]]
    open: Mapping[str, str] = field(default_factory=dict[str, str])

    @classmethod
    def read(cls, path: Path = TESTS / "requirements.toml") -> Requirements:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
        refused = {row: tuple(programs) for row, programs in found["refused"].items()}
        return cls(found["sentences"], tuple(found["demanded"]), refused, found["open"])

    def missing(self, shown: Shown) -> tuple[str, ...]:
        """The rows of the demanded layers that no test shows, without those that wait."""
        return tuple(
            row for row in self.sentences if row[0] in self.demanded and row not in self.open and not shown.get(row)
        )

    def arrived(self, shown: Shown) -> tuple[str, ...]:
        """The rows that are said to wait and have a test."""
        return tuple(row for row in self.open if shown.get(row))


@cache
def rows_of_cases(area: str, target: str) -> tuple[tuple[str, str], ...]:
    """Row and file of the cases of an area of which a target supports every kernel."""
    found: list[tuple[str, str]] = []
    for path in sorted((TESTS / "conformance" / "cases" / area).glob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
        kernels = [f.name for f in functions if any(ast.unparse(d) == "intent.kernel" for d in f.decorator_list)]
        if not any(is_outside(f"{area}/{path.stem}.{kernel}", "kernels", target) for kernel in kernels):
            rows = re.findall(r"\b[A-Z]\d+\b", (ast.get_docstring(tree) or "").partition("Rows:")[2])
            found += ((row, path.relative_to(TESTS.parent).as_posix()) for row in rows)
    return tuple(found)


def rows_of_programs(requirements: Requirements, topic: str) -> Iterator[tuple[str, str]]:
    """Row and program of a topic of refused programs."""
    for row, programs in requirements.refused.items():
        for program in programs:
            if program.startswith(f"{topic}/") and not is_outside(program, "programs"):
                yield row, f"tests/conformance/reject/{program}"


def rows_of(item: pytest.Item, requirements: Requirements) -> Iterator[tuple[str, str]]:
    """The rows that a test shows, each with the name under which the table lists it."""
    name = item.nodeid.partition("[")[0]
    yield from ((row, name) for mark in item.iter_markers("req") for row in mark.args)
    if isinstance(item, pytest.Function) and item.path.parent == TESTS / "conformance":
        match item.originalname:
            case "test_areas":
                for area in item.callspec.params["areas"]:
                    yield from rows_of_cases(area, item.callspec.params["target"])
            case "test_topics":
                for topic in item.callspec.params["topics"]:
                    yield from rows_of_programs(requirements, topic)
            case _:
                pass


def table(requirements: Requirements, shown: Shown) -> str:
    """Each row with its sentence, the number of its tests and their names; then a line for each layer."""
    lines: list[str] = []
    for row, sentence in requirements.sentences.items():
        tests = sorted(shown.get(row, ()))
        lines += _wrapped(sentence, f"{row:5}{len(tests):3}  ")
        lines += _wrapped(", ".join(tests), "") if tests else ()
    for layer, meaning in LAYERS.items():
        rows = [row for row in requirements.sentences if row[0] == layer]
        lines.append(
            f"{layer} ({meaning}): {sum(bool(shown.get(row)) for row in rows)} of {len(rows)} rows have a test"
        )
    for row, reason in requirements.open.items():
        lines += _wrapped(reason, f"{row:5}waits: ")
    missing, arrived = requirements.missing(shown), requirements.arrived(shown)
    lines += _wrapped(", ".join(missing), "demanded, without a test: ") if missing else ()
    lines += _wrapped(", ".join(arrived), "said to wait, with a test: ") if arrived else ()
    return "\n".join(lines)


def _wrapped(text: str, head: str) -> list[str]:
    return textwrap.wrap(
        text, WIDTH, initial_indent=head or " " * 10, subsequent_indent=" " * 10, break_on_hyphens=False
    )


class Report:
    """The plugin behind --req-report. Rows travel in the properties of test reports, also from other processes."""

    def __init__(self, config: pytest.Config) -> None:
        self._requirements = Requirements.read()
        self._collect_only = bool(config.getoption("collectonly"))
        self._is_worker = hasattr(config, "workerinput")
        self._shown: defaultdict[str, set[str]] = defaultdict(set)

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        for item in items:
            for row, name in rows_of(item, self._requirements):
                if row not in self._requirements.sentences:
                    raise pytest.UsageError(f"{name} is marked with {row}, which requirements.toml does not have")
                item.user_properties.append(("req", (row, name)))

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        if self._collect_only:
            for item in session.items:
                self._count(item.user_properties)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" and report.passed:
            self._count(report.user_properties)

    def _count(self, properties: list[tuple[str, object]]) -> None:
        for key, value in properties:
            if key == "req" and isinstance(value, tuple | list):
                row, name = value
                self._shown[row].add(name)

    def shown(self) -> Shown:
        return {row: frozenset(names) for row, names in self._shown.items()}

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        wrong = self._requirements.missing(self.shown()) or self._requirements.arrived(self.shown())
        if not self._is_worker and not session.exitstatus and wrong:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        terminalreporter.section("requirements")
        terminalreporter.write_line(table(self._requirements, self.shown()))
