"""Reductions and scans, builtin and by a region: any grouping, order where it is promised, lockstep inside."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from functools import reduce
from itertools import accumulate

import numpy as np
import pytest

from intent2cuda.base.intexpr import IntExpr
from intent2cuda.interpret import run
from intent2cuda.ir.builder import Builder
from intent2cuda.ir.ops import Combiner
from intent2cuda.ir.value import Value
from intent2cuda.ir.verify import verify
from intent2cuda.language.bodies.storage import NUMPY
from intent2cuda.types.dtype import BF16, F16, F32, I8, I32, I64, U8, DType
from intent2cuda.types.value_type import Access

M, N = IntExpr.symbol("M"), IntExpr.symbol("N")
KINDS = [(inclusive, reverse) for inclusive in (True, False) for reverse in (False, True)]


def prefixes(members: Sequence, combine, identity, inclusive: bool, reverse: bool) -> list:
    """The scan of a list, one member after the other."""
    turned = [*members][::-1] if reverse else [*members]
    joined = (lambda a, b: combine(b, a)) if reverse else combine
    running = [*accumulate(turned, joined)] if inclusive else [*accumulate(turned, joined, initial=identity)][:-1]
    return running[::-1] if reverse else running


def composed(b: Builder, modulus: Value):
    """Of two maps x -> scale x + offset the first and then the second, modulo a number from outside."""

    def combine(f: Sequence[Value], g: Sequence[Value]) -> tuple[Value, Value]:
        moved = b.pointwise("add", b.pointwise("mul", f[1], g[0]), g[1])
        return b.pointwise("mod", b.pointwise("mul", f[0], g[0]), modulus), b.pointwise("mod", moved, modulus)

    return combine


def affine(b: Builder, scale: Value, offset: Value, inclusive: bool, reverse: bool, modulus: Value) -> Value:
    identity = b.constant(1, I64), b.constant(0, I64)
    return b.scan_by((scale, offset), 0, identity, composed(b, modulus), inclusive, reverse)[1]


def expected_offsets(scale: np.ndarray, offset: np.ndarray, modulus: int, inclusive: bool, reverse: bool) -> list[int]:
    def combine(f: tuple[int, int], g: tuple[int, int]) -> tuple[int, int]:
        return f[0] * g[0] % modulus, (f[1] * g[0] + g[1]) % modulus

    members = [*zip(scale.tolist(), offset.tolist(), strict=True)]
    return [f[1] for f in prefixes(members, combine, (1, 0), inclusive, reverse)]


@pytest.mark.parametrize("count", [0, 1, 2, 3, 31, 64, 257])
@pytest.mark.parametrize(("inclusive", "reverse"), KINDS)
def test_scans_keep_the_order_of_the_members(count: int, inclusive: bool, reverse: bool) -> None:
    b = Builder("affine")
    a, c, y = b.view("a", I64, ("N",)), b.view("c", I64, ("N",)), b.view("y", I64, ("N",), Access.OUT)
    b.store(y, (None,), affine(b, b.load(a, None), b.load(c, None), inclusive, reverse, b.constant(1009, I64)))
    a_, c_ = np.random.default_rng(count).integers(0, 1009, (2, count))
    y_ = np.empty(count, np.int64)
    run(verify(b.finish()), {"a": a_, "c": c_, "y": y_}, checked=True)
    assert y_.tolist() == expected_offsets(a_, c_, 1009, inclusive, reverse)


@pytest.mark.parametrize(("inclusive", "reverse"), KINDS)
def test_scans_of_rows_of_different_lengths_with_captures_of_each_point(inclusive: bool, reverse: bool) -> None:
    b = Builder("rows")
    a, c, y = b.view("a", I64, ("M", "N")), b.view("c", I64, ("N",)), b.view("y", I64, ("M", "N"), Access.INOUT)
    lengths, moduli = b.view("lengths", I64, ("M",)), b.view("moduli", I64, ("M",))
    with b.parallel(b.domain(0, b.dim("M"))) as (row,):
        some = b.domain(b.constant(0, I64), b.load(lengths, row))
        found = affine(b, b.load(a, row, some), b.load(c, some), inclusive, reverse, b.load(moduli, row))
        b.store(y, (row, some), found)
    rng = np.random.default_rng(1)
    a_, c_ = rng.integers(0, 50, (7, 9)), rng.integers(0, 50, 9)
    lengths_, moduli_ = np.array([9, 0, 1, 2, 9, 5, 1]), rng.integers(50, 99, 7)
    y_ = np.full((7, 9), -1)
    run(verify(b.finish()), {"a": a_, "c": c_, "y": y_, "lengths": lengths_, "moduli": moduli_}, checked=True)
    for row, (n, modulus) in enumerate(zip(lengths_.tolist(), moduli_.tolist(), strict=True)):
        assert y_[row, :n].tolist() == expected_offsets(a_[row, :n], c_[:n], modulus, inclusive, reverse)
        assert (y_[row, n:] == -1).all()


@pytest.mark.parametrize(("inclusive", "reverse"), KINDS)
@pytest.mark.parametrize("axis", [0, 1])
def test_scans_whose_members_are_slices(axis: int, inclusive: bool, reverse: bool) -> None:
    b = Builder("slices")
    x, y = b.view("x", I64, ("M", "N")), b.view("y", I64, ("M", "N"), Access.OUT)
    zero = b.broadcast(b.constant(0, I64), (None,), ((M, N)[1 - axis],))

    def last_wins(f: Sequence[Value], g: Sequence[Value]) -> tuple[Value]:
        """Associative and not commutative: the second where it is not zero, else the first."""
        absent = b.pointwise("eq", g[0], zero)
        return (b.pointwise("select", absent, f[0], g[0]),)

    b.store(y, (None, None), b.scan_by((b.load(x, None, None),), axis, (zero,), last_wins, inclusive, reverse)[0])
    x_ = np.random.default_rng(2).integers(0, 3, (6, 5)) * np.arange(1, 7)[:, None]
    y_ = np.empty_like(x_)
    run(verify(b.finish()), {"x": x_, "y": y_}, checked=True)
    members = [*np.moveaxis(x_, axis, 0)]
    wanted = prefixes(members, lambda f, g: np.where(g == 0, f, g), np.zeros_like(members[0]), inclusive, reverse)
    np.testing.assert_array_equal(np.moveaxis(y_, axis, 0), wanted)


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (1, 1), (4, 7), (33, 2)])
@pytest.mark.parametrize("axes", [(0,), (1,), (0, 1)])
def test_reductions_of_products_over_any_axes(shape: tuple[int, int], axes: tuple[int, ...]) -> None:
    """The smallest distance and, among equal ones, the smallest index."""
    b = Builder("nearest")
    x = b.view("x", F32, ("M", "N"))
    kept = tuple(e for axis, e in enumerate((M, N)) if axis not in axes)
    outputs = [b.view(name, t, kept, Access.OUT) for name, t in (("near", F32), ("at", I64))]
    rows, columns = (
        b.broadcast(b.indices(b.domain(0, b.dim(e))), (a, b_), (M, N)) for e, a, b_ in ((M, 0, None), (N, None, 0))
    )
    width = b.broadcast(b.dim(N), (None, None), (M, N))
    place = b.cast(b.pointwise("add", b.pointwise("mul", rows, width), columns), I64)

    def nearer(f: Sequence[Value], g: Sequence[Value]) -> tuple[Value, ...]:
        tie = b.pointwise("and", b.pointwise("eq", f[0], g[0]), b.pointwise("lt", f[1], g[1]))
        first = b.pointwise("or", b.pointwise("lt", f[0], g[0]), tie)
        return tuple(b.pointwise("select", first, mine, other) for mine, other in zip(f, g, strict=True))

    identity = b.constant(math.inf, F32), b.constant(1 << 40, I64)
    for output, value in zip(outputs, b.reduce_by((b.load(x, None, None), place), axes, identity, nearer), strict=True):
        b.store(output, [None] * len(kept), value)
    x_ = np.random.default_rng(3).integers(0, 5, shape).astype(np.float32)
    left = tuple(e for axis, e in enumerate(shape) if axis not in axes)
    near, at = np.empty(left, np.float32), np.empty(left, np.int64)
    run(verify(b.finish()), {"x": x_, "near": near, "at": at}, checked=True)
    keys = [*np.ndenumerate(x_)]
    for index in np.ndindex(*left):
        here = [
            (value, i * shape[1] + j)
            for (i, j), value in keys
            if tuple(p for axis, p in enumerate((i, j)) if axis not in axes) == index
        ]
        assert (near[index], at[index]) == min(here, default=(math.inf, 1 << 40))


def test_a_reduction_may_permute_and_takes_the_identity() -> None:
    """A combination without the laws shows: neither the order nor the neutral element is looked after."""
    b = Builder("lawless")
    x, y = b.view("x", I64, ("N",)), b.view("y", I64, (), Access.OUT)
    found = b.reduce_by(
        (b.load(x, None),), (0,), (b.constant(1000, I64),), lambda f, g: (b.pointwise("sub", f[0], g[0]),)
    )
    b.store(y, (), found[0])
    y_ = np.empty((), np.int64)
    run(verify(b.finish()), {"x": np.array([1, 10, 100]), "y": y_})
    assert y_ != reduce(lambda p, q: p - q, [1, 10, 100])
    assert y_ > 800


def test_a_combination_may_loop_branch_and_read_captured_tensors() -> None:
    """Greatest common divisors, found with a while loop, then looked up in a table that each point has of its own."""
    b = Builder("divisors")
    x, table = b.view("x", I64, ("M", "N")), b.view("table", I64, ("M", "K"))
    y = b.view("y", I64, ("M",), Access.OUT)
    with b.parallel(b.domain(0, b.dim("M"))) as (row,):
        zero, mine = b.constant(0, I64), b.load(table, row, None)

        def divisor(f: Sequence[Value], g: Sequence[Value]) -> tuple[Value]:
            found, _ = b.repeat(
                (f[0], g[0]),
                lambda carries: b.pointwise("ne", carries[1], zero),
                lambda carries: (carries[1], b.pointwise("mod", *carries)),
            )
            counted = b.loop(
                b.domain(0, 3), (found,), lambda i, carries: (b.pointwise("maximum", carries[0], b.gather(mine, i)),)
            )
            return b.branch(b.pointwise("eq", found, zero), lambda: (found,), lambda: counted)

        b.store(y, (row,), b.reduce_by((b.load(x, row, None),), (0,), (zero,), divisor)[0])
    rng = np.random.default_rng(4)
    x_ = 60 * rng.integers(1, 99, (5, 33))
    table_ = np.array([[1, 2, 3], [4, 60, 60], [0, 0, 0], [12, 30, 2], [60, 1, 1]])
    y_ = np.empty(5, np.int64)
    run(verify(b.finish()), {"x": x_, "table": table_, "y": y_}, checked=True)
    assert y_.tolist() == [math.gcd(*row) for row in x_.tolist()]


def test_members_that_no_point_changes_are_combined_once() -> None:
    b = Builder("shared")
    x, y = b.view("x", I64, ("N",)), b.view("y", I64, ("M",), Access.OUT)
    table = b.load(x, None)
    with b.parallel(b.domain(0, b.dim("M"))) as (row,):
        total = b.reduce_by((table,), (0,), (b.constant(0, I64),), lambda f, g: (b.pointwise("add", f[0], g[0]),))
        b.store(y, (row,), b.pointwise("add", total[0], b.cast(row, I64)))
    x_, y_ = np.arange(100_000), np.empty(20_000, np.int64)
    run(verify(b.finish()), {"x": x_, "y": y_})  # together 2e9 members
    np.testing.assert_array_equal(y_, x_.sum() + np.arange(20_000))


@pytest.mark.parametrize("dtype", [F16, BF16, F32], ids=str)
def test_each_combination_rounds_to_its_dtype(dtype: DType) -> None:
    """2048 + 1 and 256 + 1 are ties in f16 and bf16, where a sum of ones stays for good."""
    b = Builder("rounding")
    x, y = b.view("x", dtype, ("N",)), b.view("y", dtype, ("N",), Access.OUT)
    b.store(y, (None,), b.scan(Combiner.ADD, b.load(x, None), 0))
    x_, y_ = np.ones(4000, NUMPY[dtype]), np.empty(4000, NUMPY[dtype])
    run(verify(b.finish()), {"x": x_, "y": y_})
    most = {"f16": 2048, "bf16": 256, "f32": 4000}[dtype.name]
    assert y_.astype(float).tolist() == [float(min(k, most)) for k in range(1, 4001)]


@pytest.mark.parametrize("dtype", [I8, U8, I32, F32], ids=str)
@pytest.mark.parametrize(("inclusive", "reverse"), KINDS)
@pytest.mark.parametrize("combiner", [Combiner.ADD, Combiner.MAXIMUM, Combiner.MINIMUM])
def test_builtin_scans(combiner: Combiner, inclusive: bool, reverse: bool, dtype: DType) -> None:
    b = Builder("builtin")
    x, y = b.view("x", dtype, ("M", "N", "K")), b.view("y", dtype, ("M", "N", "K"), Access.OUT)
    with b.parallel(b.domain(0, b.dim("M"))) as (row,):
        b.store(y, (row, None, None), b.scan(combiner, b.load(x, row, None, None), 0, inclusive, reverse))
    numpy_dtype = np.dtype(
        dtype.name.replace("i", "int").replace("u", "uint").replace("f", "float").replace("uintint", "uint")
    )
    x_ = np.random.default_rng(5).integers(0, 120, (3, 9, 2)).astype(numpy_dtype)
    y_ = np.empty_like(x_)
    run(verify(b.finish()), {"x": x_, "y": y_})
    limits = np.finfo(numpy_dtype) if dtype.is_float else np.iinfo(numpy_dtype)
    least, most = (-np.inf, np.inf) if dtype.is_float else (limits.min, limits.max)
    body, identity = {
        Combiner.ADD: (np.add, 0),
        Combiner.MAXIMUM: (np.maximum, least),
        Combiner.MINIMUM: (np.minimum, most),
    }[combiner]
    for row, column in np.ndindex(3, 2):
        members = [*x_[row, :, column]]
        with np.errstate(over="ignore"):
            wanted = prefixes(members, body, x_.dtype.type(identity), inclusive, reverse)
        np.testing.assert_array_equal(y_[row, :, column], wanted)


def online_maximum_and_mass(b: Builder):
    def merge(f: Sequence[Value], g: Sequence[Value]) -> tuple[Value, Value]:
        peak = b.pointwise("maximum", f[0], g[0])
        shares = (b.pointwise("mul", m[1], b.pointwise("exp", b.pointwise("sub", m[0], peak))) for m in (f, g))
        return peak, b.pointwise("add", *shares)

    return merge


@pytest.mark.parametrize("scan", [False, True])
def test_row_kernels_of_four_million_elements_are_run_row_by_row_at_least(scan: bool) -> None:
    b = Builder("online")
    x, y = b.view("x", F32, ("M", "N")), b.view("y", F32, ("M", "N") if scan else ("M",), Access.OUT)
    with b.parallel(b.domain(0, b.dim("M"))) as (row,):
        values = b.load(x, row, None)
        if scan:
            decay = b.broadcast(b.constant(0.5, F32), (None,), values.tensor.shape)
            identity = b.constant(1.0, F32), b.constant(0.0, F32)

            def after(f: Sequence[Value], g: Sequence[Value]) -> tuple[Value, Value]:
                return b.pointwise("mul", f[0], g[0]), b.pointwise("add", b.pointwise("mul", f[1], g[0]), g[1])

            b.store(y, (row, None), b.scan_by((decay, values), 0, identity, after)[1])
        else:
            ones = b.broadcast(b.constant(1.0, F32), (None,), values.tensor.shape)
            identity = b.constant(-1e30, F32), b.constant(0.0, F32)
            b.store(y, (row,), b.reduce_by((values, ones), (0,), identity, online_maximum_and_mass(b))[1])
    x_ = np.random.default_rng(6).standard_normal((4096, 1024)).astype(np.float32)
    y_ = np.empty((4096, 1024) if scan else 4096, np.float32)
    kernel = verify(b.finish())
    started = time.process_time()
    run(kernel, {"x": x_, "y": y_})
    assert time.process_time() - started < 20  # point by point it takes minutes
    wide = x_.astype(np.float64)
    if scan:
        state = np.zeros(4096)
        for column in range(1024):
            state = 0.5 * state + wide[:, column]
            np.testing.assert_allclose(y_[:, column], state, rtol=1e-5, atol=1e-5)
    else:
        np.testing.assert_allclose(y_, np.exp(wide - wide.max(1, keepdims=True)).sum(1), rtol=1e-5)
