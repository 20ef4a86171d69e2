"""Facts against a counted run: the expressions that plans state are what executing the kernel counts."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from intent2cuda.base.intexpr import IntExpr, Symbol, evaluate, maximum, minimum
from intent2cuda.ir.kernel import Kernel, walk
from intent2cuda.ir.ops import Contract, Reduce
from intent2cuda.language.bodies import pointwise
from intent2cuda.language.bodies.storage import NUMPY
from intent2cuda.parse import parse_kernel
from intent2cuda.plan.fills import ABSORBING, ZERO_OF_ZERO, of_one
from intent2cuda.plan.identity import Identities
from intent2cuda.plan.quantity import Basis, Exact, Quantity, Unknown, greatest
from intent2cuda.plan.sums import Quotient, total
from intent2cuda.plan.tables import Given
from intent2cuda.plan.workload import Workload
from intent2cuda.types.dtype import BOOL, F64
from intent2cuda.types.value_type import TensorType, ViewType

from .agreement import disagreements
from .support import DOCUMENTED

TESTS = Path(__file__).resolve().parents[1]
KERNELS = Path(__file__).with_name("counted_kernels.py")
NAMES = re.findall(r"^@intent.kernel\ndef (\w+)", KERNELS.read_text(), re.MULTILINE)
AREAS = sorted(p.name for p in (TESTS / "conformance" / "cases").iterdir() if any(p.glob("[a-z]*.py")))
ELEMENTS = 120  # of all arrays of a case together
SHAPES = 20
TABLES = {"offsets": "R"}
"""Parameters that hold rising positions, and the extent that they do not exceed."""


def parsed(name: str, **constexprs: Any) -> Kernel:
    path = KERNELS if name in NAMES else DOCUMENTED
    return parse_kernel(path, name, constexprs).kernel


def arguments(kernel: Kernel, rng: np.random.Generator) -> Mapping[str, Any]:
    """Arrays of random extents, and numbers."""
    views = {p.name: p.type for p in kernel.parameters if isinstance(p.type, ViewType)}
    dims: dict[str, int] = {}
    for symbol in (s for view in views.values() for e in view.shape for s in [e.as_symbol] if s is not None):
        dims.setdefault(symbol.name, int(rng.integers(0, 8)))
    if "E" in dims and "G" in dims:
        dims["E"] = dims["G"] + 1
    found: dict[str, Any] = {}
    for name, view in views.items():
        shape = tuple(evaluate(extent, {Symbol(n): size for n, size in dims.items()}) for extent in view.shape)
        if name in TABLES:
            found[name] = np.sort(rng.integers(0, dims[TABLES[name]] + 1, shape)).astype(NUMPY[view.dtype])
        else:
            found[name] = (rng.random(shape) * 3).astype(NUMPY[view.dtype])
    for parameter in kernel.parameters:
        if isinstance(parameter.type, TensorType):
            found[parameter.name] = int(rng.integers(0, 5))
    return found


@pytest.mark.req("P13", "P43")
@pytest.mark.parametrize(
    ("name", "constexprs"),
    [
        *((name, {}) for name in NAMES),
        *((name, {}) for name in ("softmax", "matmul", "ragged_mean")),
        *(("attention", {"CAUSAL": causal}) for causal in (False, True)),
    ],
)
def test_facts_are_what_a_run_counts(name: str, constexprs: Mapping[str, Any]) -> None:
    kernel, rng = parsed(name, **constexprs), np.random.default_rng(7)
    for _ in range(SHAPES):
        given = arguments(kernel, rng)
        wrong, exact = disagreements(kernel, given)
        shapes = {name: np.shape(value) or value for name, value in given.items()}
        assert not wrong, f"{shapes}: {wrong}"
        assert exact


@pytest.fixture
def suite(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The conformance suite as its own package, which its cases import."""
    monkeypatch.syspath_prepend(str(TESTS))
    from conformance import suite

    return suite


@pytest.mark.req("P13", "P43")
@pytest.mark.parametrize("area", AREAS)
def test_facts_of_the_whole_language(suite: Any, area: str) -> None:
    tried = 0
    for path in suite.files(area):
        cases: dict[tuple[str, str], list[Any]] = {}
        for case in suite.named_cases(path).values():
            arrays = [*case.inputs, *case.expected.values()]
            if not case.raises and not case.same_array and sum(map(elements, arrays)) <= ELEMENTS:
                cases.setdefault((case.kernel, str(case.constexprs)), []).append(case)
        for (name, _), found in cases.items():
            kernel = parse_kernel(path, name, found[0].constexprs).kernel
            for case in found[:2]:
                wrong, _ = disagreements(kernel, call(case, suite.parameters(path)[name]))
                assert not wrong, f"{path.name}: {name}[{case.id}]: {wrong}"
                tried += 1
    assert tried


def elements(value: Any) -> int:
    return int(np.prod(value.shape if hasattr(value, "shape") else ()))


def call(case: Any, parameters: list[Any]) -> Mapping[str, Any]:
    given = iter(case.inputs)
    found: dict[str, Any] = {}
    for parameter in parameters:
        if parameter.kind == "Out":
            answer = case.expected[parameter.name]
            found[parameter.name] = np.zeros(answer.shape, answer.dtype)
        elif parameter.kind != "Constexpr":
            value = next(given)
            found[parameter.name] = value.copy() if isinstance(value, np.ndarray) else value
    return found


