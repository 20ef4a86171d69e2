"""Emitted text of the cases in `cases/`, each a file with one kernel."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from intent2cuda.emit.project import emit_project
from intent2cuda.lower import lower
from intent2cuda.parse import kernel_names, load_source, parse_kernel
from intent2cuda.plan.planner import plan

CASES = Path(__file__).parent / "cases"

Emitted = Callable[[str, str], dict[str, str]]


@pytest.fixture
def emitted() -> Emitted:
    """The files of a case's project for a target: path -> text."""

    def files(case: str, target: str) -> dict[str, str]:
        path = CASES / f"{case}.py"
        (name,) = kernel_names(load_source(path))
        program = lower(plan(parse_kernel(path, name, {}).kernel, target).concrete)
        return emit_project(program.unit.interface.cpp_name, (program,), ("sm_80",)).files

    return files


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "case" in metafunc.fixturenames:
        metafunc.parametrize("case", sorted(path.stem for path in CASES.glob("*.py")))
    if "target" in metafunc.fixturenames:
        metafunc.parametrize("target", ("cpu", "cuda"))
