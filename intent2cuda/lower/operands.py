"""Which coordinates the operands of a contraction are read at."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from intent2cuda.base.intexpr import IntExpr
from intent2cuda.ir.ops import Contract
from intent2cuda.lower.coordinates import Coordinates

OperandAt: TypeAlias = Callable[[Contract, Coordinates, IntExpr], Coordinates]
"""From the coordinates of the result and the position along the summed axis to those of an operand."""


def left_at(op: Contract, result_at: Coordinates, depth: IntExpr) -> Coordinates:
    """Those of the left operand: its axes that are not summed come first in the result, in order."""
    kept = iter(result_at)
    reduced = [pair[0] for pair in op.reduce]
    return tuple(depth if axis in reduced else next(kept) for axis in range(op.lhs.tensor.rank))


def right_at(op: Contract, result_at: Coordinates, depth: IntExpr) -> Coordinates:
    """Those of the right operand: batch axes are the left one's, the others come last in the result."""
    left_free = [axis for axis in range(op.lhs.tensor.rank) if axis not in [pair[0] for pair in op.reduce]]
    own = iter(result_at[len(left_free) :])
    batch = {pair[1]: result_at[left_free.index(pair[0])] for pair in op.batch}
    reduced = [pair[1] for pair in op.reduce]
    axes = range(op.rhs.tensor.rank)
    return tuple(depth if a in reduced else batch[a] if a in batch else next(own) for a in axes)
