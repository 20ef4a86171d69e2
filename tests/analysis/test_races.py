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
from intent2cuda.ir.ops import Combiner
from intent2cuda.ir.value import Value
from intent2cuda.ir.verify import verify
from intent2cuda.types.dtype import F32, I32
from intent2cuda.types.value_type import Access


def run(make: Callable[[Builder], None]) -> tuple[Diagnostic, ...]:
    b = Builder("kernel")
    make(b)
    return check(verify(b.finish()))


def one(b: Builder) -> Value:
    return b.constant(1.0, F32)


def points(b: Builder, position: Callable[[IntExpr], IntExpr], size: int | str, count: int | str) -> None:
    """for i in parallel(domain(0, count)): o[position(i)] = 1.0"""
    b.view("x", F32, (count,))
    o = b.view("o", F32, (size,), Access.OUT)
    with b.parallel(b.domain(0, b.dim(count))) as (i,):
        b.store(o, (b.dim(position(i.as_symbol)),), one(b))


def reversed_points(b: Builder) -> None:
    points(b, lambda i: IntExpr.symbol("N") - 1 - i, "N", "N")


def flattened(b: Builder) -> None:
    b.view("x", F32, ("M", "N"))
    o = b.view("o", F32, ("K",), Access.OUT)
    with b.parallel(b.domain(0, b.dim("M"))) as (i,), b.parallel(b.domain(0, b.dim("N")), names=("j",)) as (j,):
        b.store(o, (b.dim(i.as_symbol * IntExpr.symbol("N") + j.as_symbol),), one(b))


