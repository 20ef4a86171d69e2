"""Undefined reads, positions outside, effects, waiting loops: errors where certain, silence where not."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from intent2cuda.analysis import check
from intent2cuda.analysis.bounds import inside
from intent2cuda.analysis.effects import effects, is_pure
from intent2cuda.analysis.relations import Relations
from intent2cuda.analysis.sites import sites
from intent2cuda.analysis.structure import structure
from intent2cuda.analysis.surroundings import Surroundings
from intent2cuda.base.diagnostics import Diagnostic, Severity
from intent2cuda.base.intexpr import IntExpr
from intent2cuda.ir.builder import Builder
from intent2cuda.ir.ops import Allocate, Gather, Load, Parallel, Store
from intent2cuda.ir.reader import read
from intent2cuda.ir.terms import Slice
from intent2cuda.ir.value import Value
from intent2cuda.ir.verify import verify
from intent2cuda.types.dtype import F32
from intent2cuda.types.value_type import Access, BufferType

N = IntExpr.symbol("N")


def run(make: Callable[[Builder], None]) -> tuple[Diagnostic, ...]:
    b = Builder("kernel")
    make(b)
    return check(verify(b.finish()))


def codes(make: Callable[[Builder], None]) -> list[str]:
    return [finding.code for finding in run(make)]


def name(parameter: object) -> str:
    return getattr(parameter, "__name__", str(parameter))


def read_of_out(b: Builder) -> None:
    o = b.view("o", F32, ("N",), Access.OUT)
    b.store(o, (None,), b.load(o, None))


def read_in_the_same_point(b: Builder) -> None:
    o = b.view("o", F32, ("N",), Access.OUT)
    with b.parallel(b.domain(0, b.dim("N"))) as (i,):
        b.store(o, (i,), b.load(o, i))


def read_after_the_write(b: Builder) -> None:
    x, o = b.view("x", F32, ("N",)), b.view("o", F32, ("N",), Access.OUT)
    b.store(o, (None,), b.load(x, None))
    b.store(o, (None,), b.load(o, None))


def read_in_a_later_turn(b: Builder) -> None:
    o = b.view("o", F32, ("N",), Access.OUT)

    def turn(index: Value, carries: tuple[Value, ...]) -> list[Value]:
        later = b.pointwise("gt", index, b.constant(0))

        def earlier() -> list[Value]:
            return [b.load(o, b.dim(index.as_symbol - 1))]

        (last,) = b.branch(later, earlier, lambda: [carries[0]])
        b.store(o, (index,), last)
        return [last]

    b.loop(b.domain(0, b.dim("N")), [b.constant(0.0, F32)], turn)


@pytest.mark.parametrize("make", [read_of_out, read_in_the_same_point], ids=name)
def test_a_read_of_an_unwritten_out_view_is_an_error(make: Callable[[Builder], None]) -> None:
    (finding,) = run(make)
    assert finding.code == "kir.view.undefined" and "o" in finding.message and "InOut" in finding.help


def read_of_buffer(b: Builder) -> None:
    o, buffer = b.view("o", F32, (4,), Access.OUT), b.allocate(F32, (4,), name="state")
    b.store(o, (None,), b.load(buffer, None))


def read_of_filled_buffer(b: Builder) -> None:
    o, buffer = b.view("o", F32, (4,), Access.OUT), b.allocate(F32, (4,), b.constant(0.0, F32), "state")
    b.store(o, (None,), b.load(buffer, None))


def test_a_read_of_an_unwritten_buffer_is_an_error() -> None:
    (finding,) = run(read_of_buffer)
    assert finding.code == "kir.view.undefined" and "state" in finding.message and "initial" in finding.help
    assert codes(read_of_filled_buffer) == []


@pytest.mark.parametrize("make", [read_after_the_write, read_in_a_later_turn], ids=name)
def test_a_read_of_a_written_out_view_is_fine(make: Callable[[Builder], None]) -> None:
    assert codes(make) == []


def reading(*shape: int | str) -> tuple[Builder, Value]:
    b = Builder("kernel")
    return b, b.view("x", F32, shape)


def point(b: Builder, x: Value) -> None:
    b.load(x, b.constant(8))


def negative_point(b: Builder, x: Value) -> None:
    b.load(x, b.constant(-1))


def slice_past_the_end(b: Builder, x: Value) -> None:
    b.load(x, Slice(b.constant(6), IntExpr.of(4)))


def domain_past_the_end(b: Builder, x: Value) -> None:
    b.load(x, b.domain(0, 9))


def loop_past_the_end(b: Builder, x: Value) -> None:
    with b.parallel(b.domain(0, 8)) as (i,):
        b.load(x, b.dim(i.as_symbol + 1))


OUTSIDE = (point, negative_point, slice_past_the_end, domain_past_the_end, loop_past_the_end)


@pytest.mark.req("L9")
@pytest.mark.parametrize("make", OUTSIDE, ids=name)
def test_positions_that_are_always_outside_are_errors(make: Callable[[Builder, Value], None]) -> None:
    b, x = reading(8)
    make(b, x)
    (finding,) = check(verify(b.finish()))
    assert finding.code == "kir.index.bounds" and "x" in finding.message and "8" in finding.message


def last_point(b: Builder, x: Value) -> None:
    b.load(x, b.dim(N - 1))


def empty_loop(b: Builder, x: Value) -> None:
    with b.parallel(b.domain(500, 500)) as (i,):
        b.load(x, i)


def other_extent(b: Builder, x: Value) -> None:
    b.view("y", F32, ("K",))
    with b.parallel(b.domain(0, b.dim("K"))) as (i,):
        b.load(x, i)


def guarded(b: Builder, x: Value) -> None:
    with b.parallel(b.domain(0, b.dim("N"))) as (i,):
        following = b.dim(i.as_symbol + 1)
        b.branch(
            b.pointwise("lt", following, b.dim("N")),
            lambda: [b.load(x, following)],
            lambda: [b.constant(0.0, F32)],
        )


@pytest.mark.parametrize("make", [last_point, empty_loop, other_extent, guarded], ids=name)
def test_positions_that_may_be_inside_are_fine(make: Callable[[Builder, Value], None]) -> None:
    b, x = reading("N")
    make(b, x)
    assert check(verify(b.finish())) == ()


def test_dynamic_positions_can_be_certain_too() -> None:
    b, x = reading("N")
    with b.parallel(b.domain(0, b.dim("N"))) as (i,):
        b.load(x, b.dim(i.as_symbol + 1))
    assert [finding.code for finding in check(b.finish())] == ["kir.index.bounds"]


@pytest.mark.req("L7", "L9")
@pytest.mark.parametrize(
    ("begin", "end", "words"),
    [(1, 9, "9 8"), (-1, 4, "-1 0"), (5, 3, "5 3"), (9, None, "9"), (None, 9, "9 8")],
)
def test_subregions_outside_their_source_are_errors(begin: int | None, end: int | None, words: str) -> None:
    b = Builder("kernel")
    bounds = [None if bound is None else b.constant(bound) for bound in (begin, end)]
    b.subregion(b.domain(0, 8), bounds[0], bounds[1])
    (finding,) = check(b.finish())
    assert finding.code == "kir.subregion.bounds" and all(word in finding.message for word in words.split())


@pytest.mark.req("L6", "L8")
@pytest.mark.parametrize(("begin", "end"), [(2, 6), (8, 8), (0, 0), (None, 8)])
def test_subregions_inside_their_source_are_fine(begin: int | None, end: int | None) -> None:
    b = Builder("kernel")
    bounds = [None if bound is None else b.constant(bound) for bound in (begin, end)]
    b.subregion(b.domain(0, 8), bounds[0], bounds[1])
    assert check(b.finish()) == ()


def test_guards_prove_positions_inside() -> None:
    b, x = reading("N")
    guarded(b, x)
    found = structure(b.finish())
    relations = Relations(found)
    around = Surroundings(found, relations)
    assert [inside(around, site) for site in sites(found, relations)] == [(True,)]


@pytest.mark.req("L112", "L113", "L114")
def test_effects_name_views_and_buffers() -> None:
    b, x = reading("N")
    o = b.view("o", F32, ("N",), Access.OUT)
    scratch = b.emit(Allocate(b.fresh(BufferType(F32, (N,)), "scratch"))).result
    with b.parallel(b.domain(0, b.dim("N"))) as (i,):
        b.store(scratch, (i,), b.load(x, i))
        b.store(o, (i,), b.load(scratch, i))
    row = b.load(x, None)
    b.gather(row, b.constant(0))
    ops = {type(op): op for op in b.finish().body.ops}
    assert effects(ops[Parallel]).reads == (x, scratch) and effects(ops[Parallel]).writes == (scratch, o)
    assert effects(ops[Load]).reads == (x,) and effects(ops[Load]).writes == ()
    assert effects(ops[Gather]) == effects(ops[Allocate]) and not effects(ops[Gather]).reads
    assert is_pure(ops[Gather]) and is_pure(ops[Load]) and not is_pure(ops[Parallel])


def test_stores_are_not_pure() -> None:
    b, x = reading("N")
    o = b.view("o", F32, ("N",), Access.OUT)
    assert not is_pure(b.store(o, (None,), b.load(x, None)))
    assert isinstance(b.finish().body.ops[-1], Store)


SPIN = """\
kernel wait(
  %flag: InOut i32[N],
  %out: Out i32[N]
) {
  %0: index = constant 0
  %1: index = dim N
  %2: index = constant 1
  %3: domain[0, N, 1] = domain %0, %1, %2
  parallel %3 body(%i: index) {
    %first: i32 = load %flag[%0]
    %seen: i32 = while %first test(%a: i32) {
      %zero: i32 = constant 0
      %go: bool = eq %a, %zero
      yield %go
    } body(%b: i32) {
      %at: index = dim 0
      %c: i32 = load %flag[%at]
      yield %c
    }
    store %out[%i], %seen
    yield
  }
}
"""


@pytest.mark.req("L127")
def test_waiting_for_another_point_is_a_warning() -> None:
    (finding,) = check(verify(read(SPIN)))
    assert (finding.code, finding.severity, finding.subject) == ("kir.spin_wait", Severity.WARNING, "flag")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("%flag: InOut", "%flag: In"),
        ("dim 0", "cast %b"),
        ("parallel %3 body(%i: index)", "for %3 initial=() body(%i: index)"),
    ],
    ids=["constant memory", "walks through memory", "one point only"],
)
def test_other_loops_do_not_wait(old: str, new: str) -> None:
    assert [d.code for d in check(verify(read(SPIN.replace(old, new)))) if d.code == "kir.spin_wait"] == []
