"""The shortest way to write an integer expression: with the variables that stand for parts of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from intent2cuda.base.intexpr import IntExpr, Symbol, with_atom
from intent2cuda.lower.blocks import Blocks
from intent2cuda.lower.integers import size


def shortest(blocks: Blocks, expression: IntExpr) -> IntExpr:
    """The expression with variables of the open blocks in place of what they stand for, where that is shorter."""
    best = expression
    for block in reversed(blocks.open):
        for meaning, symbol in reversed(block.integers):  # later ones are made of earlier ones
            shorter = min(_with(expression, meaning, symbol), key=size, default=best)
            if size(shorter) < size(best):
                best = shorter
            elif (whole := meaning.as_operation) is not None:
                best = with_atom(best, whole, symbol)
    return best


def _with(expression: IntExpr, meaning: IntExpr, symbol: Symbol) -> Iterator[IntExpr]:
    """The expression with the symbol in place of one multiple of what it stands for."""
    variable = IntExpr((((symbol,), 1),))
    yield expression - meaning + variable
    if len(meaning.terms) < 2:
        return
    (first, coefficient), *_ = meaning.terms
    for monomial, times in expression.terms:
        factor = Counter(monomial)
        factor.subtract(first)
        if times % coefficient == 0 and all(count >= 0 for count in factor.values()):
            multiple = IntExpr(((tuple(factor.elements()), times // coefficient),))
            yield expression - meaning * multiple + variable * multiple