def split(b: Builder) -> None:
    """o[i // 4, i % 4]"""
    o = b.view("o", F32, (4, 4), Access.OUT)
    with b.parallel(b.domain(0, 16)) as (i,):
        b.store(o, (b.dim(i.as_symbol // 4), b.dim(i.as_symbol % 4)), one(b))


def skewed(b: Builder) -> None:
    """o[i, i + j]"""
    o = b.view("o", F32, (4, 8), Access.OUT)
    with b.parallel(b.domain(0, 4), b.domain(0, 4)) as (i, j):
        b.store(o, (i, b.dim(i.as_symbol + j.as_symbol)), one(b))


def rows(b: Builder) -> None:
    o = b.view("o", F32, ("M", "N"), Access.OUT)
    with b.parallel(b.domain(0, b.dim("M"))) as (i,):
        b.store(o, (i, None), b.broadcast(one(b), (None,), (IntExpr.symbol("N"),)))


def even_and_odd(b: Builder) -> None:
    """o[2 * i] and o[2 * i + 1]"""
    o = b.view("o", F32, (16,), Access.OUT)
    with b.parallel(b.domain(0, 8)) as (i,):
        b.store(o, (b.dim(2 * i.as_symbol),), one(b))
        b.store(o, (b.dim(2 * i.as_symbol + 1),), one(b))


def stepped(b: Builder) -> None:
    """o[i] and o[i + 1] for i = 0, 2, 4, ..."""
    o = b.view("o", F32, (17,), Access.OUT)
    with b.parallel(b.domain(0, 16, 2)) as (i,):
        b.store(o, (i,), one(b))
        b.store(o, (b.dim(i.as_symbol + 1),), one(b))


def blocks(b: Builder) -> None:
    """A block of 16, cut at N, for each point."""
    o = b.view("o", F32, ("N",), Access.INOUT)
    n = IntExpr.symbol("N")
    with b.parallel(b.domain(0, b.dim((n + 15) // 16))) as (i,):
        begin = b.dim(16 * i.as_symbol)
        last = b.pointwise("minimum", b.dim(16 * i.as_symbol + 16), b.dim(n))
        part = b.domain(begin, last)
        b.store(o, (part,), b.load(o, part))


def own_element_read(b: Builder) -> None:
    y = b.view("y", F32, (16,), Access.INOUT)
    with b.parallel(b.domain(0, 15)) as (i,):
        b.store(y, (i,), b.load(y, i))


def read_before_the_loop(b: Builder) -> None:
    y = b.view("y", F32, (16,), Access.INOUT)
    total = b.reduce(Combiner.ADD, b.load(y, None), (0,))
    with b.parallel(b.domain(0, 16)) as (i,):
        b.store(y, (i,), total)


def first_point_only(b: Builder) -> None:
    o = b.view("o", F32, (1,), Access.OUT)
    with b.parallel(b.domain(0, 16)) as (i,):
        first = b.pointwise("eq", i, b.constant(0))
        b.branch(first, lambda: store(b, o, (b.constant(0),)), lambda: [])


def store(b: Builder, o: Value, at: tuple[Value, ...]) -> list[Value]:
    b.store(o, at, one(b))
    return []


def permuted_lanes(b: Builder) -> None:
    """o[15 - rows] = x"""
    x, o = b.view("x", F32, (16,)), b.view("o", F32, (16,), Access.OUT)
    index = b.indices(b.domain(0, 16))
    last = b.broadcast(b.constant(15), (None,), (16,))
    b.store(o, (b.pointwise("sub", last, index),), b.load(x, None))


def flattened_lanes(b: Builder) -> None:
    """o[r[:, None] * 4 + r[None, :]] = x"""
    x, o = b.view("x", F32, (4, 4)), b.view("o", F32, (16,), Access.OUT)
    four = b.broadcast(b.constant(4), (None, None), (4, 4))
    b.store(o, (b.pointwise("add", b.pointwise("mul", lanes(b, 0), four), lanes(b, 1)),), b.load(x, None, None))


def lanes(b: Builder, axis: int) -> Value:
    index = b.indices(b.domain(0, 4))
    return b.broadcast(index, (0, None) if axis == 0 else (None, 0), (4, 4))


def reshaped_and_transposed(b: Builder) -> None:
    """A permutation of 0 .. M*N-1 by transpose and reshape."""
    b.view("x", F32, ("M", "N"))
    m, n = IntExpr.symbol("M"), IntExpr.symbol("N")
    o = b.view("o", F32, ("K",), Access.INOUT)
    index = b.reshape(b.indices(b.domain(0, b.dim(m * n))), (m, n))
    turned = b.reshape(b.transpose(index, (1, 0)), (m * n,))
    b.store(o, (turned,), b.load(o, turned))


def turned_square(b: Builder) -> None:
    """A permutation of 0 .. 63 by transpose and reshape."""
    o = b.view("o", F32, (64,), Access.INOUT)
    square = b.reshape(b.indices(b.domain(0, 64)), (8, 8))
    turned = b.reshape(b.transpose(square, (1, 0)), (64,))
    b.store(o, (turned,), b.load(o, turned))


def rotated(b: Builder) -> None:
    """o[(i + 1) % N]"""
    n = IntExpr.symbol("N")
    points(b, lambda i: (i + 1) % n, "N", "N")


def heads(b: Builder) -> None:
    """One loop over batch, head and position; o[batch * S + position, head * D : head * D + D]"""
    batches, width, length, depth = (IntExpr.symbol(name) for name in "BHSD")
    b.view("x", F32, ("B", "H", "S", "D"))
    o = b.view("o", F32, ("T", "C"), Access.INOUT)
    with b.parallel(b.domain(0, b.dim(batches * width * length))) as (i,):
        point = i.as_symbol
        batch, head, position = point // (width * length), (point // length) % width, point % length
        columns = b.domain(b.dim(head * depth), b.dim(head * depth + depth))
        b.store(o, (b.dim(batch * length + position), columns), b.broadcast(one(b), (None,), (depth,)))


def runtime_step(b: Builder) -> None:
    """o[i] for i = begin, begin + step, ..."""
    o, begin, end, step = b.view("o", F32, ("N",), Access.INOUT), b.scalar("begin"), b.scalar("end"), b.scalar("step")
    some = b.domain(begin, end, step)
    b.store(o, (some,), b.load(o, some))


def ragged_rows(b: Builder) -> None:
    """o[t[g] : t[g + 1]], the subregions of one source"""
    with_offsets(b, b.subregion)


def with_offsets(b: Builder, part: Callable[[Value, Value, Value], Value]) -> None:
    t, o = b.view("t", I32, ("E",)), b.view("o", F32, ("N",), Access.INOUT)
    source = b.domain(0, b.dim("N"))
    with b.parallel(b.domain(0, b.dim(IntExpr.symbol("E") - 1)), names=("g",)) as (g,):
        begin, end = b.load(t, g), b.load(t, b.dim(g.as_symbol + 1))
        rows = part(source, begin, end)
        b.store(o, (rows,), b.load(o, rows))


FINE = (
    runtime_step,
    ragged_rows,
    reversed_points,
    flattened,
    split,
    skewed,
    rows,
    even_and_odd,
    stepped,
    blocks,
    own_element_read,
    read_before_the_loop,
    first_point_only,
    permuted_lanes,
    flattened_lanes,
    reshaped_and_transposed,
    turned_square,
    rotated,
    heads,
)


def one_address(b: Builder) -> None:
    points(b, lambda i: IntExpr.of(0), 1, "N")


def halved(b: Builder) -> None:
    points(b, lambda i: i // 2, "N", "N")


def wrapped(b: Builder) -> None:
    points(b, lambda i: i % 4, 4, 16)


def wrapped_far(b: Builder) -> None:
    points(b, lambda i: i % 1024, 1024, 4096)


def mirrored(b: Builder) -> None:
    points(b, lambda i: i * (15 - i), 64, 16)


def whole_view(b: Builder) -> None:
    o = b.view("o", F32, ("N",), Access.OUT)
    with b.parallel(b.domain(0, b.dim("N"))):
        b.store(o, (None,), b.broadcast(one(b), (None,), (IntExpr.symbol("N"),)))


def inner_point_missing(b: Builder) -> None:
    b.view("x", F32, ("M", "N"))
    o = b.view("o", F32, ("M",), Access.OUT)
    with b.parallel(b.domain(0, b.dim("M"))) as (i,), b.parallel(b.domain(0, b.dim("N")), names=("j",)):
        b.store(o, (i,), one(b))


def overlapping_windows(b: Builder) -> None:
    o = b.view("o", F32, (9,), Access.OUT)
    with b.parallel(b.domain(0, 8)) as (i,):
        b.store(o, (i,), one(b))
        b.store(o, (b.dim(i.as_symbol + 1),), one(b))


def counter_under_a_data_condition(b: Builder) -> None:
    x, c = b.view("x", F32, ("N",)), b.view("c", F32, (1,), Access.INOUT)
    with b.parallel(b.domain(0, b.dim("N"))) as (i,):
        positive = b.pointwise("gt", b.load(x, i), b.constant(0.0, F32))
        zero = b.constant(0)

        def count() -> list[Value]:
            b.store(c, (zero,), b.load(c, zero))
            return []

        b.branch(positive, count, lambda: [])


def neighbour_read(b: Builder) -> None:
    y = b.view("y", F32, (16,), Access.INOUT)
    with b.parallel(b.domain(0, 15)) as (i,):
        b.store(y, (i,), b.load(y, b.dim(i.as_symbol + 1)))


def halved_lanes(b: Builder) -> None:
    x, o = b.view("x", F32, (16,)), b.view("o", F32, (8,), Access.OUT)
    two = b.broadcast(b.constant(2), (None,), (16,))
    b.store(o, (b.pointwise("floordiv", b.indices(b.domain(0, 16)), two),), b.load(x, None))


def summed_lanes(b: Builder) -> None:
    x, o = b.view("x", F32, (4, 4)), b.view("o", F32, (7,), Access.OUT)
    b.store(o, (b.pointwise("add", lanes(b, 0), lanes(b, 1)),), b.load(x, None, None))


WRONG = {
    one_address: "kir.parallel.race",
    halved: "kir.parallel.race",
    wrapped: "kir.parallel.race",
    wrapped_far: "kir.parallel.race",
    mirrored: "kir.parallel.race",
    whole_view: "kir.parallel.race",
    inner_point_missing: "kir.parallel.race",
    overlapping_windows: "kir.parallel.race",
    counter_under_a_data_condition: "kir.parallel.race",
    neighbour_read: "kir.parallel.race",
    halved_lanes: "kir.store.not_injective",
    summed_lanes: "kir.store.not_injective",
}


def data_derived(b: Builder) -> None:
    t, o = b.view("t", I32, ("N",)), b.view("o", F32, ("M",), Access.INOUT)
    with b.parallel(b.domain(0, b.dim("N"))) as (i,):
        b.store(o, (b.load(t, i),), one(b))


def data_derived_lanes(b: Builder) -> None:
    t, x, o = b.view("t", I32, ("N",)), b.view("x", F32, ("N",)), b.view("o", F32, ("M",), Access.INOUT)
    b.store(o, (b.load(t, None),), b.load(x, None))


def size_from_the_call(b: Builder) -> None:
    """o[i % K]: fine when N <= K."""
    o = b.view("o", F32, ("K",), Access.INOUT)
    b.view("x", F32, ("N",))
    with b.parallel(b.domain(0, b.dim("N"))) as (i,):
        b.store(o, (b.dim(i.as_symbol % IntExpr.symbol("K")),), one(b))


def stride_from_the_call(b: Builder) -> None:
    o, step = b.view("o", F32, ("K",), Access.INOUT), b.scalar("step")
    with b.parallel(b.domain(0, b.dim("K"))) as (i,):
        b.store(o, (b.dim(i.as_symbol * step.as_symbol),), one(b))


def domains_from_offsets(b: Builder) -> None:
    """A domain may run backwards (and is empty then), so its bounds need not rise."""
    with_offsets(b, lambda source, begin, end: b.domain(begin, end))


OPEN = {
    domains_from_offsets: "kir.parallel.unproved",
    data_derived: "kir.parallel.unproved",
    data_derived_lanes: "kir.store.unproved",
    size_from_the_call: "kir.parallel.unproved",
    stride_from_the_call: "kir.parallel.unproved",
}


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
