"""Kernels whose points or elements may meet in memory: those that provably do not, those that do, and open ones."""

from __future__ import annotations

from collections.abc import Callable

from intent2cuda.base.intexpr import IntExpr
from intent2cuda.ir.builder import Builder
from intent2cuda.ir.ops import Combiner
from intent2cuda.ir.value import Value
from intent2cuda.types.dtype import F32, I32
from intent2cuda.types.value_type import Access


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