def counts(kernel: Kernel, kind: type) -> list[Quantity]:
    workload = Workload(kernel, Identities(kernel).names)
    return [quantity for op in walk(kernel.body) if isinstance(op, kind) for _, _, quantity in workload.work(op)]


def value(quantity: Quantity, **sizes: int) -> int:
    assert isinstance(quantity, Exact)
    return evaluate(quantity.expression, {Symbol(name): size for name, size in sizes.items()})


@pytest.mark.req("P13", "K29")
def test_a_causal_mask_halves_both_products() -> None:
    """Its condition comes out of a helper, with the coordinates of two domains of the kernel."""
    kernel = parsed("attention", CAUSAL=True)
    products = counts(kernel, Contract)
    sizes = {"B": 2, "H": 3, "Q": 64, "K": 64, "D": 5, "E": 7}
    assert [value(product, **sizes) for product in products] == [6 * 5 * 64 * 65 // 2, 6 * 7 * 64 * 65 // 2]
    assert all(isinstance(p, Exact) and p.basis is Basis.ACTIVE for p in products)


@pytest.mark.req("P13")
def test_members_that_data_masks_are_all_counted_and_the_field_says_so() -> None:
    (sum_of_rows,) = counts(parsed("padded"), Reduce)
    assert isinstance(sum_of_rows, Exact) and sum_of_rows.basis is Basis.ALL
    assert value(sum_of_rows, M=4, N=4) == 10  # the part of the mask that coordinates decide is known


@pytest.mark.req("P13")
def test_ragged_work_is_exact_in_a_data_symbol() -> None:
    kernel = parsed("ragged_mean")
    workload = Workload(kernel, Identities(kernel).names)
    ops = list(walk(workload.kernel.body))
    reads = workload.distinct(ops, writes=False)
    (length,) = workload.data
    assert (length.name, length.table, length.upper) == ("data.offsets", "offsets", IntExpr.symbol("R"))
    assert (length.first, length.last) == (IntExpr.of(0), IntExpr.symbol("G"))
    assert value(reads, D=3, G=5, **{"data.offsets": 11}) == 4 * 11 * 3 + 8 * 6


@pytest.mark.req("P13")
def test_what_no_expression_gives_is_unknown_with_a_reason_and_a_bound() -> None:
    (squares,) = counts(parsed("ragged_pairs"), Contract)
    assert isinstance(squares, Unknown) and squares.reason == "an extent depends on data"
    assert str(greatest(squares)) == "D*G*R*R"
    kernel = parsed("until")
    reads = Workload(kernel, Identities(kernel).names).requested(list(walk(kernel.body)), writes=False)
    assert isinstance(reads, Unknown) and reads.reason == "a loop may be left before its end"
    assert str(greatest(reads)) == "4*N"


ATOMS = [IntExpr.symbol(name) for name in "ABC"]
A, B, C = ATOMS
X = IntExpr.symbol("x")


@pytest.mark.parametrize(
    "summand",
    [
        X, X * X * 3 - A, minimum(X, A) * 2, maximum(X * 2 - A, B) * X, minimum(maximum(X - A, 0), B), (X + A) // 2,
        (X * 3 + B) % 4 * X, minimum(X // 2, A), X * X * X * X - X * X * X, minimum(X + A, X + B),
        minimum(A - X, minimum(B, X)), maximum(C, maximum(X - B, A)) - maximum(X - B, A),
    ],
    ids=str,
)  # fmt: skip
def test_sums_are_those_of_their_terms(summand: IntExpr) -> None:
    from intent2cuda.analysis.structure import structure
    from intent2cuda.ir.builder import Builder

    proofs = Given(structure(Builder("nothing").finish())).everywhere
    first, end = A, maximum(A, B + C)
    found = total(Quotient(summand), Symbol("x"), first, end, proofs)
    assert found is not None
    for numbers in itertools.product((-2, 0, 3, 5), (0, 1, 6), (0, 4)):
        values = dict(zip(map(Symbol, "ABC"), numbers, strict=True))
        members = range(evaluate(first, values), evaluate(end, values))
        terms = (evaluate(summand, {**values, Symbol("x"): member}) for member in members)
        assert evaluate(found.whole, values) == sum(terms), numbers


@pytest.mark.parametrize("rule", ABSORBING, ids=str)
def test_fills_absorb_every_finite_number(rule: tuple[str, int, float]) -> None:
    fn, position, number = rule
    dtype = BOOL if isinstance(number, bool) else F64
    others = [True, False] if dtype is BOOL else [-7.5, -1e-3, 2e-3, 1.0, 3e5]
    for other in others:
        pair = (number, other) if position == 0 else (other, number)
        assert pointwise.apply(fn, dtype, *(np.asarray(side, NUMPY[dtype]) for side in pair)) == ABSORBING[rule]


@pytest.mark.parametrize("fn", [*sorted(ZERO_OF_ZERO), "exp", "exp2", "neg"])
def test_functions_of_fills(fn: str) -> None:
    for number in (0, -np.inf, np.inf):
        found = of_one(fn, number)
        if found is not None:
            assert pointwise.apply(fn, F64, np.asarray(number, np.float64)) == found
