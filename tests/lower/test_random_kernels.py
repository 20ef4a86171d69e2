"""Random kernels are planned, lowered and verified for each target, and their text does what the plan says."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent2cuda.pipeline.front import front

from ..property.effort import examples
from ..property.programs import row_kernels, whole_kernels
from ..property.wide import wide_kernels
from .conserved import TARGETS, differences


@pytest.mark.req("P100", "P101")
@examples(12)
@given(source=st.one_of(row_kernels(), whole_kernels(), wide_kernels()))
def test_random_kernels_do_what_their_plans_say(source: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kernel.py"
        path.write_text(source)
        kernel = front(path, "kernel").kernel
        for target in TARGETS:
            assert differences(kernel, target) == [], target
