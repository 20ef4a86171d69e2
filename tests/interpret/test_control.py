"""Loops and branches that differ from point to point, run in lockstep."""

from __future__ import annotations

import time

import numpy as np
import pytest

from intent2cuda.interpret import run
from intent2cuda.ir.builder import Builder
from intent2cuda.ir.op import Region
from intent2cuda.ir.ops import Allocate, Combiner, For, While, Yield
from intent2cuda.ir.value import Value
from intent2cuda.types.dtype import F32, I32, I64, INDEX
from intent2cuda.types.value_type import Access, BufferType, scalar


@pytest.mark.req("L54", "K37")
def test_branches_run_for_their_own_points_and_merge() -> None:
    b = Builder("sign")
    x, y = b.view("x", I32, ("N",)), b.view("y", I32, ("N",), Access.OUT)
    hits = b.view("hits", I32, ("N",), Access.INOUT)
    with b.parallel(b.domain(0, b.dim("N"))) as (i,):
        value, zero = b.load(x, i), b.constant(0, I32)

        def negative() -> tuple[Value]:
            b.store(hits, (i,), b.constant(1, I32))
            return (b.pointwise("neg", value),)

        (size,) = b.branch(b.pointwise("lt", value, zero), negative, lambda: (b.pointwise("add", value, value),))
        b.store(y, (i,), size)
    for numbers in ([3, -4, 0, -7], [1, 2], [-1, -2], []):
        given = np.array(numbers, np.int32)
        result, marks = np.empty_like(given), np.zeros_like(given)
        run(b.finish(), {"x": given, "y": result, "hits": marks}, checked=True)
        assert result.tolist() == [-v if v < 0 else 2 * v for v in numbers]
        assert marks.tolist() == [int(v < 0) for v in numbers]


def collatz() -> Builder:
    b = Builder("collatz")
    x, y = b.view("x", I64, ("N",)), b.view("y", I64, ("N",), Access.OUT)
    with b.parallel(b.domain(0, b.dim("N"))) as (i,):
        one, two, three = (b.constant(n, I64) for n in (1, 2, 3))
        initial = (b.load(x, i), b.constant(0, I64))
        v, n, w, m = (b.fresh(scalar(I64)) for _ in range(4))
        test = b.region((v, n), lambda: (b.pointwise("ne", v, one),))

        def step() -> tuple[Value, Value]:
            even = b.pointwise("eq", b.pointwise("mod", w, two), b.constant(0, I64))
            odd = b.pointwise("add", b.pointwise("mul", three, w), one)
            return b.pointwise("select", even, b.pointwise("floordiv", w, two), odd), b.pointwise("add", m, one)

        results = (b.fresh(scalar(I64)), b.fresh(scalar(I64)))
        b.emit(While(initial, test, b.region((w, m), step), results))
        b.store(y, (i,), results[1])
    return b


