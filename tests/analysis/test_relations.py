"""Relations of index values, against a brute-force evaluator and by example."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from intent2cuda.analysis.composition import MOST_COMPARISONS
from intent2cuda.analysis.expressions import Choice, Comparison, Expression, Unknown, coordinate, of_atom, size
from intent2cuda.analysis.limits import coordinate_bounds
from intent2cuda.analysis.provenance import IndexRelation, PredicateRelation, Provenance, SourceAxis, relation
from intent2cuda.analysis.ranges import Facts
from intent2cuda.analysis.relations import Relations
from intent2cuda.analysis.structure import segment_begin, structure
from intent2cuda.base.intexpr import IntExpr
from intent2cuda.ir.builder import Builder
from intent2cuda.ir.ops import Gather
from intent2cuda.ir.reader import read
from intent2cuda.ir.terms import Slice
from intent2cuda.ir.value import Value
from intent2cuda.ir.verify import verify
from intent2cuda.types.dtype import BOOL, F32, I8, I32, I64, INDEX, U64

from .evaluation import expected, extents, number, run

M, N = IntExpr.symbol("M"), IntExpr.symbol("N")


def builder() -> Builder:
    b = Builder("kernel")
    b.view("x", F32, ("M", "N"))
    return b


def of(b: Builder, value: Value) -> IndexRelation:
    found = relation(Relations(structure(verify(b.finish()))), value)
    assert isinstance(found, IndexRelation)
    return found


def like(b: Builder, value: Value, constant: int) -> Value:
    """A constant of the shape of a value."""
    whole = b.constant(constant)
    return b.broadcast(whole, [None] * value.tensor.rank, value.tensor.shape) if value.tensor.shape else whole


def shuffled(b: Builder, value: Value, draw: st.DataObject, moving: bool = False) -> Value:
    """The value after one random op; `moving`: one that computes nothing."""
    rank = value.tensor.rank
    kinds = ["add", "sub", "mul", "floordiv", "mod", "maximum", "minimum", "select", "new axis", "transpose", "masked"]
    if rank > 1:
        kinds += ["merge", "point"]
    if rank:
        kinds += ["slice", "lanes"]
    if moving:
        kinds = [k for k in kinds if k in ("new axis", "transpose", "merge", "point", "slice", "lanes")]
    match draw.draw(st.sampled_from(kinds)):
        case "select":
            limit = like(b, value, draw.draw(st.integers(-1, 3)))
            return b.pointwise("select", b.pointwise("lt", value, limit), value, limit)
        case "masked":
            mask = b.load(b.view(f"mask{rank}{value.serial}", BOOL, value.tensor.shape), *[None] * rank)
            return b.pointwise("select", mask, value, like(b, value, draw.draw(st.integers(-1, 3))))
        case "new axis":
            place = draw.draw(st.integers(0, rank))
            size = draw.draw(st.sampled_from([IntExpr.of(1), IntExpr.of(2), N]))
            shape = [*value.tensor.shape[:place], size, *value.tensor.shape[place:]]
            return b.broadcast(value, [*range(place), None, *range(place, rank)], shape)
        case "transpose":
            return b.transpose(value, draw.draw(st.permutations(range(rank))))
        case "merge":
            return merged(b, value, draw.draw(st.integers(0, rank - 2)), draw.draw(st.booleans()))
        case "point":
            return b.gather(value, b.constant(0), *[None] * (rank - 1))
        case "slice":
            extent = value.tensor.shape[0]
            return b.gather(value, Slice(b.constant(0), extent), *[None] * (rank - 1))
        case "lanes":
            extent = value.tensor.shape[0]
            last = b.dim(extent - 1)
            forward = b.indices(b.domain(0, b.dim(extent)))
            backward = b.pointwise("sub", b.broadcast(last, (None,), (extent,)), forward)
            return b.gather(value, backward, *[None] * (rank - 1))
        case fn:
            low = 1 if fn in ("floordiv", "mod") else -2
            return b.pointwise(fn, value, like(b, value, draw.draw(st.integers(low, 4))))


def merged(b: Builder, value: Value, axis: int, back: bool) -> Value:
    """Two neighbouring axes as one, and apart again the other way round."""
    shape = value.tensor.shape
    flat = [*shape[:axis], shape[axis] * shape[axis + 1], *shape[axis + 2 :]]
    whole = b.reshape(value, flat)
    return b.reshape(whole, [*shape[:axis], shape[axis + 1], shape[axis], *shape[axis + 2 :]]) if back else whole


@pytest.mark.req("L18", "L26", "L27", "L42")
@settings(max_examples=120, deadline=None)
@given(st.data())
def test_expressions_agree_with_the_values(data: st.DataObject) -> None:
    b = builder()
    begin, step = data.draw(st.integers(-2, 2)), data.draw(st.integers(1, 3))
    end = b.dim(M * step + begin) if data.draw(st.booleans()) else b.constant(data.draw(st.integers(-2, 5)))
    value = b.indices(b.domain(begin, end, step))
    for _ in range(data.draw(st.integers(1, 5))):
        value = shuffled(b, value, data)
    kernel = verify(b.finish())
    found = Relations(structure(kernel)).expression(value)
    assert not isinstance(found, Unknown)
    for m, n in itertools.product((0, 1, 2, 3), repeat=2):
        sizes = {"M": m, "N": n}
        if not readable(kernel.body.ops, sizes):
            continue
        values = run(kernel, sizes)
        assert np.array_equal(expected(found, extents(value.tensor.shape, sizes), sizes, values), values[value])
        inside_bounds(Relations(structure(kernel)), value, values[value], sizes)


def readable(ops: tuple[object, ...], sizes: dict[str, int]) -> bool:
    """Whether every gathered axis has a position 0."""
    return all(min(extents(op.source.tensor.shape, sizes), default=1) > 0 for op in ops if isinstance(op, Gather))


def inside_bounds(relations: Relations, value: Value, values: object, sizes: dict[str, int]) -> None:
    found = relation(relations, value)
    assert isinstance(found, IndexRelation)
    numbers = np.asarray(values)
    if numbers.size:
        assert all(number(bound, sizes) <= numbers.min() for bound in found.bounds.lower)
        assert all(number(bound, sizes) >= numbers.max() for bound in found.bounds.upper)


def moved(b: Builder, value: Value, draw: st.DataObject) -> Value:
    """A predicate after one random op that only moves it, or after a connective."""
    rank = value.tensor.rank
    match draw.draw(st.sampled_from(["not", "and", "move", "move"])):
        case "not":
            return b.pointwise("not", value)
        case "and":
            other = b.load(b.view(f"mask{rank}{value.serial}", BOOL, value.tensor.shape), *[None] * rank)
            return b.pointwise("and", value, other)
        case _:
            return shuffled(b, value, draw, moving=True)


@pytest.mark.req("L26", "L27", "L28", "L111")
@settings(max_examples=60, deadline=None)
@given(st.data())
def test_conditions_agree_with_the_values(data: st.DataObject) -> None:
    b = builder()
    index = b.indices(b.domain(0, b.dim(M)))
    value = b.pointwise("lt", b.pointwise("mul", index, index), like(b, index, data.draw(st.integers(0, 5))))
    for _ in range(data.draw(st.integers(1, 5))):
        value = moved(b, value, data)
    kernel = verify(b.finish())
    condition = Relations(structure(kernel)).condition(value)
    for m, n in itertools.product((1, 2, 3), repeat=2):
        sizes = {"M": m, "N": n}
        values = run(kernel, sizes)
        shape = extents(value.tensor.shape, sizes)
        assert np.array_equal(expected(condition, shape, sizes, values), values[value])


@pytest.mark.req("L12", "L17", "L20")
def test_indices_have_source_axis_rank_and_dtype() -> None:
    b = builder()
    rows = b.domain(0, b.dim("M"), name="rows")
    found = of(b, b.indices(rows))
    assert (found.sources, found.rank, found.dtype) == ((SourceAxis(rows, 0),), 1, INDEX)
    assert found.expression == coordinate(0) and found.dependencies == (rows,)
    assert (found.bounds.lower[0], found.bounds.upper[0]) == (IntExpr.of(0), M - 1)


@pytest.mark.req("L10", "L11", "L23")
def test_slices_of_slices_compose_and_do_not_renumber() -> None:
    b = builder()
    rows = b.domain(0, b.dim("M"))
    outer = b.subregion(rows, b.constant(2), b.constant(9))
    inner = b.subregion(outer, b.constant(3), None)
    found = of(b, b.indices(inner))
    assert found.sources == (SourceAxis(rows, 0),)
    assert found.expression == coordinate(0) + 3


@pytest.mark.req("L25", "L26", "L110")
def test_axis_maps_compose() -> None:
    b = builder()
    rows = b.domain(0, b.dim("M"))
    wide = b.broadcast(b.indices(rows), (0, None), (M, N))
    turned = of(b, b.transpose(wide, (1, 0)))
    assert turned.sources == (SourceAxis(rows, 1),) and turned.expression == coordinate(1)


@pytest.mark.req("L19", "L28")
def test_two_domains_in_one_sum() -> None:
    b = builder()
    rows, columns = b.domain(0, b.dim("M")), b.domain(0, b.dim("N"))
    r = b.broadcast(b.indices(rows), (0, None), (M, N))
    c = b.broadcast(b.indices(columns), (None, 0), (M, N))
    found = of(b, b.pointwise("add", b.pointwise("mul", r, like(b, r, 5)), c))
    assert found.sources == (SourceAxis(rows, 0), SourceAxis(columns, 1))
    assert found.expression == 5 * coordinate(0) + coordinate(1)


@pytest.mark.req("L27")
def test_a_reshape_goes_through_the_row_major_number() -> None:
    b = builder()
    flat = b.indices(b.domain(0, b.dim(M * N)))
    assert of(b, b.reshape(flat, (M, N))).expression == coordinate(0) * N + coordinate(1)
    wide = b.broadcast(b.indices(b.domain(0, b.dim("M"))), (0, None), (M, N))
    assert of(b, b.reshape(wide, (M * N,))).expression == coordinate(0) // N


@pytest.mark.req("L111")
def test_a_gather_of_a_gather_is_one_relation() -> None:
    b = builder()
    source = b.indices(b.domain(10, 18))
    turned = b.pointwise("sub", like(b, source, 7), b.indices(b.domain(0, 8)))
    assert of(b, b.gather(b.gather(source, turned), turned)).expression == coordinate(0) + 10


@pytest.mark.req("L20", "L28")
def test_select_and_comparison_keep_their_condition() -> None:
    b = builder()
    index = b.indices(b.domain(0, b.dim("M")))
    low = b.pointwise("lt", index, like(b, index, 4))
    picked = b.pointwise("select", low, index, like(b, index, 0))
    found = of(b, picked)
    condition = Comparison("lt", coordinate(0), IntExpr.of(4))
    assert found.expression == Choice(condition, coordinate(0), IntExpr.of(0))
    assert found.active == (low,)
    predicate = relation(Relations(structure(b.finish())), low)
    assert isinstance(predicate, PredicateRelation) and predicate.condition == condition


def test_scalars_of_loops_come_from_their_domain() -> None:
    b = builder()
    rows = b.domain(0, b.dim("M"))
    with b.parallel(rows) as (i,):
        twice = b.pointwise("mul", i, b.constant(2))
    found = of(b, twice)
    assert found.sources == (SourceAxis(rows, None),)
    assert found.expression == 2 * i.as_symbol and found.dependencies == (i,)
    assert (found.bounds.lower[0], found.bounds.upper[0]) == (IntExpr.of(0), 2 * M - 2)


def unknown(b: Builder, value: Value) -> str:
    found = relation(Relations(structure(verify(b.finish()))), value)
    assert isinstance(found, Unknown)
    return found.reason


@pytest.mark.req("L29")
def test_what_has_no_exact_expression_is_unknown() -> None:
    b = builder()
    index = b.indices(b.domain(0, b.dim("M")))
    gray = b.pointwise("bit_xor", index, b.pointwise("shr", index, like(b, index, 1)))
    table = b.load(b.view("t", I64, ("M",)), index)
    assert "shr" in unknown(b, gray) or "bit_xor" in unknown(b, gray)
    assert "read" in unknown(b, table)


@pytest.mark.req("L29")
@pytest.mark.parametrize(("extent", "known"), [(100, True), (1000, False)])
def test_narrow_arithmetic_is_known_only_where_it_cannot_wrap(extent: int, known: bool) -> None:
    b = builder()
    narrow = b.cast(b.indices(b.domain(0, extent)), I8)
    found = relation(Relations(structure(b.finish())), narrow)
    assert isinstance(found, IndexRelation) is known


def test_casts_of_dynamic_extents_may_wrap() -> None:
    b = builder()
    assert "wrap" in unknown(b, b.cast(b.indices(b.domain(0, b.dim("M"))), I32))


@pytest.mark.req("L21", "L29")
def test_a_look_alike_does_not_change_the_answer() -> None:
    """Same shape, same name, other origin."""
    b = builder()
    index = b.indices(b.domain(0, b.dim("M")), name="row")
    decoy = b.load(b.view("t", INDEX, ("M",)), None, name="row")
    assert of(b, index).expression == coordinate(0)
    assert unknown(b, decoy)


def test_facts_of_a_relation_prove_bounds() -> None:
    b = builder()
    index = b.indices(b.domain(0, b.dim(M * N)))
    row = b.pointwise("floordiv", index, b.broadcast(b.dim("N"), (None,), (M * N,)))
    expression: Expression | Unknown = Relations(structure(b.finish())).expression(row)
    assert isinstance(expression, IntExpr)
    facts = Facts(structure(b.finish()), coordinate_bounds(row.tensor.shape), row.tensor.shape)
    assert facts.within(expression, M)


@pytest.mark.req("L29")
def test_a_tensor_that_a_loop_carries_is_unknown() -> None:
    """What a loop makes of an index tensor is not one number for all coordinates."""
    b = builder()
    index = b.indices(b.domain(0, b.dim("M")), name="index")
    carried: list[Value] = []

    def turn(_: Value, carries: tuple[Value, ...]) -> list[Value]:
        carried.extend(carries)
        return [b.pointwise("add", carries[0], carries[0])]

    b.loop(b.domain(0, 3), [index], turn)
    assert "carried" in unknown(b, carried[0])


@pytest.mark.req("L29")
def test_a_wide_unsigned_number_may_not_fit_an_index() -> None:
    b = builder()
    narrow, wide = b.scalar("narrow", I32), b.scalar("wide", U64)
    assert of(b, b.cast(narrow, INDEX)).expression == narrow.as_symbol
    made = b.cast(wide, INDEX)
    assert of(b, made).expression == made.as_symbol


@pytest.mark.req("L29")
@pytest.mark.parametrize(("factor", "known"), [(1 << 20, True), (6364136223846793005, False)])
def test_products_with_large_numbers_may_wrap(factor: int, known: bool) -> None:
    b = builder()
    index = b.indices(b.domain(0, b.dim("M")))
    product = b.pointwise("mul", index, like(b, index, factor))
    found = relation(Relations(structure(b.finish())), product)
    assert isinstance(found, IndexRelation) is known


def test_expressions_that_would_grow_without_end_are_unknown() -> None:
    b = builder()
    index = b.indices(b.domain(0, b.dim("M")))
    low = b.pointwise("lt", index, like(b, index, 4))
    square = choice = index
    for _ in range(40):
        square = b.pointwise("add", b.pointwise("mul", square, square), like(b, index, 1))
        choice = b.pointwise("select", low, b.pointwise("add", choice, index), choice)
        low = b.pointwise("or", low, low)
    assert "too many" in unknown(b, square) and "too many" in unknown(b, choice)
    relations = Relations(structure(b.finish()))
    assert size(relations.condition(low)) <= MOST_COMPARISONS and len(Provenance(relations).dependencies(low)) == 1


SLICES = """\
kernel k(%x: In f32[N], %n: index, %o: Out f32[1]) {
  %zero: index = constant 0
  %end: index = dim N
  %unit: index = constant 1
  %columns: domain[0, N, 1] = domain %zero, %end, %unit
  %column: index[N] = indices %columns
  %row: f32[N] = load %x[:]
  %none: f32 = constant 0.0
  %total: f32 = region_fold %row, %column axis=0 identity=(%none)
  summarize(%size: index, %part: f32[%size], %at: index[%size]) {
    %limit: index[%size] = broadcast %n axes=(none)
    %inside: bool[%size] = lt %at, %limit
    %fill: f32[%size] = broadcast %none axes=(none)
    %kept: f32[%size] = select %inside, %part, %fill
    %sum: f32 = reduce.add %kept axes=(0)
    yield %sum
  } combine(%a: f32, %b: f32) {
    %both: f32 = add %a, %b
    yield %both
  }
  %all: f32[1] = broadcast %total axes=(none)
  store %o[:], %all
}
"""


@pytest.mark.req("L22", "L23", "K29")
def test_a_slice_of_a_region_keeps_the_coordinates_of_its_source() -> None:
    """Also in what the operation calls a coordinate is a coordinate: from where the slice begins on."""
    found = structure(verify(read(SLICES)))
    named = {value.name: value for value in (*found.kernel.parameters, *found.defining, *found.arguments)}
    relations = Relations(found)
    at = relation(relations, named["at"])
    assert isinstance(at, IndexRelation)
    begin = of_atom(segment_begin(named["size"]))
    assert at.expression == coordinate(0) + begin
    assert at.sources == (SourceAxis(named["columns"], 0),)
    assert at.dependencies == (named["columns"], named["size"])
    assert (at.bounds.lower[0], at.bounds.upper[0]) == (IntExpr.of(0), N - 1)
    inside = relations.condition(named["inside"])
    assert inside == Comparison("lt", coordinate(0) + begin, named["n"].as_symbol)
