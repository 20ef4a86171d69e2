"""The tree of typed errors."""

from __future__ import annotations

import pytest

import intent2cuda as intent
from intent2cuda.api.errors import call_error
from intent2cuda.project.errors import ToolchainError

TREE = [
    ("argument", intent.ArgumentError, TypeError),
    ("dtype", intent.DTypeError, TypeError),
    ("shape", intent.ShapeError, ValueError),
    ("stride", intent.StrideError, ValueError),
    ("alias", intent.AliasError, ValueError),
    ("capacity", intent.CapacityError, RuntimeError),
    ("device", intent.DeviceError, RuntimeError),
    ("internal", intent.ExecutionError, RuntimeError),
]


@pytest.mark.parametrize(("kind", "error", "base"), TREE)
def test_kinds(kind: str, error: type[intent.CallError], base: type) -> None:
    raised = call_error(kind, "k: parameter `x` is wrong")
    assert type(raised) is error
    assert isinstance(raised, base) and isinstance(raised, intent.IntentError)
    (diagnostic,) = raised.diagnostics
    assert (diagnostic.code, diagnostic.message) == (f"call.{kind}", "k: parameter `x` is wrong")
    assert str(raised) == diagnostic.message + (f"\nhelp: {diagnostic.help}" if kind == "alias" else "")
    assert diagnostic.line is None and diagnostic.severity.value == "error"


def test_simulation_errors_have_one_diagnostic_a_report() -> None:
    error = intent.SimulationError("k", ["race at k.cu:3", "out of bounds at k.cu:9"])
    assert [d.message for d in error.diagnostics] == ["k: race at k.cu:3", "k: out of bounds at k.cu:9"]
    assert str(error) == "k: race at k.cu:3\nk: out of bounds at k.cu:9"


def test_toolchain_errors_are_runtime_errors_with_help() -> None:
    error = ToolchainError("toolchain.missing", "nvcc was not found", "install it")
    assert isinstance(error, RuntimeError) and isinstance(error, intent.IntentError)
    assert str(error) == "error[toolchain.missing]: nvcc was not found\nhelp: install it"
