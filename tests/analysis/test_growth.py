"""The work of the analyses grows with the size of a kernel, not with its square: counted in calls, not in seconds."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType

import pytest

from intent2cuda.analysis import check
from intent2cuda.analysis.alias import overlaps
from intent2cuda.analysis.relation_text import relations_text
from intent2cuda.ir.builder import Builder
from intent2cuda.ir.kernel import Kernel
from intent2cuda.ir.verify import verify
from intent2cuda.types.dtype import F32
from intent2cuda.types.value_type import Access


def sum_of_views(size: int) -> Kernel:
    b = Builder("kernel")
    total = b.load(b.view("first", F32, ("N",)), None)
    for number in range(size):
        total = b.pointwise("add", total, b.load(b.view(f"x{number}", F32, ("N",)), None))
    b.store(b.view("y", F32, ("N",), Access.OUT), (None,), total)
    return b.finish()


def columns(size: int) -> Kernel:
    """One store of each point for each column."""
    b = Builder("kernel")
    x, y = b.view("x", F32, ("N", size)), b.view("y", F32, ("N", size), Access.OUT)
    with b.parallel(b.domain(0, b.dim("N"))) as (i,):
        for number in range(size):
            column = b.constant(number)
            b.store(y, (i, column), b.load(x, i, column))
    return b.finish()


def again(size: int) -> Kernel:
    """One element of each point, changed again and again."""
    b = Builder("kernel")
    y = b.view("y", F32, ("N",), Access.INOUT)
    with b.parallel(b.domain(0, b.dim("N"))) as (i,):
        for _ in range(size):
            b.store(y, (i,), b.pointwise("exp", b.load(y, i)))
    return b.finish()


def indices(size: int) -> Kernel:
    """A long chain of index arithmetic."""
    b = Builder("kernel")
    x, y = b.view("x", F32, (64,)), b.view("y", F32, (64,), Access.OUT)
    place = b.indices(b.domain(0, 64), name="place")
    for number in range(size):
        five, many = (b.broadcast(b.constant(c), (None,), (64,)) for c in (5, 64))
        shifted = b.pointwise("mul", place, b.broadcast(b.constant(number % 7), (None,), (64,)))
        place = b.pointwise("mod", b.pointwise("add", shifted, five), many, name="place")
    b.store(y, (None,), b.load(x, place))
    return b.finish()


def work(run: Callable[[Kernel], object], kernel: Kernel) -> int:
    """How many functions of Python are called."""
    calls = 0

    def count(frame: FrameType, event: str, _: object) -> None:
        nonlocal calls
        calls += event == "call"

    sys.setprofile(count)
    try:
        run(kernel)
    finally:
        sys.setprofile(None)
    return calls


@pytest.mark.parametrize("run", [check, overlaps, relations_text])
@pytest.mark.parametrize("make", [sum_of_views, columns, again, indices])
def test_twice_the_kernel_is_twice_the_work(run: Callable[[Kernel], object], make: Callable[[int], Kernel]) -> None:
    small, large = (work(run, verify(make(size))) for size in (60, 120))
    assert large < 2.5 * small
