"""A plan means what the kernel means, in whatever order the members of its unordered loops run."""

from __future__ import annotations

import random
import re

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from intent2cuda.plan import plan

from ..property.arrays import OUTPUTS, arguments, plain
from ..property.naive import Naive
from ..property.programs import row_kernels, whole_kernels
from ..property.test_agreement import EXTENTS, parsed
from .executed import Executed

SLOW = settings(
    deadline=None, max_examples=30, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


def agree(source: str, extents: tuple[int, int], seed: int) -> None:
    kernel = parsed(source)
    odd = re.search(r"h: I\.In\[I\.(\w+)", source)
    dtype = odd[1] if odd else "i32"
    wanted = arguments(*extents, seed, dtype)
    Naive(kernel, wanted, random.Random(seed)).run()
    for target in ("cpu", "cuda"):
        actual = arguments(*extents, seed, dtype)
        Executed(plan(kernel, target).concrete, actual, random.Random(seed)).run()
        for name in OUTPUTS:
            np.testing.assert_array_equal(plain(actual[name]), plain(wanted[name]), err_msg=name)


@SLOW
@given(source=whole_kernels(), extents=EXTENTS, seed=st.integers(0, 2**32 - 1))
def test_whole_tensors(source: str, extents: tuple[int, int], seed: int) -> None:
    agree(source, extents, seed)


@pytest.mark.req("L51")
@SLOW
@given(source=row_kernels(), extents=EXTENTS, seed=st.integers(0, 2**32 - 1))
def test_rows_with_control(source: str, extents: tuple[int, int], seed: int) -> None:
    agree(source, extents, seed)
