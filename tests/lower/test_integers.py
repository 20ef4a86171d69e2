"""Integer expressions as text."""

from __future__ import annotations

import pytest

from intent2cuda.base.intexpr import IntExpr, ceiling, maximum, minimum
from intent2cuda.emit.layout import render
from intent2cuda.emit.printer import expression_doc
from intent2cuda.lower.integers import Integers
from intent2cuda.machine.expressions import Name

M, N = IntExpr.symbol("M"), IntExpr.symbol("N")
ROW = IntExpr.symbol("row", -1)
SHIFT = IntExpr.symbol("shift", 7)  # a scalar of the author: of any sign

INTEGERS = Integers(lambda symbol: Name(symbol.name), lambda symbol: symbol.serial <= 0, lambda _: None)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (IntExpr.of(0), "0"),
        (N * -1, "-N"),
        (N - 1, "N - 1"),
        (1 - N, "1 - N"),
        (ROW * N + 2, "row * N + 2"),
        (M * N * 4, "4 * M * N"),
        ((ROW + 1) // 2, "(row + 1) / 2"),
        (ROW % 4, "row % 4"),
        (ROW // N, "row / N"),
        ((ROW - 1) // 2, "intent::floor_div<index_t>(row - 1, 2)"),
        (SHIFT // 2, "intent::floor_div<index_t>(shift, 2)"),
        (SHIFT % N, "intent::floor_mod<index_t>(shift, N)"),
        ((SHIFT % 4) // 2, "intent::floor_mod<index_t>(shift, 4) / 2"),
        (maximum(SHIFT, 0) // 2, "intent::maximum<index_t>(0, shift) / 2"),
        (minimum(ROW, N), "intent::minimum<index_t>(N, row)"),
        (ceiling(N, 16), "intent::ceil_div<index_t>(N, 16)"),
    ],
)
def test_text(expression: IntExpr, expected: str) -> None:
    assert render(expression_doc(INTEGERS.text(expression))) == expected


def test_extents_and_positions_are_natural() -> None:
    assert INTEGERS.is_natural(ROW * N + M)
    assert not INTEGERS.is_natural(N - 1)
    assert not INTEGERS.is_natural(SHIFT)
