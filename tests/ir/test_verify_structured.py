"""Invariants of scans, counting, random bits and operations with regions: a broken one is reported with its code."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from intent2cuda.base.intexpr import IntExpr
from intent2cuda.ir.builder import Builder
from intent2cuda.ir.ops import Combiner
from intent2cuda.ir.value import Value
from intent2cuda.ir.verify import violations
from intent2cuda.types.dtype import F32, F64, I32, I64, INDEX, U64

N = IntExpr.symbol("N")


def matrix(b: Builder) -> Value:
    return b.load(b.view("x", F32, ("M", "N")), None, None)


def row(b: Builder) -> Value:
    return b.load(b.view("v", F32, ("M",)), None)


def add(b: Builder) -> Callable[..., Sequence[Value]]:
    return lambda f, g: [b.pointwise("add", x, y) for x, y in zip(f, g, strict=True)]


def zero(b: Builder) -> Value:
    return b.constant(0.0, F32)


def scan_by_any(b: Builder) -> None:
    b.scan(Combiner.ANY, matrix(b), 0)


def scan_axis(b: Builder) -> None:
    b.scan(Combiner.ADD, matrix(b), 2)


def float_values(b: Builder) -> None:
    b.histogram(row(b), 4, I32)


def index_counts(b: Builder) -> None:
    b.histogram(b.load(b.view("k", I64, ("M",)), None), 4, INDEX)


def signed_seed(b: Builder) -> None:
    b.philox(b.constant(1, I64), b.constant(1, U64))


def signed_counter(b: Builder) -> None:
    b.philox(b.constant(1, U64), b.constant(1, I64))


def no_axes(b: Builder) -> None:
    b.reduce_by((matrix(b),), (), (zero(b),), add(b))


def unequal_elements(b: Builder) -> None:
    b.reduce_by((matrix(b), row(b)), (0,), (zero(b), zero(b)), add(b))


def unequal_lengths(b: Builder) -> None:
    b.scan_by((row(b), b.load(b.view("w", F32, ("K",)), None)), 0, (zero(b), zero(b)), add(b))


def wide_identity(b: Builder) -> None:
    b.reduce_by((row(b),), (0,), (b.constant(0.0, F64),), add(b))


def identity_missing(b: Builder) -> None:
    b.scan_by((row(b), row(b)), 0, (zero(b),), add(b))


def combination_to_another_dtype(b: Builder) -> None:
    b.reduce_by((row(b),), (0,), (zero(b),), lambda f, g: (b.cast(f[0], F64),))


def summary_of_two(b: Builder) -> None:
    b.region_fold((row(b),), 0, (zero(b),), lambda slices: (b.reduce(Combiner.ADD, slices[0], (0,)), zero(b)), add(b))


def summary_of_a_slice(b: Builder) -> None:
    b.region_fold((row(b),), 0, (zero(b),), lambda slices: slices, add(b))


def output_without_members(b: Builder) -> None:
    def total(slices: Sequence[Value]) -> list[Value]:
        return [b.reduce(Combiner.ADD, slices[0], (0,))]

    def shortened(slices: Sequence[Value], state: Sequence[Value]) -> Sequence[Value]:
        return state

    b.region_scan((row(b),), 0, (zero(b),), (zero(b),), total, add(b), add(b), shortened)


BROKEN: list[tuple[str, Callable[[Builder], None]]] = [
    ("kir.scan.combine", scan_by_any),
    ("kir.scan.axis", scan_axis),
    ("kir.histogram.values", float_values),
    ("kir.histogram.counts", index_counts),
    ("kir.rng.seed", signed_seed),
    ("kir.rng.counter", signed_counter),
    ("kir.reduce.axes", no_axes),
    ("kir.reduce.extent", unequal_elements),
    ("kir.scan.extent", unequal_lengths),
    ("kir.reduce.identity", wide_identity),
    ("kir.scan.schema", identity_missing),
    ("kir.reduce.combine", combination_to_another_dtype),
    ("kir.region_fold.summarize", summary_of_two),
    ("kir.region_fold.summarize", summary_of_a_slice),
    ("kir.region_scan.members", output_without_members),
]


@pytest.mark.parametrize(("code", "broken"), BROKEN, ids=lambda item: getattr(item, "__name__", item))
def test_a_broken_invariant_is_reported_with_its_code(code: str, broken: Callable[[Builder], None]) -> None:
    b = Builder("broken")
    broken(b)
    assert code in [violation.code for violation in violations(b.finish())]


def test_sources_of_different_ranks_combine_as_slices() -> None:
    b = Builder("sound")
    b.reduce_by((matrix(b), row(b)), (0,), (b.broadcast(zero(b), (None,), (N,)), zero(b)), add(b))
    assert not violations(b.finish())
