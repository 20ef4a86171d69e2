"""What runs refuse: extents that do not agree, positions outside, and what only checked runs see."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from intent2cuda.base.diagnostics import IntentError
from intent2cuda.interpret import run
from intent2cuda.ir.builder import Builder
from intent2cuda.ir.ops import Allocate, AssumeInBounds, Broadcast, RequireEqual
from intent2cuda.ir.terms import Lanes
from intent2cuda.ir.value import Value
from intent2cuda.types.dtype import I32, I64
from intent2cuda.types.value_type import Access, BufferType, TensorType


def refusal(b: Builder, checked: bool = True, **arguments: Any) -> IntentError:
    with pytest.raises(IntentError) as refused:
        run(b.finish(), arguments, checked=checked)
    return refused.value


def place(b: Builder) -> tuple[Value, Value]:
    return b.view("i", I64, ("K",)), b.view("y", I32, ("N",), Access.INOUT)


@pytest.mark.req("L9")
def test_positions_outside_are_found_in_every_run() -> None:
    b = Builder("outside")
    i, y = place(b)
    with b.parallel(b.domain(0, b.dim("K"))) as (k,):
        b.store(y, (b.load(i, k),), b.constant(1, I32))
    for wrong in (-1, 4):
        error = refusal(b, False, i=np.array([0, wrong]), y=np.zeros(4, np.int32))
        assert error.code == "run.bounds"
        assert f"position {wrong} is outside axis 0 of y, which has 4" in str(error)


def test_nothing_is_at_position_0_of_an_empty_axis() -> None:
    b = Builder("empty")
    b.load(b.view("x", I32, ("N",)), b.constant(0))
    error = refusal(b, False, x=np.zeros(0, np.int32))
    assert error.code == "run.bounds" and "position 0 is outside axis 0 of x, which has 0" in str(error)


@pytest.mark.parametrize("begin", [-1, 3])
def test_slices_outside_are_found(begin: int) -> None:
    b = Builder("slice")
    x, first = b.view("x", I32, ("N",)), b.scalar("first")
    n = b.domain(first, b.dim(b.expression(first) + 2))
    b.load(x, n)
    assert refusal(b, False, x=np.zeros(4, np.int32), first=begin).code == "run.bounds"


@pytest.mark.req("L32")
def test_equal_symbols_are_equal_extents() -> None:
    b = Builder("equal")
    b.view("x", I32, ("N",))
    b.view("y", I32, ("N", 2))
    three = np.zeros(3, np.int32)
    for y in (np.zeros((4, 2), np.int32), np.zeros((3, 1), np.int32), three):
        assert refusal(b, False, x=three, y=y).code == "call.shape"


@pytest.mark.req("L37")
def test_required_extents_are_checked_before_anything_is_written() -> None:
    b = Builder("require")
    x, y = b.view("x", I32, ("N",), Access.OUT), b.view("y", I32, ("M",))
    b.store(x, (None,), b.broadcast(b.constant(1, I32), (None,), x.resource.shape))
    b.emit(RequireEqual(x.resource.shape[0], y.resource.shape[0], "N = M"))
    out = np.zeros(3, np.int32)
    error = refusal(b, False, x=out, y=np.zeros(2, np.int32))
    assert error.code == "call.shape" and "must have the same extent, as N = M: 3 and 2" in str(error)
    assert not out.any()


@pytest.mark.req("L36", "L37")
@pytest.mark.parametrize(("extent", "fits"), [(1, True), (5, True), (2, False), (0, False)])
def test_a_guarded_axis_is_1_or_the_same(extent: int, fits: bool) -> None:
    b = Builder("stretch")
    x, y = b.view("x", I32, ("B",)), b.view("y", I32, ("N",), Access.OUT)
    wide = b.fresh(TensorType(I32, y.resource.shape))
    b.emit(Broadcast(b.load(x, None), (0,), wide, (0,)))
    b.store(y, (None,), wide)
    arguments = {"x": np.arange(extent, dtype=np.int32), "y": np.empty(5, np.int32)}
    if fits:
        run(b.finish(), arguments)
        assert arguments["y"].tolist() == np.broadcast_to(arguments["x"], 5).tolist()
    else:
        assert refusal(b, False, **arguments).code == "call.shape"


def test_an_unwritten_output_is_not_read() -> None:
    b = Builder("unwritten")
    y = b.view("y", I32, ("N",), Access.OUT)
    b.store(y, (b.constant(0),), b.constant(1, I32))
    b.load(y, b.constant(0))
    b.load(y, b.constant(2))
    error = refusal(b, y=np.zeros(3, np.int32))
    assert error.code == "run.uninitialised" and "y[2]" in str(error)


def test_a_buffer_is_fresh_at_each_point() -> None:
    b = Builder("fresh")
    y = b.view("y", I32, ("N",), Access.OUT)
    with b.parallel(b.domain(0, b.dim("N"))) as (i,):
        buffer = b.emit(Allocate(b.fresh(BufferType(I32, b.view("s", I32, (2,)).resource.shape), "state"))).result
        b.branch(
            b.pointwise("eq", i, b.constant(0)),
            lambda: (b.store(buffer, (b.constant(0),), b.constant(1, I32)), ())[1],
            lambda: (),
        )
        b.store(y, (i,), b.load(buffer, b.constant(0)))
    error = refusal(b, y=np.zeros(3, np.int32), s=np.zeros(2, np.int32))
    assert error.code == "run.uninitialised" and "state[0]" in str(error)


@pytest.mark.req("L117")
def test_one_statement_writes_an_element_once() -> None:
    b = Builder("twice")
    i, y = place(b)
    lanes = b.load(i, None)
    ones = b.broadcast(b.constant(1, I32), (None,), lanes.tensor.shape)
    b.store(y, (Lanes(lanes),), ones)
    run(b.finish(), {"i": np.array([2, 0, 1]), "y": np.zeros(3, np.int32)}, checked=True)
    error = refusal(b, i=np.array([2, 0, 2]), y=np.zeros(3, np.int32))
    assert error.code == "run.duplicate" and "y[2]" in str(error)


def same_place(b: Builder, y: Value, k: Value) -> None:
    b.store(y, (b.constant(0),), b.cast(k, I32))


def neighbour(b: Builder, y: Value, k: Value) -> None:
    b.store(y, (k,), b.load(y, b.dim(k.as_symbol + 1)))


def shared_total(b: Builder, y: Value, k: Value) -> None:
    b.store(y, (k,), b.load(y, b.constant(0)))


@pytest.mark.req("L47", "L126")
@pytest.mark.parametrize("body", [same_place, neighbour, shared_total])
@pytest.mark.parametrize("nested", [False, True])
def test_points_that_disturb_each_other_are_found(body: Callable[..., None], nested: bool) -> None:
    b = Builder("race")
    y = b.view("y", I32, ("N",), Access.INOUT)
    if nested:
        with b.parallel(b.domain(0, 1)), b.parallel(b.domain(0, 3)) as (k,):
            body(b, y, k)
    else:
        with b.parallel(b.domain(0, 3)) as (k,):
            body(b, y, k)
    error = refusal(b, y=np.zeros(4, np.int32))
    assert error.code == "run.race" and "y[" in str(error)


def test_a_later_loop_may_touch_what_an_earlier_one_wrote() -> None:
    b = Builder("phases")
    y = b.view("y", I32, ("N",), Access.INOUT)
    n = b.dim("N")
    for _ in range(2):
        with b.parallel(b.domain(0, n)) as (k,):
            mirrored = b.dim(b.expression(n) - 1 - k.as_symbol)
            b.store(y, (mirrored,), b.pointwise("add", b.load(y, mirrored), b.constant(1, I32)))
    y_ = np.zeros(4, np.int32)
    run(b.finish(), {"y": y_}, checked=True)
    assert y_.tolist() == [2, 2, 2, 2]


def test_views_that_share_memory_share_their_marks() -> None:
    b = Builder("alias")
    x, y = b.view("x", I32, ("N",)), b.view("y", I32, ("N",), Access.INOUT)
    with b.parallel(b.domain(0, b.dim("N"))) as (k,):
        b.store(y, (k,), b.load(x, k))
    pool = np.arange(5, dtype=np.int32)
    run(b.finish(), {"x": pool[:4], "y": pool[:4]}, checked=True)
    assert refusal(b, x=pool[:4], y=pool[1:]).code == "run.race"


@pytest.mark.req("L7", "L8", "L9")
@pytest.mark.parametrize(
    ("first", "last", "fits"), [(2, 5, True), (5, 5, True), (1, 3, False), (4, 3, False), (2, 7, False)]
)
def test_parts_of_domains_lie_inside(first: int, last: int, fits: bool) -> None:
    b = Builder("part")
    begin, end = b.scalar("begin"), b.scalar("end")
    b.indices(b.subregion(b.domain(2, 6), begin, end))
    if fits:
        run(b.finish(), {"begin": first, "end": last}, checked=True)
    else:
        assert refusal(b, begin=first, end=last).code == "run.region"


def test_promises_are_kept() -> None:
    b = Builder("promise")
    i, y = place(b)
    b.emit(AssumeInBounds(b.load(i, None), y, 0))
    assert refusal(b, False, i=np.array([0, 3]), y=np.zeros(3, np.int32)).code == "run.promise"
