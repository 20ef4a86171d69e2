"""What a summary of a slice comes to where a mask holds for none of its members.

score = I.mask(score, valid=seen, fill=-I.inf)              -inf
peak = I.maximum(I.reduce.max(score, axis=1), LOWEST)       LOWEST
weight = I.exp(score - peak[:, None])                       0
mix = I.matmul(weight, value, acc_dtype=I.f32)              0, if every value is finite
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isfinite, isnan

from intent2cuda.ir.constants import Number, constant_of, neutral
from intent2cuda.ir.op import Op, Region, results
from intent2cuda.ir.ops import (
    Broadcast,
    Cast,
    Constant,
    Contract,
    Dim,
    Domain,
    Gather,
    Indices,
    Load,
    Pointwise,
    Reduce,
    Reshape,
    Transpose,
    Yield,
)
from intent2cuda.ir.value import Value
from intent2cuda.plan.fills import ABSORBING, of_one

PURE = (
    Broadcast, Cast, Constant, Contract, Dim, Domain, Gather, Indices, Load, Pointwise, Reduce, Reshape, Transpose,
    Yield,
)  # fmt: skip
"""Operations that leave nothing but their results, so that a slice may do without them."""


def emptied(
    region: Region, mask: Value, producer: Callable[[Value], Op | None]
) -> tuple[Sequence[Number | None], Sequence[Value]]:
    """What a region yields where the mask holds nowhere, None for what is not one number; and what has to be finite
    for that to be so. `producer`: the op that defines a value.
    """
    found = _Numbers(mask, producer)
    *ops, last = region.ops
    assert isinstance(last, Yield)
    for op in ops:
        if mask not in results(op):
            found.visit(op)
    return [found.of(value) for value in last.values], list(found.finite)


class _Numbers:
    """`finite`: what has to be finite for values to be the numbers that they are."""

    def __init__(self, mask: Value, producer: Callable[[Value], Op | None]) -> None:
        self._producer = producer
        self._numbers: dict[Value, Number] = {mask: False}
        self.finite: dict[Value, None] = {}

    def of(self, value: Value) -> Number | None:
        """What every element of a value is."""
        if value in self._numbers:
            return self._numbers[value]
        constant = constant_of(value, self._producer)
        return None if constant is None else constant.value

    def visit(self, op: Op) -> None:
        number = self._number(op)
        if number is not None and not isnan(number):
            self._numbers[results(op)[0]] = number

    def _number(self, op: Op) -> Number | None:
        match op:
            case Broadcast() | Reshape() | Transpose():
                return self.of(op.source)
            case Cast():
                return self._cast(op)
            case Load() | Gather() if op.valid is not None and op.fill is not None:
                return self.of(op.fill) if self.of(op.valid) is False else None
            case Pointwise():
                return self._pointwise(op)
            case Reduce():
                number = self.of(op.source)
                return number if number == neutral(op.combiner, op.source.tensor.dtype) else None
            case Contract():
                return self._product((op.lhs, op.rhs))
            case _:
                return None

    def _cast(self, op: Cast) -> Number | None:
        """Zero and the infinities are the same in every dtype that has them."""
        number = self.of(op.source)
        exact = number == 0 or (op.result.tensor.dtype.is_float and number is not None and not isfinite(number))
        return number if exact else None

    def _pointwise(self, op: Pointwise) -> Number | None:
        given = [self.of(argument) for argument in op.args]
        match op.fn, given:
            case "select", [True, then, _]:
                return then
            case "select", [False, _, otherwise]:
                return otherwise
            case "maximum", [int() | float() as one, int() | float() as other]:
                return max(one, other)
            case "minimum", [int() | float() as one, int() | float() as other]:
                return min(one, other)
            case "eq", [int() | float() as one, int() | float() as other]:
                return one == other
            case "and" | "bit_and", _ if op.result.tensor.dtype.is_bool:
                return False if False in given else None
            case "or" | "bit_or", _ if op.result.tensor.dtype.is_bool:
                return True if True in given else None
            case "mul", _:
                return self._product(op.args)
            case fn, [int() | float() as one]:
                return of_one(fn, one)
            case "div", [_, 0]:
                return None
            case fn, [int() | float() as one, int() | float() as other] if isfinite(other):
                return ABSORBING.get((fn, 0, one))
            case fn, [int() | float() as one, int() | float() as other] if isfinite(one):
                return ABSORBING.get((fn, 1, other))
            case _:
                return None

    def _product(self, factors: Sequence[Value]) -> Number | None:
        """0 times what is finite."""
        for one, other in (factors, reversed(factors)):
            if self.of(one) == 0:
                if other.tensor.dtype.is_float and not _is_finite(self.of(other)):
                    self.finite[other] = None
                return 0
        return None


def _is_finite(number: Number | None) -> bool:
    return number is not None and isfinite(number)
