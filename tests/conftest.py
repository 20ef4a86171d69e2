"""Fixtures and options of all tests."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from xdist.scheduler import WorkStealingScheduling

from .requirements.report import Report

LONG = ("runtime/test_ctest.py", "conformance/test_cases.py")
CXX_FLAGS = "INTENT2CUDA_CXXFLAGS"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="rewrite expected texts; read the diff as code")
    parser.addoption("--req-report", action="store_true", help="print each requirement with its tests")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "req(*rows): the requirement rows that the test shows")
    if "INTENT2CUDA_TEST_EFFORT" not in os.environ:
        os.environ.setdefault(CXX_FLAGS, "-O1")  # loops that have to become vectors still do
    if config.getoption("--req-report"):
        config.pluginmanager.register(Report(config), "req-report")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes minutes comes first: the others fill what is left of the processors."""
    items.sort(key=lambda item: not item.path.as_posix().endswith(LONG))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> WorkStealingScheduling:
    """Whoever has nothing left takes over what another has not begun."""
    return WorkStealingScheduling(config, log)


@pytest.fixture
def as_shipped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels are compiled as those of users are: the other tests want their answers, and soon."""
    monkeypatch.delenv(CXX_FLAGS, raising=False)


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """Compares a text with `golden/<test file>/<name>` beside the test file."""
    folder = Path(request.path).parent / "golden" / Path(request.path).stem
    return Golden(folder, bool(request.config.getoption("--update-golden")))


class Golden:
    def __init__(self, folder: Path, update: bool) -> None:
        self._folder = folder
        self._update = update

    def check(self, name: str, text: str) -> None:
        """Fails where `text` is not the expected one; with --update-golden it becomes the expected one."""
        path = self._folder / name
        if self._update:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert path.exists(), f"{path} is missing; pytest --update-golden creates it"
        assert text == path.read_text(encoding="utf-8")
