"""Proofs about integer expressions, and that nothing false is ever proved."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from intent2cuda.analysis.expressions import coordinate
from intent2cuda.analysis.limits import coordinate_bounds
from intent2cuda.analysis.ranges import Facts
from intent2cuda.analysis.structure import structure
from intent2cuda.base.intexpr import IntExpr, ceiling, evaluate, maximum, minimum, symbols
from intent2cuda.ir.builder import Builder
from intent2cuda.ir.ops import AssumeInBounds
from intent2cuda.ir.value import Value
from intent2cuda.types.dtype import F32

M, N = IntExpr.symbol("M"), IntExpr.symbol("N")
R, C = coordinate(0), coordinate(1)


def facts(positive: tuple[IntExpr, ...] = (M, N)) -> Facts:
    """0 <= R < M, 0 <= C < N."""
    return Facts(structure(Builder("none").finish()), coordinate_bounds((M, N)), positive)


PROVED = {
    "extent": M,
    "positive extent": M - 1,
    "coordinate": R,
    "below": M - 1 - R,
    "row major": M * N - 1 - (R * N + C),
    "column major": M * N - 1 - (C * M + R),
    "product": M * N - N,
    "floor division": M - 1 - (R * N + C) // N,
    "halved": R - R // 2,
    "rounded up": 4 * ceiling(M, 4) - M,
    "rounded up, from above": M + 3 - 4 * ceiling(M, 4),
    "remainder": N - 1 - R % N,
    "minimum": N - minimum(R + 16, N),
    "maximum": maximum(R, C) - C,
    "difference of blocks": 15 - (minimum(16 * R + 16, N) - 16 * R - 1),
}


@pytest.mark.parametrize("name", PROVED)
def test_proved(name: str) -> None:
    assert facts().nonneg(PROVED[name])


@pytest.mark.parametrize("expression", [-M, R - 1, M - R - 2, N - R, -IntExpr.of(1), M - C, R - 2 * (R // 2) - 1])
def test_not_proved(expression: IntExpr) -> None:
    assert not facts().nonneg(expression)


def test_an_extent_may_be_zero_unless_something_runs() -> None:
    assert not facts(()).nonneg(M - 1)


SIMPLER = {
    "quotient": ((R * N + C) // N, R),
    "remainder": ((R * N + C) % N, C),
    "put together": ((C // 4) * 4 + C % 4, C),
    "put together, scaled": (N * 4 * (C // 4) + N * (C % 4), N * C),
    "below": (R % M, R),
    "from the end": ((M - 1 - R) // M, IntExpr.of(0)),
    "minimum": (minimum(R, M), R),
    "untouched": (R // 2, R // 2),
}


@pytest.mark.parametrize("name", SIMPLER)
def test_simplified(name: str) -> None:
    given_expression, expected = SIMPLER[name]
    assert facts().simplify(given_expression) == expected


def test_a_loop_variable_is_below_its_end() -> None:
    b = Builder("loop")
    b.view("x", F32, ("N",))
    points: list[IntExpr] = []
    with b.parallel(b.domain(2, b.dim("N"), 3)) as (i,):
        points.append(i.as_symbol)
    found = Facts(structure(b.finish()))
    assert found.nonneg(points[0] - 2) and found.less(points[0], N)
    assert not found.less(points[0], N - 1)


def expressions() -> st.SearchStrategy[IntExpr]:
    atoms = st.sampled_from([R, C, M, N, IntExpr.of(1), IntExpr.of(2), IntExpr.of(-1)])

    def grow(inner: st.SearchStrategy[IntExpr]) -> st.SearchStrategy[IntExpr]:
        pairs = st.tuples(inner, inner)
        return st.one_of(
            pairs.map(lambda p: p[0] + p[1]),
            pairs.map(lambda p: p[0] - p[1]),
            pairs.map(lambda p: p[0] * p[1]),
            pairs.map(lambda p: minimum(*p)),
            pairs.map(lambda p: maximum(*p)),
            st.tuples(inner, st.sampled_from([M, N, IntExpr.of(2), IntExpr.of(3)])).map(lambda p: p[0] // p[1]),
            st.tuples(inner, st.sampled_from([M, N, IntExpr.of(2), IntExpr.of(3)])).map(lambda p: p[0] % p[1]),
            st.tuples(inner, st.sampled_from([M, N, IntExpr.of(4)])).map(lambda p: ceiling(*p)),
        )

    return st.recursive(atoms, grow, max_leaves=6)


def points() -> list[dict[str, int]]:
    sizes = itertools.product((1, 2, 3, 5), repeat=2)
    return [{"M": m, "N": n, "#0": i, "#1": j} for m, n in sizes for i in range(m) for j in range(n)]


def value(expression: IntExpr, at: dict[str, int]) -> int:
    return evaluate(expression, {symbol: at[symbol.name] for symbol in symbols(expression)})


@settings(max_examples=300, deadline=None)
@given(expressions())
def test_nothing_false_is_proved(expression: IntExpr) -> None:
    found = facts()
    if found.nonneg(expression):
        assert all(value(expression, at) >= 0 for at in points())
    simpler = found.simplify(expression)
    assert all(value(expression, at) == value(simpler, at) for at in points())


@settings(max_examples=200, deadline=None)
@given(expressions())
def test_extremes_hold(expression: IntExpr) -> None:
    extremes = facts().extremes(expression)
    for at in points():
        assert all(value(bound, at) <= value(expression, at) for bound in extremes.lower)
        assert all(value(bound, at) >= value(expression, at) for bound in extremes.upper)


@pytest.mark.parametrize("in_branch", [False, True])
def test_a_promise_holds_where_its_scalar_is_made(in_branch: bool) -> None:
    """A promise in a branch says nothing of the other one."""
    b = Builder("promise")
    x, place = b.view("x", F32, ("N",)), b.scalar("place")

    def promise() -> list[Value]:
        b.emit(AssumeInBounds(place, x, 0))
        return []

    if in_branch:
        b.branch(b.pointwise("gt", place, b.constant(3)), promise, lambda: [])
    else:
        promise()
    assert Facts(structure(b.finish())).within(place.as_symbol, N) is not in_branch
