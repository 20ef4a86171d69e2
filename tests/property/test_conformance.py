"""The naive evaluator gives the answers of the conformance cases that are small enough for it."""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from intent2cuda.ir.kernel import Kernel
from intent2cuda.parse import parse_kernel

from .naive import Naive

TESTS = Path(__file__).resolve().parents[1]
AREAS = sorted(p.name for p in (TESTS / "conformance" / "cases").iterdir() if any(p.glob("[a-z]*.py")))
ELEMENTS = 400  # of all arrays of a case together


@pytest.fixture
def suite(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The suite as its own package, which its cases import."""
    monkeypatch.syspath_prepend(str(TESTS))
    from conformance import suite

    return suite


@pytest.mark.req("L61", "L62", "L63", "L64", "L90", "L94", "L95", "L96")
@pytest.mark.parametrize("area", AREAS)
def test_answers(suite: Any, area: str) -> None:
    tried = 0
    for path in suite.files(area):
        kernels: dict[tuple[str, str], Kernel] = {}
        for name, case in suite.named_cases(path).items():
            if case.raises or case.same_array or size(case) > ELEMENTS:
                continue
            key = case.kernel, str(case.constexprs)
            if key not in kernels:
                kernels[key] = parse_kernel(path, case.kernel, case.constexprs).kernel
            found = answers(kernels[key], case, suite.parameters(path)[case.kernel])
            wrong = fault(found, case)
            assert wrong is None, f"{path.name}: {name}: {wrong}"
            tried += 1
    assert tried


def size(case: Any) -> int:
    shapes = [np.shape(value) for value in case.inputs] + [answer.shape for answer in case.expected.values()]
    return sum(int(np.prod(shape)) for shape in shapes)


def answers(kernel: Kernel, case: Any, parameters: list[Any]) -> Mapping[str, Any]:
    """The arrays of the outputs after a run."""
    given = iter(case.inputs)
    arguments: dict[str, Any] = {}
    for parameter in parameters:
        if parameter.kind == "Out":
            answer = case.expected[parameter.name]
            arguments[parameter.name] = np.zeros(answer.shape, answer.dtype)
        elif parameter.kind != "Constexpr":
            value = next(given)
            arguments[parameter.name] = value.copy() if isinstance(value, np.ndarray) else value
    Naive(kernel, arguments, random.Random(0)).run()
    return {name: arguments[name] for name in case.expected}


def fault(found: Mapping[str, Any], case: Any) -> str | None:
    from conformance.compare import difference

    for name, answer in case.expected.items():
        if isinstance(answer, np.ndarray) and (wrong := difference(found[name], answer, case)):
            return f"{name}: {wrong}"
    return case.check(found) if case.check else None
