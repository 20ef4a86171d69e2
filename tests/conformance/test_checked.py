"""Checked runs of the conformance cases, their points in an order of chance: legal kernels break no rule."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from intent2cuda import interpret, pipeline
from intent2cuda.ir.kernel import Kernel

HERE = Path(__file__).resolve().parent
AREAS = sorted(p.name for p in (HERE / "cases").iterdir() if p.is_dir() and any(p.glob("[a-z]*.py")))
LARGEST = 1 << 22  # elements of a call; larger ones only show that the suite's strides work


@pytest.mark.parametrize("area", AREAS)
def test_area(area: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(HERE.parent))
    from conformance import compare, guard, suite, worker  # what cases import is found from here on only

    count = 0
    for path in suite.files(area):
        signatures, kernels = suite.parameters(path), dict[tuple[Any, ...], Kernel]()
        for name, case in suite.named_cases(path).items():
            key = worker.specialisation(case)
            if case.raises or sum(np.size(value) for value in (*case.inputs, *case.expected.values())) > LARGEST:
                continue
            if key not in kernels:
                kernels[key] = pipeline.front(path, case.kernel, case.constexprs).kernel
            values, arrays = worker.arguments(case, signatures[case.kernel], guard.Memory())
            interpret.run(kernels[key], {**values, **arrays}, checked=True, seed=count)
            for output, wanted in case.expected.items():
                wrong = isinstance(wanted, np.ndarray) and compare.difference(arrays[output], wanted, case)
                assert not wrong, f"{name}: {output}: {wrong}"
            assert not (case.check and case.check({output: arrays[output] for output in case.expected})), name
            count += 1
    assert count
