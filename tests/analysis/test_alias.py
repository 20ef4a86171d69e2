"""Which views of a kernel may be one memory."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from intent2cuda.analysis.alias import Tolerance, overlaps
from intent2cuda.ir.builder import Builder
from intent2cuda.ir.ops import Combiner
from intent2cuda.ir.value import Value
from intent2cuda.types.dtype import F32, I32
from intent2cuda.types.value_type import Access


def views(b: Builder) -> tuple[Value, Value]:
    """x: In f32[M, N], y: Out f32[M, N]"""
    return b.view("x", F32, ("M", "N")), b.view("y", F32, ("M", "N"), Access.OUT)


def whole(b: Builder) -> None:
    x, y = views(b)
    b.store(y, (None, None), b.pointwise("exp", b.load(x, None, None)))


def of_each_point(b: Builder) -> None:
    x, y = views(b)
    with b.parallel(b.domain(0, b.dim("M")), b.domain(0, b.dim("N"))) as (i, j):
        b.store(y, (i, j), b.pointwise("exp", b.load(x, i, j)))


def normalised_rows(b: Builder) -> None:
    x, y = views(b)
    with b.parallel(b.domain(0, b.dim("M"))) as (i,):
        row = b.load(x, i, None)
        total = b.reduce(Combiner.ADD, row, (0,))
        b.store(y, (i, None), b.pointwise("div", row, b.broadcast(total, (None,), row.tensor.shape)))


def guarded_point(b: Builder) -> None:
    x, y = views(b)
    with b.parallel(b.domain(0, b.dim("M"))) as (i,):
        value = b.load(x, i, b.constant(0))
        positive = b.pointwise("gt", value, b.constant(0.0, F32))

        def store() -> list[Value]:
            b.store(y, (i, b.constant(0)), value)
            return []

        b.branch(positive, store, lambda: [])


def other_columns(b: Builder) -> None:
    x, y = b.view("x", F32, (4, 8)), b.view("y", F32, (4, 8), Access.OUT)
    with b.parallel(b.domain(0, 4)) as (i,):
        b.store(y, (i, b.constant(0)), b.load(x, i, b.constant(1)))


def neighbour(b: Builder) -> None:
    x, y = b.view("x", F32, (16,)), b.view("y", F32, (16,), Access.OUT)
    with b.parallel(b.domain(0, 15)) as (i,):
        b.store(y, (i,), b.load(x, b.dim(i.as_symbol + 1)))


def transposed(b: Builder) -> None:
    x, y = b.view("x", F32, ("N", "N")), b.view("y", F32, ("N", "N"), Access.OUT)
    b.store(y, (None, None), b.transpose(b.load(x, None, None), (1, 0)))


def product(b: Builder) -> None:
    x, y = b.view("x", F32, ("N", "N")), b.view("y", F32, ("N", "N"), Access.OUT)
    value = b.load(x, None, None)
    b.store(y, (None, None), b.contract(value, value, ((1, 0),)))


def sum_of_all(b: Builder) -> None:
    x, y = b.view("x", F32, ("N",)), b.view("y", F32, ("N",), Access.OUT)
    value = b.load(x, None)
    b.store(y, (None,), b.broadcast(b.reduce(Combiner.ADD, value, (0,)), (None,), value.tensor.shape))


def sums_of_rows_along_columns(b: Builder) -> None:
    x, y = b.view("x", F32, ("N", "N")), b.view("y", F32, ("N", "N"), Access.OUT)
    value = b.load(x, None, None)
    total = b.broadcast(b.reduce(Combiner.ADD, value, (1,)), (None, 0), value.tensor.shape)
    b.store(y, (None, None), b.pointwise("div", value, total))


def read_again_after_the_write(b: Builder) -> None:
    x, y = views(b)
    b.store(y, (None, None), b.load(x, None, None))
    b.store(y, (None, None), b.load(x, None, None))


def gathered(b: Builder) -> None:
    x, y = b.view("x", F32, ("N",)), b.view("y", F32, ("N",), Access.OUT)
    with b.parallel(b.domain(0, b.dim("N"))) as (i,):
        b.store(y, (i,), b.load(x, b.load(b.view("t", I32, ("N",)), i)))


def before_the_loop(b: Builder) -> None:
    x, y = b.view("x", F32, ("N",)), b.view("y", F32, ("N",), Access.OUT)
    value = b.load(x, None)
    with b.parallel(b.domain(0, b.dim("N"))) as (i,):
        b.store(y, (i,), b.gather(value, i))


def normalised_at_once(b: Builder) -> None:
    """The rows of a whole tensor, whose sums get an axis of 1 before they are stretched along it."""
    x, y = views(b)
    value = b.load(x, None, None)
    total = b.reduce(Combiner.ADD, value, (1,))
    narrow = b.broadcast(total, (0, None), (value.tensor.shape[0], 1))
    b.store(y, (None, None), b.pointwise("div", value, b.broadcast(narrow, (0, 1), value.tensor.shape)))


SAME = (whole, of_each_point, normalised_rows, normalised_at_once, guarded_point, other_columns)
DISJOINT = (
    neighbour,
    transposed,
    product,
    sum_of_all,
    sums_of_rows_along_columns,
    read_again_after_the_write,
    gathered,
    before_the_loop,
)


def name(make: Callable[[Builder], None]) -> str:
    return make.__name__


def tolerance(make: Callable[[Builder], None]) -> Tolerance:
    b = Builder("kernel")
    make(b)
    found = {(o.written.name, o.other.name): o for o in overlaps(b.finish())}
    answer = found[("y", "x")]
    assert bool(answer.reason) == (answer.tolerance is Tolerance.DISJOINT)
    return answer.tolerance


@pytest.mark.parametrize("make", SAME, ids=name)
def test_one_memory_is_fine(make: Callable[[Builder], None]) -> None:
    assert tolerance(make) is Tolerance.SAME_OR_DISJOINT


@pytest.mark.parametrize("make", DISJOINT, ids=name)
def test_only_disjoint_memory(make: Callable[[Builder], None]) -> None:
    assert tolerance(make) is Tolerance.DISJOINT


def test_two_written_views_are_listed_once_and_disjoint() -> None:
    b = Builder("two")
    x, y = b.view("x", F32, ("N",), Access.INOUT), b.view("y", F32, ("N",), Access.OUT)
    value = b.load(x, None)
    b.store(x, (None,), value)
    b.store(y, (None,), value)
    assert [(o.written.name, o.other.name, o.tolerance) for o in overlaps(b.finish())] == [
        ("x", "y", Tolerance.DISJOINT)
    ]
