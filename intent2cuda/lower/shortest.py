"""The shortest way to write an integer expression: with the variables that stand for parts of it."""

from __future__ import annotations

from intent2cuda.base.intexpr import IntExpr, Operation, with_atom
from intent2cuda.lower.blocks import Blocks
from intent2cuda.lower.integers import size


def shortest(blocks: Blocks, expression: IntExpr) -> IntExpr:
    """The expression with variables of the open blocks in place of what they stand for, where that is shorter."""
    best = expression
    for block in blocks.open:
        for meaning, symbol in block.integers:
            rest = expression - meaning
            if size(rest) + 1 < size(best):
                best = rest + IntExpr((((symbol,), 1),))
            elif (whole := _sole_operation(meaning)) is not None:
                best = with_atom(best, whole, symbol)
    return best


def _sole_operation(expression: IntExpr) -> Operation | None:
    """The operation when the expression is nothing else."""
    if len(expression.terms) != 1 or expression.terms[0][1] != 1 or len(expression.terms[0][0]) != 1:
        return None
    atom = expression.terms[0][0][0]
    return atom if isinstance(atom, Operation) else None
