"""What happens around the native call: statuses, threads, cost."""

from __future__ import annotations

import sys
import threading
import timeit
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from intent2cuda import (
    AliasError,
    CallError,
    CapacityError,
    DeviceError,
    ExecutionError,
    IntentError,
    ShapeError,
    StrideError,
)
from intent2cuda._bridge import Entry
from intent2cuda.api.errors import call_error
from intent2cuda.api.signature import signature_of
from intent2cuda.project.interface import Interface, Parameter

MakeEntry = Callable[..., Entry]


@pytest.mark.parametrize(
    ("status", "error", "base"),
    [
        (1, ShapeError, ValueError),
        (2, StrideError, ValueError),
        (3, AliasError, ValueError),
        (4, CapacityError, RuntimeError),
        (5, DeviceError, RuntimeError),
        (6, ExecutionError, RuntimeError),
    ],
)
def test_statuses_become_errors(entry: MakeEntry, status: int, error: type[CallError], base: type) -> None:
    fail = entry("fail", Parameter("status", "scalar", "i32"))
    with pytest.raises(error, match=r"^fail: told to fail(\nhelp: .*)?$") as caught:
        fail(status)
    assert isinstance(caught.value, base)
    assert isinstance(caught.value, IntentError)


def test_the_interpreter_runs_on_during_a_call(entry: MakeEntry) -> None:
    sleep = entry("sleep", Parameter("milliseconds", "scalar", "i32"))
    thread = threading.Thread(target=sleep, args=(300,))
    thread.start()
    steps = 0
    while thread.is_alive():
        steps += 1
    assert steps > 1000


def test_calls_from_several_threads(axpy: Entry) -> None:
    results = [np.zeros(64, np.float32) for _ in range(4)]
    failures: list[str] = []

    def work(y: np.ndarray) -> None:
        x = np.ones(64, np.float32)
        for i in range(2000):
            axpy(x, y, 1.0)
            try:
                axpy(x, y[: 1 + i % 63], 1.0)
            except ShapeError as error:
                if f"extent {1 + i % 63} " not in str(error):
                    failures.append(str(error))

    threads = [threading.Thread(target=work, args=(y,)) for y in results]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert all((y == 2000).all() for y in results)


def test_refused_calls_keep_nothing_alive(axpy: Entry) -> None:
    x, y = np.zeros(3, np.float32), np.zeros(4, np.float32)
    before = sys.getrefcount(x), sys.getrefcount(y)
    for _ in range(50):
        with pytest.raises(ShapeError):
            axpy(x, y, 1.0)
    assert (sys.getrefcount(x), sys.getrefcount(y)) == before


def test_without_a_library_an_entry_only_checks() -> None:
    check = Entry(signature_of(Interface("k", (Parameter("x", "in", "f32", (2,)),))), call_error)
    check(np.zeros(2, np.float32))
    with pytest.raises(ShapeError):
        check(np.zeros(3, np.float32))


def test_libraries_that_do_not_fit(probe: Path, tmp_path: Path) -> None:
    signature = signature_of(Interface("k", ()))
    with pytest.raises(RuntimeError, match="has no symbol nothing_call"):
        Entry(signature, call_error, str(probe), "nothing_call", "probe_last_error")
    with pytest.raises(RuntimeError, match="cannot open shared object file"):
        Entry(signature, call_error, str(tmp_path / "none.so"), "k_call", "k_last_error")


def test_cost_of_a_call(axpy: Entry, capsys: pytest.CaptureFixture[str]) -> None:
    x, y = np.zeros(1, np.float32), np.zeros(1, np.float32)
    seconds = min(timeit.repeat(lambda: axpy(x, y, 1.0), number=20_000, repeat=5)) / 20_000
    with capsys.disabled():
        print(f"\na call with two arrays and a scalar: {seconds * 1e6:.2f} microseconds")
    assert seconds > 0