@pytest.mark.req("L65", "K39")
def test_while_leaves_each_point_at_its_own_round() -> None:
    def length(v: int) -> int:
        return 0 if v == 1 else 1 + length(v // 2 if v % 2 == 0 else 3 * v + 1)

    x = np.array([1, 27, 2, 97, 6, 1])
    y = np.empty_like(x)
    run(collatz().finish(), {"x": x, "y": y})
    assert y.tolist() == [length(v) for v in x.tolist()]


def prefix_sums(stop: bool) -> Builder:
    """Sums x[row, :length[row]]; with `stop`, up to and with the first negative element."""
    b = Builder("prefix")
    x, lengths = b.view("x", I32, ("M", "N")), b.view("length", I32, ("M",))
    y = b.view("y", I32, ("M",), Access.OUT)
    with b.parallel(b.domain(0, b.dim("M"))) as (row,):
        zero = b.constant(0, I32)
        columns = b.domain(zero, b.load(lengths, row))
        index, total, after = b.fresh(scalar(INDEX)), b.fresh(scalar(I32)), b.fresh(scalar(I32))
        b._blocks.append([])
        element = b.load(x, row, index)
        summed = b.pointwise("add", total, element)
        last = Yield((summed,), b.pointwise("lt", element, zero) if stop else None)
        body = Region((index, total), (*b._blocks.pop(), last))
        b.emit(For(columns, (zero,), body, (after,)))
        b.store(y, (row,), after)
    return b


def test_loops_end_where_each_point_wants() -> None:
    rng = np.random.default_rng(0)
    x, lengths = rng.integers(-2, 9, (50, 12)).astype(np.int32), rng.integers(0, 13, 50).astype(np.int32)
    for stop in (False, True):
        wanted = []
        for row, length in zip(x.tolist(), lengths.tolist(), strict=True):
            part = row[:length]
            first = next((k + 1 for k, v in enumerate(part) if v < 0), length) if stop else length
            wanted.append(sum(part[:first]))
        y = np.empty(50, np.int32)
        run(prefix_sums(stop).finish(), {"x": x, "length": lengths, "y": y}, checked=True)
        assert y.tolist() == wanted


def test_tensors_whose_extents_differ_between_points() -> None:
    b = Builder("members")
    x, lengths = b.view("x", F32, ("M", "N")), b.view("length", I64, ("M",))
    y = b.view("y", F32, ("M",), Access.OUT)
    with b.parallel(b.domain(0, b.dim("M"))) as (row,):
        some = b.domain(b.constant(0, I64), b.load(lengths, row))
        b.store(y, (row,), b.reduce(Combiner.ADD, b.load(x, row, some), (0,)))
    x_, n = np.arange(24, dtype=np.float32).reshape(6, 4), np.array([0, 4, 2, 2, 1, 0])
    y_ = np.empty(6, np.float32)
    run(b.finish(), {"x": x_, "length": n, "y": y_}, checked=True)
    assert y_.tolist() == [float(row[:k].sum()) for row, k in zip(x_, n, strict=True)]


def test_inner_points_see_tensors_and_buffers_of_their_outer_point() -> None:
    b = Builder("inner")
    x, y = b.view("x", I32, ("M", "N")), b.view("y", I32, ("M", "N"), Access.OUT)
    with b.parallel(b.domain(0, b.dim("M"))) as (row,):
        values = b.load(x, row, None)
        total = b.reduce(Combiner.ADD, values, (0,))
        shared = b.emit(Allocate(b.fresh(BufferType(I32, values.tensor.shape), "shared"))).result
        with b.parallel(b.domain(0, b.dim("N"))) as (column,):
            b.store(shared, (column,), b.pointwise("sub", total, b.gather(values, column)))
        with b.parallel(b.domain(0, b.dim("N"))) as (column,):
            mirrored = b.dim(b.expression(b.dim("N")) - 1 - column.as_symbol)
            b.store(y, (row, column), b.load(shared, mirrored))
    x_ = np.arange(35, dtype=np.int32).reshape(5, 7)
    y_ = np.empty_like(x_)
    run(b.finish(), {"x": x_, "y": y_}, checked=True)
    np.testing.assert_array_equal(y_, (x_.sum(1, keepdims=True) - x_)[:, ::-1])


def test_nested_parallel_loops_of_different_lengths() -> None:
    b = Builder("triangle")
    y = b.view("y", I64, ("N", "N"), Access.INOUT)
    with b.parallel(b.domain(0, b.dim("N"))) as (i,), b.parallel(b.domain(i, b.dim("N"))) as (j,):
        b.store(y, (i, j), b.cast(b.pointwise("mul", i, j), I64))
    y_ = np.full((6, 6), -1)
    run(b.finish(), {"y": y_}, checked=True)
    i_, j_ = np.indices((6, 6))
    np.testing.assert_array_equal(y_, np.where(j_ >= i_, i_ * j_, -1))


def test_a_row_kernel_of_a_million_elements_is_run_row_by_row_at_least() -> None:
    b = Builder("normalise")
    x, y = b.view("x", F32, ("M", "N")), b.view("y", F32, ("M", "N"), Access.OUT)
    with b.parallel(b.domain(0, b.dim("M"))) as (row,):
        values = b.load(x, row, None)
        total = b.broadcast(b.reduce(Combiner.ADD, values, (0,)), (None,), values.tensor.shape)
        b.store(y, (row, None), b.pointwise("div", values, total))
    x_ = np.random.default_rng(0).uniform(1, 2, (1024, 1024)).astype(np.float32)
    y_ = np.empty_like(x_)
    started = time.process_time()
    run(b.finish(), {"x": x_, "y": y_})
    assert time.process_time() - started < 20  # point by point it takes minutes
    np.testing.assert_allclose(y_, x_ / x_.sum(1, keepdims=True), rtol=1e-5)
