"""A plan means what the kernel means, in whatever order the members of its unordered loops run."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping
from itertools import permutations
from math import factorial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from intent2cuda.ir.kernel import Kernel
from intent2cuda.parse import parse_kernel
from intent2cuda.plan import plan

from ..property.arrays import OUTPUTS, arguments, plain
from ..property.effort import examples
from ..property.naive import Naive
from ..property.programs import row_kernels, whole_kernels
from ..property.test_agreement import EXTENTS, parsed
from ..property.wide import wide_kernels
from .executed import Executed
from .support import KERNELS

ATOMICS = Path(__file__).resolve().parents[1] / "conformance" / "cases" / "atomics"

SLOW = examples(15)


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


@pytest.mark.req("P55")
@SLOW
@given(source=wide_kernels(), extents=EXTENTS, seed=st.integers(0, 2**32 - 1))
def test_the_whole_language(source: str, extents: tuple[int, int], seed: int) -> None:
    """Atomic accesses too, with what they give."""
    agree(source, extents, seed)


class Orders(random.Random):
    """In place of chance: every order of every loop, one run after another."""

    def __init__(self) -> None:
        super().__init__()
        self.script: list[int] = []
        self.ways: list[int] = []

    def __iter__(self) -> Iterator[Orders]:
        while True:
            self.ways = []
            yield self
            while self.script and self.script[-1] + 1 == self.ways[len(self.script) - 1]:
                self.script.pop()
            if not self.script:
                return
            self.script[-1] += 1

    def shuffle(self, x: Any) -> None:
        place = len(self.ways)
        self.ways.append(factorial(len(x)))
        self.script += [0] * (place + 1 - len(self.script))
        which, left = self.script[place], list(x)
        x.clear()
        while left:
            which, picked = divmod(which, len(left))
            x.append(left.pop(picked))


def ends(of: Kernel, target: str, given: Mapping[str, Any], result: str) -> list[Any]:
    """What a result is after a run, for every order."""
    concrete = plan(of, target).concrete
    found: list[Any] = []
    for order in Orders():
        arguments = {name: np.copy(value) if isinstance(value, np.ndarray) else value for name, value in given.items()}
        Executed(concrete, arguments, order).run()
        found.append(arguments[result].tolist())
    return found


SQUARE = np.arange(4, dtype=np.float32).reshape(2, 2)


@pytest.mark.req("P55", "P79")
@pytest.mark.parametrize("target", ["cpu", "cuda"])
@pytest.mark.parametrize(
    ("path", "name", "given", "orders"),
    [
        (KERNELS, "saxpy", {"a": 2.0, "x": np.ones(4, np.float32), "y": np.arange(4, dtype=np.float32)}, 24),
        (KERNELS, "softmax_rows", {"x": SQUARE, "y": np.zeros((2, 2), np.float32)}, 2 * 8**2),
        (ATOMICS / "add.py", "count", {"key": np.array([1, 0, 1, 1], np.int32), "y": np.zeros(2, np.int32)}, 24),
    ],
    ids=["saxpy", "softmax", "count"],
)
def test_every_admissible_order_gives_the_same(
    path: Path, name: str, given: Mapping[str, Any], orders: int, target: str
) -> None:
    found = ends(parse_kernel(path, name).kernel, target, given, "y")
    assert len(found) == orders and all(each == found[0] for each in found)


@pytest.mark.req("P79")
@pytest.mark.parametrize("target", ["cpu", "cuda"])
def test_an_atomic_access_gives_what_it_found(target: str) -> None:
    """Every order hands out the same tickets, each once, and each order to others."""
    tickets = parse_kernel(ATOMICS / "old_values.py", "tickets", {"ORDER": 0}).kernel
    given = {"next_ticket": np.array([5], np.int32), "mine": np.zeros(3, np.int32)}
    assert sorted(ends(tickets, target, given, "mine")) == sorted(map(list, permutations((5, 6, 7))))
