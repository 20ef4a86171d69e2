"""Conflicts of points and of elements: what must be an error, a note, or nothing."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from intent2cuda.analysis import check
from intent2cuda.base.diagnostics import Diagnostic, Severity
from intent2cuda.base.intexpr import IntExpr, evaluate, symbols
from intent2cuda.ir.builder import Builder
from intent2cuda.ir.value import Value
from intent2cuda.ir.verify import verify
from intent2cuda.types.dtype import F32
from intent2cuda.types.value_type import Access

from .conflicting import FINE, OPEN, WRONG, wrapped


def run(make: Callable[[Builder], None]) -> tuple[Diagnostic, ...]:
    b = Builder("kernel")
    make(b)
    return check(verify(b.finish()))


def name(parameter: object) -> str:
    return getattr(parameter, "__name__", str(parameter))


@pytest.mark.req("L47", "L117")
@pytest.mark.parametrize("make", FINE, ids=name)
def test_proved_absence_says_nothing(make: Callable[[Builder], None]) -> None:
    assert run(make) == ()


@pytest.mark.req("L47", "L117", "L126")
@pytest.mark.parametrize(("make", "code"), WRONG.items(), ids=name)
def test_a_proved_conflict_is_one_error(make: Callable[[Builder], None], code: str) -> None:
    assert [(d.code, d.severity) for d in run(make)] == [(code, Severity.ERROR)]


@pytest.mark.req("L47", "L117")
@pytest.mark.parametrize(("make", "code"), OPEN.items(), ids=name)
def test_what_depends_on_the_call_is_one_note(make: Callable[[Builder], None], code: str) -> None:
    assert [(d.code, d.severity) for d in run(make)] == [(code, Severity.NOTE)]


def test_the_message_has_the_authors_names_and_an_example() -> None:
    (finding,) = run(wrapped)
    assert finding.message == "two points write o[0]: i = 0 and i = 4"
    assert "I.atomic.add" in finding.help and finding.subject == "o"


def expression() -> st.SearchStrategy[tuple[str, Callable[[IntExpr, IntExpr], IntExpr]]]:
    """Positions over two loop variables i < 4 (or M) and j < 3 (or N), with a name to show."""
    sizes = st.sampled_from([1, 2, 3, 4, 5, 12])

    def affine(a: int, b: int, c: int) -> tuple[str, Callable[[IntExpr, IntExpr], IntExpr]]:
        return f"{a}i+{b}j+{c}", lambda i, j: a * i + b * j + c

    def divided(a: int, b: int, d: int, kind: str) -> tuple[str, Callable[[IntExpr, IntExpr], IntExpr]]:
        def position(i: IntExpr, j: IntExpr) -> IntExpr:
            whole = a * i + b * j
            return whole // d if kind == "//" else whole % d

        return f"({a}i+{b}j){kind}{d}", position

    small = st.integers(0, 4)
    return st.one_of(
        st.builds(affine, small, small, st.integers(0, 2)),
        st.builds(divided, small, small, sizes, st.sampled_from(["//", "%"])),
    )


@settings(max_examples=150, deadline=None)
@given(st.lists(expression(), min_size=1, max_size=2), st.booleans(), st.booleans())
def test_verdicts_agree_with_enumeration(
    positions: list[tuple[str, Callable[[IntExpr, IntExpr], IntExpr]]], dynamic: bool, nested: bool
) -> None:
    b = Builder("kernel")
    counts: tuple[int | str, int | str] = ("M", "N") if dynamic else (4, 3)
    b.view("x", F32, counts)
    o = b.view("o", F32, [64] * len(positions), Access.INOUT)
    first, second = (b.domain(0, b.dim(count)) for count in counts)
    at: list[IntExpr] = []

    def write(i: Value, j: Value) -> None:
        at.extend(position(i.as_symbol, j.as_symbol) for _, position in positions)
        b.store(o, [b.dim(e) for e in at], b.constant(1.0, F32))

    if nested:
        with b.parallel(first) as (i,), b.parallel(second, names=("j",)) as (j,):
            write(i, j)
    else:
        with b.parallel(first, second) as (i, j):
            write(i, j)
    errors = [d for d in check(b.finish()) if d.severity is Severity.ERROR]
    notes = [d for d in check(b.finish()) if d.severity is Severity.NOTE]
    sizes = itertools.product(range(6), repeat=2) if dynamic else [(4, 3)]
    collides = [collision(at, m, n) for m, n in sizes]
    if errors:
        assert any(collides)
    elif not notes:
        assert not any(collides)


def collision(at: list[IntExpr], m: int, n: int) -> bool:
    """Whether two points of an m by n loop have one position."""
    seen = [
        tuple(evaluate(e, {s: {"i": i, "j": j}[s.name] for s in symbols(e)}) for e in at)
        for i in range(m)
        for j in range(n)
    ]
    return len(set(seen)) < len(seen)


@pytest.mark.req("L47")
@settings(max_examples=100, deadline=None)
@given(expression(), expression(), st.booleans(), st.booleans())
def test_verdicts_of_two_accesses_agree_with_enumeration(
    one: tuple[str, Callable[[IntExpr, IntExpr], IntExpr]],
    other: tuple[str, Callable[[IntExpr, IntExpr], IntExpr]],
    reads: bool,
    dynamic: bool,
) -> None:
    b = Builder("kernel")
    counts: tuple[int | str, int | str] = ("M", "N") if dynamic else (4, 3)
    b.view("x", F32, counts)
    o = b.view("o", F32, (64,), Access.INOUT)
    with b.parallel(*(b.domain(0, b.dim(count)) for count in counts)) as (i, j):
        first, second = (position(i.as_symbol, j.as_symbol) for _, position in (one, other))
        b.store(o, (b.dim(first),), b.load(o, b.dim(second)) if reads else b.constant(1.0, F32))
        if not reads:
            b.store(o, (b.dim(second),), b.constant(2.0, F32))
    severities = {d.severity for d in check(b.finish())}
    sizes = itertools.product(range(6), repeat=2) if dynamic else [(4, 3)]
    meets = [any(meet(first, second, m, n, reads)) for m, n in sizes]
    if Severity.ERROR in severities:
        assert any(meets)
    elif not severities:
        assert not any(meets)


def meet(first: IntExpr, second: IntExpr, m: int, n: int, reads: bool) -> Iterator[bool]:
    """For each pair of two points whether one writes (at `first`, and at `second` too) what the other touches."""
    points = list(itertools.product(range(m), range(n)))
    for p, q in itertools.permutations(points, 2):
        written = [first] if reads else [first, second]
        yield bool({at(e, p) for e in written} & {at(e, q) for e in (first, second)})


def at(position: IntExpr, point: tuple[int, int]) -> int:
    return evaluate(position, {s: dict(zip("ij", point, strict=True))[s.name] for s in symbols(position)})
