"""The text form: readable, deterministic, free of serial numbers."""

from __future__ import annotations

import pytest

from intent2cuda.base.intexpr import IntExpr
from intent2cuda.ir.builder import Builder
from intent2cuda.ir.notation import Kind, class_mnemonic, op_classes, slots
from intent2cuda.ir.op import Op
from intent2cuda.ir.ops import Combiner, Dim
from intent2cuda.ir.printer import text
from intent2cuda.types.dtype import F32, INDEX
from intent2cuda.types.scalar_fn import SCALAR_FNS
from intent2cuda.types.value_type import Access, scalar


def row_mean() -> Builder:
    b = Builder("row_mean")
    x = b.view("x", F32, ("M", "N"))
    y = b.view("y", F32, ("M",), Access.OUT)
    rows = b.domain(0, b.dim("M"), name="rows")
    with b.parallel(rows) as (i,):
        total = b.reduce(Combiner.ADD, b.load(x, i, None, name="row"), (0,), name="total")
        count = b.cast(b.dim("N"), F32)
        b.store(y, (i,), b.pointwise("div", total, count, name="mean"))
    return b


def test_a_kernel_reads_like_its_author_wrote_it() -> None:
    assert (
        text(row_mean().finish())
        == """\
kernel row_mean(
  %x: In f32[M, N],
  %y: Out f32[M]
) {
  %0: index = dim M
  %1: index = constant 0
  %2: index = constant 1
  %rows: domain[0, M, 1] = domain %1, %0, %2
  parallel %rows body(%i: index) {
    %row: f32[N] = load %x[%i, :]
    %total: f32 = reduce.add %row axes=(0)
    %3: index = dim N
    %4: f32 = cast %3
    %mean: f32 = div %total, %4
    store %y[%i], %mean
    yield
  }
}
"""
    )


def test_equal_author_names_are_told_apart() -> None:
    b = Builder("twice")
    x = b.view("x", F32, ("N",), Access.INOUT)
    n = b.dim("N", name="n")
    for _ in range(2):
        with b.parallel(b.domain(0, n)) as (i,):
            b.store(x, (i,), b.load(x, i))
    shown = text(b.finish())
    assert "body(%i: index)" in shown and "body(%i.2: index)" in shown and "store %x[%i.2]" in shown


def test_serials_of_scalars_in_extents_are_shown_as_values() -> None:
    b = Builder("window")
    x = b.view("x", F32, ("N",))
    first, last = b.scalar("first"), b.scalar("last")
    b.load(x, b.subregion(b.domain(0, b.dim("N")), first, last, name="part"))
    assert "%part: domain[%first, -%first + %last, 1]" in text(b.finish())


@pytest.mark.parametrize("first", [0, 1])
def test_order_of_terms_does_not_depend_on_serials(first: int) -> None:
    b = Builder("sum")
    values = [b.fresh(scalar(INDEX)), b.fresh(scalar(INDEX))]
    m, n = values[first], values[1 - first]
    b.emit(Dim(IntExpr.symbol("M"), m))
    b.emit(Dim(IntExpr.symbol("N"), n))
    b.dim(m.as_symbol + 2 * n.as_symbol)
    assert "dim %0 + 2*%1" in text(b.finish())


@pytest.mark.parametrize("op_class", op_classes(), ids=lambda c: c.__name__)
def test_every_op_class_has_a_notation(op_class: type[Op]) -> None:
    assert class_mnemonic(op_class) not in SCALAR_FNS
    kinds = [slot.kind for slot in slots(op_class)]
    positional = [slot.positional for slot in slots(op_class)]
    assert Kind.TERMS not in kinds or positional[kinds.index(Kind.TERMS) - 1], "terms stand behind an operand"
