"""Two readings of the language agree on random kernels, as parsed, and as read back after the rewrites."""

from __future__ import annotations

import random
import re
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent2cuda import interpret, rewrite
from intent2cuda.ir import printer, reader, verify
from intent2cuda.ir.kernel import Kernel
from intent2cuda.parse import parse_kernel

from .arrays import OUTPUTS, arguments, plain
from .effort import examples
from .naive import Naive
from .programs import row_kernels, whole_kernels
from .wide import wide_kernels

EXTENTS = st.tuples(st.integers(0, 5), st.integers(0, 5))
SEEDS = st.integers(0, 2**32 - 1)


def parsed(source: str) -> Kernel:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kernel.py"
        path.write_text(source)
        return parse_kernel(path, "kernel").kernel


def agree(source: str, extents: tuple[int, int], seed: int) -> None:
    kernel = parsed(source)
    text = printer.text(verify.verify(rewrite.run(kernel)))
    read_back = reader.read(text)
    assert printer.text(read_back) == text
    odd = re.search(r"h: I\.In\[I\.(\w+)", source)
    dtype = odd[1] if odd else "i32"
    wanted = arguments(*extents, seed, dtype)
    Naive(kernel, wanted, random.Random(seed)).run()
    for variant, checked, drawn in ((kernel, False, None), (kernel, True, seed), (read_back, True, None)):
        actual = arguments(*extents, seed, dtype)
        interpret.run(variant, actual, checked=checked, seed=drawn)
        for name in OUTPUTS:
            np.testing.assert_array_equal(plain(actual[name]), plain(wanted[name]), err_msg=name)


@examples(25)
@given(source=whole_kernels(), extents=EXTENTS, seed=SEEDS)
def test_whole_tensors(source: str, extents: tuple[int, int], seed: int) -> None:
    agree(source, extents, seed)


@pytest.mark.req("L45")
@examples(25)
@given(source=row_kernels(), extents=EXTENTS, seed=SEEDS)
def test_rows_with_control(source: str, extents: tuple[int, int], seed: int) -> None:
    agree(source, extents, seed)


@pytest.mark.req("L61", "L62", "L67", "L69", "L70", "L79", "L80", "L91", "L92")
@examples(60)
@given(source=wide_kernels(), extents=EXTENTS, seed=SEEDS)
def test_the_whole_language(source: str, extents: tuple[int, int], seed: int) -> None:
    """Orders, groupings and cuts are drawn on both sides, each time otherwise."""
    agree(source, extents, seed)
