"""Atomic accesses of points in lockstep: one order for each cell, loops that retry or wait, and races with them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from intent2cuda.base.diagnostics import IntentError
from intent2cuda.interpret import run
from intent2cuda.ir.builder import Builder
from intent2cuda.ir.ops import Order, Update
from intent2cuda.ir.value import Value
from intent2cuda.ir.verify import verify
from intent2cuda.language.bodies.storage import NUMPY
from intent2cuda.types.dtype import BF16, BOOL, F16, F32, F64, I8, I32, I64, U64, DType
from intent2cuda.types.value_type import Access

SEEDS = (None, 0, 1)

APPLY: dict[Update, Callable[[object, object], object]] = {
    Update.ADD: lambda old, new: old + new,
    Update.MAX: max,
    Update.MIN: min,
    Update.EXCHANGE: lambda old, new: new,
    Update.AND: lambda old, new: old & new,
    Update.OR: lambda old, new: old | new,
    Update.XOR: lambda old, new: old ^ new,
}
DTYPES = [I8, I32, U64, F16, BF16, F32, F64]


def end_of_trail(start: float, steps: list[tuple[float, float]]) -> float:
    """Where a walk ends that begins at `start` and takes every step from one number to another once."""
    leaving = defaultdict(list)
    for origin, target in steps:
        leaving[origin].append(target)
    path, trail = [start], []
    while path:
        if leaving[path[-1]]:
            path.append(leaving[path[-1]].pop())
        else:
            trail.append(path.pop())
    assert len(trail) == len(steps) + 1, "some updates cannot have found what they did"
    return trail[0]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("update", "dtype"),
    [(u, d) for u in Update for d in DTYPES if not d.is_float or u in (Update.ADD, Update.MAX, Update.MIN)],
    ids=str,
)
def test_every_update_finds_what_the_one_before_left(update: Update, dtype: DType, seed: int | None) -> None:
    b = Builder("updates")
    x, key = b.view("x", dtype, ("N",)), b.view("key", I64, ("N",))
    y, old = b.view("y", dtype, ("M",), Access.INOUT), b.view("old", dtype, ("N",), Access.OUT)
    with b.parallel(b.domain(0, b.dim("N"))) as (i,):
        b.store(old, (i,), b.atomic(update, y, (b.load(key, i),), b.load(x, i)))
    rng = np.random.default_rng(seed)
    key_ = np.concatenate([rng.integers(0, 40, 80), np.full(70, 3), np.full(40, 17)])
    x_ = rng.integers(1, 9, 190).astype(NUMPY[dtype])
    start = rng.integers(0, 9, 40).astype(NUMPY[dtype])
    y_, old_ = start.copy(), np.empty(190, NUMPY[dtype])
    run(verify(b.finish()), {"x": x_, "key": key_, "y": y_, "old": old_}, checked=True, seed=seed)
    with np.errstate(over="ignore"):
        for cell in range(40):
            mine = key_ == cell
            steps = [(float(f), float(APPLY[update](f, v))) for f, v in zip(old_[mine], x_[mine], strict=True)]
            assert end_of_trail(float(start[cell]), steps) == float(y_[cell])


def tickets(b: Builder, order: Order = Order.RELAXED) -> None:
    y, mine = b.view("y", I32, (), Access.INOUT), b.view("mine", I32, ("N",), Access.OUT)
    with b.parallel(b.domain(0, b.dim("N"))) as (i,):
        b.store(mine, (i,), b.atomic(Update.ADD, y, (), b.constant(1, I32), order))


def test_the_order_of_the_points_is_drawn() -> None:
    b = Builder("tickets")
    tickets(b)
    orders = set()
    for seed in (None, 0, 1, 2):
        mine = np.empty(50, np.int32)
        run(verify(b.finish()), {"y": np.array(7, np.int32), "mine": mine}, seed=seed)
        assert sorted(mine.tolist()) == [*range(7, 57)]
        orders.add(tuple(mine.tolist()))
    assert len(orders) == 4 and tuple(range(7, 57)) in orders


def test_elements_of_a_row_are_operations_of_their_own() -> None:
    b = Builder("rows")
    x, key = b.view("x", I64, ("N", "D")), b.view("key", I64, ("N",))
    y, old = b.view("y", I64, ("M", "D"), Access.INOUT), b.view("old", I64, ("N", "D"), Access.OUT)
    with b.parallel(b.domain(0, b.dim("N"))) as (i,):
        b.store(old, (i, None), b.atomic(Update.ADD, y, (b.load(key, i), None), b.load(x, i, None)))
    rng = np.random.default_rng(0)
    key_, x_ = rng.integers(0, 3, 30), rng.integers(-9, 9, (30, 4))
    store = np.zeros((6, 9), np.int64)
    y_, old_ = store[::-2, 1::2], np.empty((30, 4), np.int64)
    run(verify(b.finish()), {"x": x_, "key": key_, "y": y_, "old": old_}, checked=False)
    wanted = np.zeros((3, 4), np.int64)
    for k, row, found in zip(key_, x_, old_, strict=True):
        assert found.tolist() == wanted[k].tolist()
        wanted[k] += row
    np.testing.assert_array_equal(y_, wanted)
    assert not store[::2].any() and not store[:, ::2].any()


def test_views_that_repeat_their_elements_take_every_update() -> None:
    b = Builder("repeated")
    y = b.view("y", F32, ("N",), Access.INOUT)
    n = b.domain(0, b.dim("N"))
    ones = b.broadcast(b.constant(1.0, F32), (None,), (n.domain.extent,))
    b.atomic(Update.ADD, y, (n,), ones)
    b.scatter_reduce(y, (n,), ones)
    cell = np.zeros(1, np.float32)
    run(verify(b.finish()), {"y": np.lib.stride_tricks.as_strided(cell, (40,), (0,))})
    assert cell[0] == 80


@pytest.mark.parametrize("dtype", [BF16, F16, F32], ids=str)
def test_scatters_combine_all_that_meets(dtype: DType) -> None:
    b = Builder("scatter")
    x, key, y = b.view("x", dtype, ("N", 2)), b.view("key", I64, ("N",)), b.view("y", dtype, ("M", 2), Access.INOUT)
    b.scatter_reduce(y, (b.load(key, None), None), b.load(x, None, None))
    with b.parallel(b.domain(0, b.dim("N"))) as (i,):
        b.scatter_reduce(y, (b.load(key, i), b.constant(1)), b.load(x, i, b.constant(0)))
    rng = np.random.default_rng(1)
    key_, x_ = rng.integers(0, 3, 30), rng.integers(0, 4, (30, 2)).astype(NUMPY[dtype])
    y_ = np.zeros((3, 2), NUMPY[dtype])
    run(verify(b.finish()), {"x": x_, "key": key_, "y": y_}, checked=True)
    for k in range(3):
        first, second = x_[key_ == k].astype(float).sum(0)
        assert y_[k].astype(float).tolist() == [first, second + first]


def test_one_exchange_of_a_round_succeeds() -> None:
    b = Builder("exchange")
    y, x = b.view("y", I32, ("M",), Access.INOUT), b.view("x", I32, ("N",))
    old, won = b.view("old", I32, ("N",), Access.OUT), b.view("won", BOOL, ("N",), Access.OUT)
    with b.parallel(b.domain(0, b.dim("N"))) as (i,):
        place = b.pointwise("mod", i, b.dim("M"))
        found, wrote = b.compare_exchange(y, (place,), b.constant(-1, I32), b.load(x, i))
        b.store(old, (i,), found)
        b.store(won, (i,), wrote)
    y_, old_, won_ = np.array([-1, 5, -1], np.int32), np.empty(30, np.int32), np.empty(30, bool)
    run(verify(b.finish()), {"y": y_, "x": np.arange(100, 130, dtype=np.int32), "old": old_, "won": won_}, checked=True)
    for place in range(3):
        winners = [i for i in range(place, 30, 3) if won_[i]]
        losers = [i for i in range(place, 30, 3) if not won_[i]]
        assert len(winners) == (place != 1)
        assert [old_[i] for i in winners] == [-1] * len(winners)
        assert {int(old_[i]) for i in losers} == {int(y_[place])}
        assert y_[place] in ([5] if place == 1 else [100 + i for i in winners])


def test_equal_bits_are_exchanged() -> None:
    b = Builder("bits")
    y, e, won = (
        b.view("y", F32, ("N",), Access.INOUT),
        b.view("e", F32, ("N",)),
        b.view("won", BOOL, ("N",), Access.OUT),
    )
    ones = b.broadcast(b.constant(1.0, F32), (None,), (e.resource.shape[0],))
    b.store(won, (None,), b.compare_exchange(y, (None,), b.load(e, None), ones)[1])
    y_, won_ = np.array([0.0, 0.0, np.nan, 2], np.float32), np.empty(4, bool)
    run(verify(b.finish()), {"y": y_, "e": np.array([-0.0, 0.0, np.nan, 3], np.float32), "won": won_})
    assert won_.tolist() == [False, True, True, False]
    assert y_.tolist() == [0, 1, 1, 2]


def increments_by_exchange(b: Builder) -> None:
    """Adds to floats by an exchange that is tried until it succeeds."""
    x, key, y = b.view("x", F32, ("N",)), b.view("key", I64, ("N",)), b.view("y", F32, ("M",), Access.INOUT)
    with b.parallel(b.domain(0, b.dim("N"))) as (i,):
        place, mine = b.load(key, i), b.load(x, i)

        def attempt(carries: Sequence[Value]) -> tuple[Value, Value]:
            old, wrote = b.compare_exchange(y, (place,), carries[0], b.pointwise("add", carries[0], mine))
            return old, b.pointwise("not", wrote)

        b.repeat(
            (b.atomic_load(y, (place,)), b.constant(True, BOOL)),
            lambda carries: carries[1],
            attempt,
        )


@pytest.mark.parametrize("seed", SEEDS)
def test_exchanges_are_tried_until_each_point_succeeds(seed: int | None) -> None:
    b = Builder("retry")
    increments_by_exchange(b)
    rng = np.random.default_rng(2)
    key_, x_ = rng.integers(0, 3, 300), rng.integers(-9, 9, 300).astype(np.float32)
    y_ = np.zeros(3, np.float32)
    run(verify(b.finish()), {"x": x_, "key": key_, "y": y_}, checked=True, seed=seed)
    assert y_.tolist() == np.bincount(key_, x_).tolist()


def locked_updates(b: Builder, release: Order = Order.RELEASE) -> None:
    """A counter behind a lock: plain reads and writes between taking and giving back."""
    lock, y = b.view("lock", I32, (), Access.INOUT), b.view("y", I64, (2,), Access.INOUT)
    one, zero = b.constant(1, I32), b.constant(0, I32)
    with b.parallel(b.domain(0, b.dim(b.scalar("n").as_symbol))) as (i,):

        def attempt(carries: Sequence[Value]) -> tuple[Value]:
            return (b.pointwise("not", b.compare_exchange(lock, (), zero, one, Order.ACQUIRE)[1]),)

        b.repeat((b.constant(True, BOOL),), lambda carries: carries[0], attempt)
        for place, value in ((0, b.constant(1, I64)), (1, b.cast(i, I64))):
            at = b.constant(place)
            b.store(y, (at,), b.pointwise("add", b.load(y, at), value))
        b.atomic_store(lock, (), zero, release)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_lock_is_given_back_before_the_next_point_takes_it(seed: int | None) -> None:
    b = Builder("lock")
    locked_updates(b)
    y_ = np.zeros(2, np.int64)
    run(verify(b.finish()), {"lock": np.zeros((), np.int32), "y": y_, "n": 40}, checked=True, seed=seed)
    assert y_.tolist() == [40, sum(range(40))]


@pytest.mark.parametrize("seed", SEEDS)
def test_points_wait_for_what_earlier_ones_publish(seed: int | None) -> None:
    """A running sum from point to point, each waiting for the flag of the one before."""
    b = Builder("chain")
    x, flags = b.view("x", I64, ("N",)), b.view("flags", I32, ("N",), Access.INOUT)
    y = b.view("y", I64, ("N",), Access.INOUT)
    zero, one = b.constant(0), b.constant(1, I32)
    with b.parallel(b.domain(0, b.dim("N"))) as (i,):
        before = b.dim(i.as_symbol - 1)

        def flag(_: Sequence[Value]) -> tuple[Value]:
            return (b.atomic_load(flags, (before,), Order.ACQUIRE),)

        def after_the_others() -> tuple[Value]:
            b.repeat(flag(()), lambda carries: b.pointwise("ne", carries[0], one), flag)
            total = b.pointwise("add", b.load(y, before), b.load(x, i))
            b.store(y, (i,), total)
            b.atomic_store(flags, (i,), one, Order.RELEASE)
            return (total,)

        def first() -> tuple[Value]:
            b.store(y, (i,), b.load(x, i))
            b.atomic_store(flags, (i,), one, Order.RELEASE)
            return (b.load(x, i),)

        b.branch(b.pointwise("eq", i, zero), first, after_the_others)
    x_ = np.arange(1, 60)
    y_ = np.zeros(59, np.int64)
    run(verify(b.finish()), {"x": x_, "flags": np.zeros(59, np.int32), "y": y_}, checked=True, seed=seed)
    assert y_.tolist() == np.cumsum(x_).tolist()


@pytest.mark.parametrize("in_parallel", [False, True])
def test_a_loop_that_can_never_end_is_found(in_parallel: bool) -> None:
    b = Builder("forever")
    flag, one = b.view("flag", I32, (), Access.INOUT), b.constant(1, I32)

    def wait() -> None:
        def look(_: Sequence[Value]) -> tuple[Value]:
            return (b.atomic_load(flag, ()),)

        b.repeat(look(()), lambda carries: b.pointwise("ne", carries[0], one), look)

    if in_parallel:
        with b.parallel(b.domain(0, 3)):
            wait()
    else:
        wait()
    run(verify(b.finish()), {"flag": np.ones((), np.int32)})
    with pytest.raises(IntentError) as refused:
        run(b.finish(), {"flag": np.zeros((), np.int32)})
    assert refused.value.code == "run.waiting"


def refusal(b: Builder, **arguments: np.ndarray | int) -> IntentError:
    with pytest.raises(IntentError) as refused:
        run(verify(b.finish()), arguments, checked=True)
    return refused.value


def plain_read(b: Builder, y: Value, i: Value) -> None:
    b.atomic(Update.ADD, y, (b.constant(0),), b.constant(1, I32))
    b.load(y, b.constant(0))


def plain_write(b: Builder, y: Value, i: Value) -> None:
    b.store(y, (i,), b.constant(1, I32))
    b.atomic_load(y, (b.constant(0),))


def plain_write_of_what_was_added_to(b: Builder, y: Value, i: Value) -> None:
    b.scatter_reduce(y, (b.constant(0),), b.constant(1, I32))
    b.store(y, (i,), b.constant(1, I32))


def gathered_write(b: Builder, y: Value, i: Value) -> None:
    b.store(y, (b.pointwise("floordiv", i, b.constant(2)),), b.constant(1, I32))


@pytest.mark.parametrize("body", [plain_read, plain_write, plain_write_of_what_was_added_to, gathered_write])
@pytest.mark.parametrize("points", [1, 2])
def test_plain_accesses_race_with_atomic_ones_of_other_points(body: Callable[..., None], points: int) -> None:
    b = Builder("race")
    y = b.view("y", I32, ("N",), Access.INOUT)
    with b.parallel(b.domain(0, points)) as (i,):
        body(b, y, i)
    if points == 1:
        run(verify(b.finish()), {"y": np.zeros(2, np.int32)}, checked=True)
    else:
        error = refusal(b, y=np.zeros(2, np.int32))
        assert error.code == "run.race" and "y[0]" in str(error)


@pytest.mark.parametrize("order", [*Order])
def test_only_what_is_released_and_acquired_may_be_read(order: Order) -> None:
    """The point that arrives last reads what the others wrote plainly."""
    b = Builder("arrivals")
    part, arrived = b.view("part", I64, ("N",), Access.INOUT), b.view("arrived", I32, (), Access.INOUT)
    total = b.view("total", I64, (), Access.INOUT)
    last = b.dim(b.expression(b.dim("N")) - 1)
    with b.parallel(b.domain(0, b.dim("N"))) as (i,):
        b.store(part, (i,), b.cast(i, I64))
        before = b.atomic(Update.ADD, arrived, (), b.constant(1, I32), order)

        def collect() -> tuple[()]:
            b.store(total, (), b.load(part, b.constant(0)))
            return ()

        b.branch(b.pointwise("eq", b.cast(before, i.tensor.dtype), last), collect, lambda: ())
    arguments = {"part": np.zeros(9, np.int64), "arrived": np.zeros((), np.int32), "total": np.full((), -1)}
    if order is Order.ACQ_REL:
        run(verify(b.finish()), arguments, checked=True)
        assert arguments["total"] == 0
    else:
        assert refusal(b, **arguments).code == "run.race"


def test_a_lock_that_is_not_released_protects_nothing() -> None:
    b = Builder("lock")
    locked_updates(b, Order.RELAXED)
    error = refusal(b, lock=np.zeros((), np.int32), y=np.zeros(2, np.int64), n=4)
    assert error.code == "run.race"


def test_atomics_read_what_was_written() -> None:
    b = Builder("empty")
    buffer = b.allocate(I32, (2,), name="count")
    b.atomic_store(buffer, (b.constant(0),), b.constant(3, I32))
    b.atomic(Update.ADD, buffer, (b.constant(0),), b.constant(3, I32))
    b.compare_exchange(buffer, (b.constant(1),), b.constant(3, I32), b.constant(3, I32))
    error = refusal(b)
    assert error.code == "run.uninitialised" and "count[1]" in str(error)


def test_positions_outside_are_found() -> None:
    b = Builder("outside")
    key, y = b.view("key", I64, ("N",)), b.view("y", I32, ("M",), Access.INOUT)
    with b.parallel(b.domain(0, b.dim("N"))) as (i,):
        b.atomic(Update.ADD, y, (b.load(key, i),), b.constant(1, I32))
    y_ = np.zeros(3, np.int32)
    with pytest.raises(IntentError) as refused:
        run(verify(b.finish()), {"key": np.array([0, 3]), "y": y_})
    assert refused.value.code == "run.bounds" and "position 3" in str(refused.value)
    assert not y_.any()
