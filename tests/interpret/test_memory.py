"""Index terms in every combination, masks, snapshots, and strides."""

from __future__ import annotations

import numpy as np
import pytest

from intent2cuda.base.intexpr import IntExpr
from intent2cuda.interpret import run
from intent2cuda.ir.builder import Builder
from intent2cuda.ir.ops import Gather, Load, Store
from intent2cuda.ir.terms import Lanes, Point, Slice, Whole
from intent2cuda.types.dtype import F32, I32, I64
from intent2cuda.types.value_type import Access, TensorType


def test_axes_follow_the_terms() -> None:
    b = Builder("select")
    x, i = b.view("x", I32, ("A", "B", "C", "D")), b.view("i", I64, ("K",))
    y = b.view("y", I32, ("B2", "K", 2), Access.OUT)
    lanes = b.load(i, None)
    middle = b.domain(1, 3)
    part = Slice(b.constant(2), IntExpr.of(2))
    picked = b.load(x, b.constant(1), middle, Lanes(lanes), part)
    b.store(y, (None, None, None), picked)
    x_ = np.arange(2 * 4 * 5 * 6, dtype=np.int32).reshape(2, 4, 5, 6)
    i_ = np.array([4, 0, 0])
    y_ = np.empty((2, 3, 2), np.int32)
    run(b.finish(), {"x": x_, "i": i_, "y": y_}, checked=True)
    np.testing.assert_array_equal(y_, x_[1, 1:3][:, i_][:, :, 2:4])


def test_lane_terms_pair_and_stand_at_the_first_one() -> None:
    b = Builder("pairs")
    x, i, j = b.view("x", I32, ("A", "M", "N")), b.view("i", I64, ("K",)), b.view("j", I64, ("K",))
    y = b.view("y", I32, ("P", "K"), Access.OUT)
    with b.parallel(b.domain(0, b.dim("P"))) as (p,):
        both = [Lanes(b.load(v, None)) for v in (i, j)]
        b.store(y, (p, None), b.load(x, Point(p), *both))
    x_ = np.arange(60, dtype=np.int32).reshape(3, 4, 5)
    i_, j_ = np.array([3, 0, 1, 1]), np.array([4, 2, 2, 0])
    y_ = np.empty((3, 4), np.int32)
    run(b.finish(), {"x": x_, "i": i_, "j": j_, "y": y_}, checked=True)
    np.testing.assert_array_equal(y_, x_[:, i_, j_])


@pytest.mark.req("L115")
@pytest.mark.parametrize("in_parallel", [False, True])
def test_masked_lanes_touch_nothing_and_give_the_fill(in_parallel: bool) -> None:
    b = Builder("shift")
    x, y = b.view("x", F32, ("M", "N")), b.view("y", F32, ("M", "N"), Access.OUT)
    n = b.dim("N")
    columns = b.indices(b.domain(0, n))
    shape = columns.tensor.shape

    def everywhere(value: int) -> object:
        return b.broadcast(b.constant(value), (None,), shape)

    def row(point: object) -> None:
        source = b.pointwise("sub", columns, everywhere(2))
        valid = b.pointwise("ge", source, everywhere(0))
        fill = b.broadcast(b.constant(-1.0, F32), (None,), shape)
        result = b.fresh(TensorType(F32, shape))
        b.emit(Load(x, (Point(point), Lanes(source)), result, valid, fill))
        b.store(y, (point, None), result)

    if in_parallel:
        with b.parallel(b.domain(0, b.dim("M"))) as (i,):
            row(i)
    else:
        row(b.constant(0))
        row(b.constant(1))
    for width in (1, 5):
        x_ = np.arange(2 * width, dtype=np.float32).reshape(2, width)
        y_ = np.empty_like(x_)
        run(b.finish(), {"x": x_, "y": y_}, checked=True)
        wanted = np.full_like(x_, -1)
        wanted[:, 2:] = x_[:, :-2]
        np.testing.assert_array_equal(y_, wanted)


@pytest.mark.req("L116")
def test_masked_stores_write_the_valid_lanes_only() -> None:
    b = Builder("positive")
    x, y = b.view("x", F32, ("N",)), b.view("y", F32, ("N",), Access.INOUT)
    values = b.load(x, None)
    zero = b.broadcast(b.constant(0.0, F32), (None,), values.tensor.shape)
    b.emit(Store(y, (Whole(),), values, b.pointwise("gt", values, zero)))
    x_, y_ = np.array([1, -1, 2], np.float32), np.full(3, 9, np.float32)
    run(b.finish(), {"x": x_, "y": y_}, checked=True)
    assert y_.tolist() == [1, 9, 2]


@pytest.mark.req("L115")
def test_a_masked_gather_ignores_what_the_other_lanes_say() -> None:
    b = Builder("gather")
    x, i, y = b.view("x", I32, ("N",)), b.view("i", I64, ("K",)), b.view("y", I32, ("K",), Access.OUT)
    places = b.load(i, None)
    zero, minus = b.constant(0, I64), b.constant(-1, I32)
    shape = places.tensor.shape
    valid = b.pointwise("ge", places, b.broadcast(zero, (None,), shape))
    result = b.fresh(TensorType(I32, shape))
    fill = b.broadcast(minus, (None,), shape)
    b.emit(Gather(b.load(x, None), (Lanes(places),), result, valid, fill))
    b.store(y, (None,), result)
    y_ = np.empty(3, np.int32)
    run(b.finish(), {"x": np.array([5, 6], np.int32), "i": np.array([1, -(2**62), 0]), "y": y_})
    assert y_.tolist() == [6, -1, 5]
    empty = np.empty(0, np.int32)
    run(b.finish(), {"x": empty, "i": np.array([-1, -5, -9]), "y": y_})
    assert y_.tolist() == [-1, -1, -1]


@pytest.mark.req("L120")
def test_a_read_is_a_snapshot() -> None:
    b = Builder("reverse")
    y = b.view("y", I32, ("N",), Access.INOUT)
    values = b.load(y, None)
    n = b.dim("N")
    ordinals = b.indices(b.domain(0, n))
    last = b.broadcast(b.dim(b.expression(n) - 1), (None,), ordinals.tensor.shape)
    b.store(y, (Lanes(b.pointwise("sub", last, ordinals)),), values)
    y_ = np.arange(6, dtype=np.int32)
    run(b.finish(), {"y": y_}, checked=True)
    assert y_.tolist() == [5, 4, 3, 2, 1, 0]


@pytest.mark.req("K44")
@pytest.mark.parametrize("order", ["C", "F", "reversed", "stepped"])
def test_strides_do_not_matter(order: str) -> None:
    b = Builder("double")
    x, y = b.view("x", F32, ("M", "N")), b.view("y", F32, ("M", "N"), Access.OUT)
    values = b.load(x, None, None)
    b.store(y, (None, None), b.pointwise("add", values, values))
    plain = np.arange(12, dtype=np.float32).reshape(3, 4)
    room = np.empty((6, 8), np.float32)
    laid = {"C": plain, "F": np.asfortranarray(plain), "reversed": plain.copy()[::-1, ::-1], "stepped": room[::2, ::2]}[
        order
    ]
    laid[...] = plain.copy()
    result = np.empty_like(room)[::2, 1::2]
    run(b.finish(), {"x": laid, "y": result}, checked=True)
    np.testing.assert_array_equal(result, 2 * plain)
