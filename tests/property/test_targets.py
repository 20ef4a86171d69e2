"""Compiled targets agree with the interpreter on random kernels, many in one translation unit."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import intent2cuda as intent

from .arrays import arguments
from .effort import EFFORT
from .programs import HEAD, row_kernels, whole_kernels

UNITS = settings(
    deadline=None,
    max_examples=2 * EFFORT,
    derandomize=EFFORT == 1,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
SOURCES = st.lists(row_kernels(products=False) | whole_kernels(products=False), min_size=12, max_size=12)
GIVEN = ("a", "f", "v", "w", "n", "p", "q", "r")
EXTENTS = [(0, 3), (3, 0), (1, 1), (4, 9), (7, 33)]


@pytest.mark.parametrize("target", ["cpu", "cuda-sim"])
@UNITS
@given(sources=SOURCES)
def test_targets_agree_with_the_interpreter(target: str, sources: list[str]) -> None:
    start = HEAD.index("@intent.kernel")
    named = [source[start:].replace("def kernel(", f"def kernel{k}(") for k, source in enumerate(sources)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kernels.py"
        path.write_text(HEAD[:start] + "\n\n".join(named))
        kernels = [intent.load(f"{path}:kernel{k}") for k in range(len(sources))]
        compiled = intent.compile(kernels, target=target)
        reference = intent.compile(kernels, target="reference")
        for source, artifact, oracle in zip(named, compiled, reference, strict=True):
            for seed, extents in enumerate(EXTENTS):
                actual, wanted = ({name: arguments(*extents, seed)[name] for name in GIVEN} for _ in range(2))
                artifact(*actual.values())
                oracle(*wanted.values())
                for name in "pqr":
                    np.testing.assert_array_equal(actual[name], wanted[name], err_msg=source)
