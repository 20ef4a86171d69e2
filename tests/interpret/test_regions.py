"""Folds and scans over regions: any cut gives the same, order and laws show, each point has its own extents."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np
import pytest

from intent2cuda.base.diagnostics import IntentError
from intent2cuda.base.intexpr import IntExpr
from intent2cuda.interpret import run
from intent2cuda.interpret.regions import cuts
from intent2cuda.ir.builder import Builder
from intent2cuda.ir.ops import Combiner
from intent2cuda.ir.value import Value
from intent2cuda.ir.verify import verify
from intent2cuda.types.dtype import F32, I64
from intent2cuda.types.value_type import Access

N = IntExpr.symbol("N")
SEEDS = (None, 0, 1, 2)


@pytest.mark.parametrize("extent", [0, 1, 2, 3, 4, 5, 64, 1025])
def test_slices_cover_the_axis_and_are_not_empty(extent: int) -> None:
    for chance in (None, np.random.default_rng(extent)):
        found = cuts(extent, chance)
        assert [place for cut in found for place in range(cut.start, cut.stop)] == [*range(extent)]
        assert all(cut.start < cut.stop for cut in found)
    assert len(cuts(64, None)) == 4 and len({cut.stop - cut.start for cut in cuts(64, None)}) == 4


def product(b: Builder):
    return lambda f, g: (b.pointwise("mul", f[0], g[0]),)


def polynomial(b: Builder, digits: Value, base: Value) -> Value:
    """The digits read as a number to a base: a fold by value and power, whose combination keeps the order."""
    one, zero = b.constant(1, I64), b.constant(0, I64)

    def summarize(slices: Sequence[Value]) -> tuple[Value, Value]:
        bases = b.broadcast(base, (None,), slices[0].tensor.shape)
        (powers,) = b.scan_by((bases,), 0, (one,), product(b), inclusive=False, reverse=True)
        value = b.contract(slices[0], powers, ((0, 0),))
        return value, b.reduce_by((bases,), (0,), (one,), product(b))[0]

    def combine(f: Sequence[Value], g: Sequence[Value]) -> tuple[Value, Value]:
        return b.pointwise("add", b.pointwise("mul", f[0], g[1]), g[0]), b.pointwise("mul", f[1], g[1])

    return b.region_fold((digits,), 0, (zero, one), summarize, combine)[0]


@pytest.mark.parametrize("seed", SEEDS)
def test_folds_of_parts_that_differ_from_point_to_point(seed: int | None) -> None:
    b = Builder("numbers")
    x, y = b.view("x", I64, ("N",)), b.view("y", I64, ("M",), Access.OUT)
    begins, ends = b.view("begins", I64, ("M",)), b.view("ends", I64, ("M",))
    whole = b.domain(0, b.dim("N"))
    with b.parallel(b.domain(0, b.dim("M"))) as (i,):
        part = b.subregion(whole, b.load(begins, i), b.load(ends, i))
        b.store(y, (i,), polynomial(b, b.load(x, part), b.cast(b.dim(i.as_symbol + 2), I64)))
    x_ = np.random.default_rng(0).integers(0, 9, 20)
    begins_, ends_ = np.array([0, 3, 3, 19, 20, 5, 4]), np.array([20, 3, 4, 20, 20, 10, 9])
    y_ = np.empty(7, np.int64)
    run(verify(b.finish()), {"x": x_, "begins": begins_, "ends": ends_, "y": y_}, checked=True, seed=seed)
    for i, (begin, end) in enumerate(zip(begins_.tolist(), ends_.tolist(), strict=True)):
        value = 0
        for digit in x_[begin:end].tolist():
            value = value * (i + 2) + digit
        assert y_[i] == (value + 2**63) % 2**64 - 2**63


def test_parts_outside_their_domain_are_found_in_folds() -> None:
    b = Builder("outside")
    x, end = b.view("x", I64, ("N",)), b.scalar("end")
    whole = b.domain(0, b.dim("N"))
    polynomial(b, b.load(x, b.subregion(whole, None, end)), b.constant(10, I64))
    run(b.finish(), {"x": np.arange(5), "end": 5}, checked=True)
    with pytest.raises(IntentError) as refused:
        run(b.finish(), {"x": np.arange(5), "end": 6}, checked=True)
    assert refused.value.code == "run.region"


def first_and_count(b: Builder, x: Value, neutral: bool, ordered: bool) -> Value:
    """The first member, by a fold; without laws the identity counts as a member, or the combination turns the order."""
    zero = b.constant(0, I64)
    identity = (b.constant(0 if neutral else 1, I64), b.constant(-7, I64))

    def summarize(slices: Sequence[Value]) -> Sequence[Value]:
        extent = slices[0].tensor.shape[0]
        ones = b.broadcast(b.constant(1, I64), (None,), (extent,))
        return b.reduce(Combiner.ADD, ones, (0,)), b.gather(slices[0], b.constant(0))

    def combine(f: Sequence[Value], g: Sequence[Value]) -> Sequence[Value]:
        if not ordered:
            f, g = g, f
        some = b.pointwise("gt", f[0], zero)
        return b.pointwise("add", f[0], g[0]), b.pointwise("select", some, f[1], g[1])

    return b.region_fold((x,), 0, identity, summarize, combine)[1]


@pytest.mark.parametrize(("neutral", "ordered"), [(True, True), (False, True), (True, False)])
def test_broken_laws_show(neutral: bool, ordered: bool) -> None:
    b = Builder("first")
    x, y = b.view("x", I64, ("N",)), b.view("y", I64, (), Access.OUT)
    b.store(y, (), first_and_count(b, b.load(x, None), neutral, ordered))
    y_ = np.empty((), np.int64)
    run(verify(b.finish()), {"x": np.arange(10, 30), "y": y_})
    assert (y_ == 10) == (neutral and ordered)


def attention(b: Builder, keys: Value, values: Value, places: Value, query: Value, upto: Value, scale: Value) -> Value:
    """Causal attention of one query by a fold: products, masks and exponentials inside the summary."""
    features = values.tensor.shape[1]
    lowest, none = b.constant(-1e30, F32), b.constant(0.0, F32)
    nothing = lowest, none, b.broadcast(none, (None,), (features,))

    def over(value: Value, shape: tuple[IntExpr, ...]) -> Value:
        return b.broadcast(value, (None,) * len(shape), shape)

    def summarize(slices: Sequence[Value]) -> Sequence[Value]:
        key, value, place = slices
        members = place.tensor.shape
        scores = b.pointwise("mul", b.contract(key, query, ((1, 0),)), over(scale, members))
        seen = b.pointwise("le", place, over(upto, members))
        scores = b.pointwise("select", seen, scores, over(lowest, members))
        peak = b.reduce(Combiner.MAXIMUM, scores, (0,))
        weights = b.pointwise("exp", b.pointwise("sub", scores, over(peak, members)))
        weights = b.pointwise("select", seen, weights, over(none, members))
        return peak, b.reduce(Combiner.ADD, weights, (0,)), b.contract(weights, value, ((0, 0),))

    def merge(f: Sequence[Value], g: Sequence[Value]) -> Sequence[Value]:
        peak = b.pointwise("maximum", f[0], g[0])
        left, right = (b.pointwise("exp", b.pointwise("sub", m[0], peak)) for m in (f, g))
        mass = b.pointwise("add", b.pointwise("mul", f[1], left), b.pointwise("mul", g[1], right))
        mixes = (b.pointwise("mul", m[2], over(share, (features,))) for m, share in ((f, left), (g, right)))
        return peak, mass, b.pointwise("add", *mixes)

    _, mass, mix = b.region_fold((keys, values, places), 0, nothing, summarize, merge)
    return b.pointwise("div", mix, over(mass, (features,)))


@pytest.mark.parametrize("seed", SEEDS)
def test_sources_that_all_points_share_and_captures_of_each(seed: int | None) -> None:
    b = Builder("attention")
    q, k, v = b.view("q", F32, ("M", "D")), b.view("k", F32, ("N", "D")), b.view("v", F32, ("N", "D"))
    y, scale = b.view("y", F32, ("M", "D"), Access.OUT), b.scalar("scale", F32)
    keys, values, places = b.load(k, None, None), b.load(v, None, None), b.indices(b.domain(0, b.dim("N")))
    with b.parallel(b.domain(0, b.dim("M"))) as (row,):
        b.store(y, (row, None), attention(b, keys, values, places, b.load(q, row, None), row, scale))
    rng = np.random.default_rng(1)
    q_, k_, v_ = (rng.standard_normal(shape).astype(np.float32) for shape in ((9, 4), (33, 4), (33, 4)))
    y_ = np.empty((9, 4), np.float32)
    run(verify(b.finish()), {"q": q_, "k": k_, "v": v_, "y": y_, "scale": 0.5}, checked=True, seed=seed)
    for row in range(9):
        weights = np.exp(0.5 * (k_[: row + 1].astype(np.float64) @ q_[row]))
        np.testing.assert_allclose(y_[row], weights @ v_[: row + 1] / weights.sum(), rtol=1e-5, atol=1e-6)


def recurrence(b: Builder, scale: Value, offset: Value, start: Value) -> tuple[Value, ...]:
    """state = scale * state + offset along an axis: the states, each twice side by side, and the last one."""
    one, zero = b.constant(1, I64), b.constant(0, I64)

    def compose(f: Sequence[Value], g: Sequence[Value]) -> tuple[Value, Value]:
        return b.pointwise("mul", f[0], g[0]), b.pointwise("add", b.pointwise("mul", f[1], g[0]), g[1])

    def moved(f: Sequence[Value], state: Sequence[Value]) -> tuple[Value]:
        return (b.pointwise("add", b.pointwise("mul", f[0], state[0]), f[1]),)

    def summarize(slices: Sequence[Value]) -> tuple[Value, Value]:
        (after,) = b.scan_by(slices[:1], 0, (one,), product(b), inclusive=False, reverse=True)
        return b.reduce_by(slices[:1], (0,), (one,), product(b))[0], b.contract(slices[1], after, ((0, 0),))

    def emit(slices: Sequence[Value], state: Sequence[Value]) -> tuple[Value]:
        members = slices[0].tensor.shape
        maps = b.scan_by(slices, 0, (one, zero), compose)
        (after,) = moved(maps, (b.broadcast(state[0], (None,), members),))
        return (b.broadcast(after, (None, 0), (2, *members)),)

    return b.region_scan((scale, offset), 0, (one, zero), (start,), summarize, compose, moved, emit)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("extents", [(0, 0, 0), (1, 1, 1), (7, 7, 7), (40, 0, 1), (3, 40, 3)])
def test_outputs_are_put_together_on_their_axis(extents: tuple[int, ...], seed: int | None) -> None:
    b = Builder("recur")
    a, c, starts = b.view("a", I64, ("M", "N")), b.view("c", I64, ("N",)), b.view("starts", I64, ("M",))
    lengths = b.view("lengths", I64, ("M",))
    y, last = b.view("y", I64, ("M", 2, "N"), Access.INOUT), b.view("last", I64, ("M",), Access.OUT)
    with b.parallel(b.domain(0, b.dim("M"))) as (row,):
        some = b.domain(b.constant(0, I64), b.load(lengths, row))
        output, final = recurrence(b, b.load(a, row, some), b.load(c, some), b.load(starts, row))
        b.store(y, (row, None, some), output)
        b.store(last, (row,), final)
    rng = np.random.default_rng(2)
    a_, c_, starts_ = rng.integers(-9, 9, (3, 40)), rng.integers(-99, 99, 40), rng.integers(0, 9, 3)
    y_, last_ = np.full((3, 2, 40), -1), np.empty(3, np.int64)
    arguments = {"a": a_, "c": c_, "starts": starts_, "lengths": np.array(extents), "y": y_, "last": last_}
    run(verify(b.finish()), arguments, checked=True, seed=seed)
    for row, length in enumerate(extents):
        state = int(starts_[row])
        for i in range(length):
            state = (state * int(a_[row, i]) + int(c_[i]) + 2**63) % 2**64 - 2**63
            assert y_[row, :, i].tolist() == [state, state]
        assert last_[row] == state
        assert (y_[row, :, length:] == -1).all()


def test_helpers_may_loop_branch_gather_and_loop_again() -> None:
    """The greatest value of a polynomial of each member, its coefficients gathered, in two nested loops."""
    b = Builder("loops")
    x, table, y = b.view("x", I64, ("M", "N")), b.view("table", I64, ("M", 3)), b.view("y", I64, ("M",), Access.OUT)
    lowest = b.constant(-(2**62), I64)
    with b.parallel(b.domain(0, b.dim("M"))) as (row,):
        coefficients, zero = b.load(table, row, None), b.constant(0, I64)

        def summarize(slices: Sequence[Value]) -> Sequence[Value]:
            members = slices[0].tensor.shape
            start = b.broadcast(zero, (None,), members)

            def horner(i: Value, carries: Sequence[Value]) -> tuple[Value]:
                factor = b.broadcast(b.gather(coefficients, i), (None,), members)
                return (b.pointwise("add", b.pointwise("mul", carries[0], slices[0]), factor),)

            best = b.reduce(Combiner.MAXIMUM, b.loop(b.domain(0, 3), (start,), horner)[0], (0,))
            halved = b.repeat(
                (best,),
                lambda carries: b.pointwise("gt", carries[0], b.constant(1000, I64)),
                lambda carries: (b.pointwise("floordiv", carries[0], b.constant(2, I64)),),
            )
            return b.branch(b.pointwise("lt", best, zero), lambda: (best,), lambda: halved)

        def greater(f: Sequence[Value], g: Sequence[Value]) -> Sequence[Value]:
            return b.branch(b.pointwise("gt", f[0], g[0]), lambda: f, lambda: g)

        b.store(y, (row,), b.region_fold((b.load(x, row, None),), 0, (lowest,), summarize, greater)[0])
    rng = np.random.default_rng(3)
    x_, table_ = rng.integers(-9, 9, (8, 21)), rng.integers(-9, 9, (8, 3))
    y_ = np.empty(8, np.int64)
    run(verify(b.finish()), {"x": x_, "table": table_, "y": y_}, checked=True)
    values = (table_[:, :1] * x_ + table_[:, 1:2]) * x_ + table_[:, 2:]
    assert y_.tolist() == values.max(1).tolist()


def test_a_row_kernel_of_four_million_elements_is_run_row_by_row_at_least() -> None:
    b = Builder("softmax")
    x, y = b.view("x", F32, ("M", "N")), b.view("y", F32, ("M", "N"), Access.OUT)
    with b.parallel(b.domain(0, b.dim("M"))) as (row,):
        values = b.load(x, row, None)

        def shares(part: Value, peak: Value) -> Value:
            return b.pointwise("exp", b.pointwise("sub", part, b.broadcast(peak, (None,), part.tensor.shape)))

        def summarize(slices: Sequence[Value]) -> tuple[Value, Value]:
            peak = b.reduce(Combiner.MAXIMUM, slices[0], (0,))
            return peak, b.reduce(Combiner.ADD, shares(slices[0], peak), (0,))

        def merge(f: Sequence[Value], g: Sequence[Value]) -> tuple[Value, Value]:
            peak = b.pointwise("maximum", f[0], g[0])
            parts = (b.pointwise("mul", m[1], b.pointwise("exp", b.pointwise("sub", m[0], peak))) for m in (f, g))
            return peak, b.pointwise("add", *parts)

        identity = b.constant(-1e30, F32), b.constant(0.0, F32)
        peak, mass = b.region_fold((values,), 0, identity, summarize, merge)
        b.store(y, (row, None), b.pointwise("div", shares(values, peak), b.broadcast(mass, (None,), (N,))))
    x_ = np.random.default_rng(4).standard_normal((4096, 1024)).astype(np.float32)
    y_ = np.empty_like(x_)
    kernel = verify(b.finish())
    started = time.process_time()
    run(kernel, {"x": x_, "y": y_})
    assert time.process_time() - started < 20  # point by point it takes minutes
    wide = np.exp(x_.astype(np.float64) - x_.max(1, keepdims=True))
    np.testing.assert_allclose(y_, wide / wide.sum(1, keepdims=True), rtol=3e-5)
