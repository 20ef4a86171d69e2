"""Every kernel of the examples gives NumPy's answer on every target, at odd sizes."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import intent2cuda as intent

from .cases import EXAMPLES, Case

FOLDER = Path(__file__).resolve().parents[2] / "examples"
TARGETS = ("reference", "cpu", "cuda-sim")
THOROUGH = "INTENT2CUDA_TEST_EFFORT" in os.environ
CALLS = [
    (example, target)
    for number, example in enumerate(EXAMPLES)
    for target in TARGETS
    if THOROUGH or target != "cuda-sim" or number % 3 == 0  # the simulator is slow
]


def compiled(example: str, cases: list[Case], target: str) -> dict[tuple[str, str], Any]:
    """The kernels that the cases call, by name and constexprs: those of one set of constexprs are one unit."""
    artifacts: dict[tuple[str, str], Any] = {}
    for constexprs in {repr(case.constexprs): case.constexprs for case in cases}.values():
        names = list(dict.fromkeys(case.kernel for case in cases if case.constexprs == constexprs))
        kernels = [intent.load(f"{FOLDER / example / 'kernel.py'}:{name}") for name in names]
        unit = intent.compile(kernels, target=target, constexprs=constexprs)
        artifacts |= {(name, repr(constexprs)): artifact for name, artifact in zip(names, unit, strict=True)}
    return artifacts


@pytest.mark.usefixtures("as_shipped")
@pytest.mark.parametrize(("example", "target"), CALLS)
def test_kernels_give_the_answers_of_numpy(example: str, target: str) -> None:
    cases = list(EXAMPLES[example](np.random.default_rng(0)))
    artifacts = compiled(example, cases, target)
    for case in cases:
        arguments = [a.copy() if isinstance(a, np.ndarray) else a for a in case.arguments]
        artifacts[case.kernel, repr(case.constexprs)](*arguments)
        for place, answer in case.answers.items():
            shapes = [a.shape for a in arguments if isinstance(a, np.ndarray)]
            np.testing.assert_allclose(
                arguments[place], answer, case.rtol, case.atol, err_msg=f"{case.kernel} of {shapes}"
            )
