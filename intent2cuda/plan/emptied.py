"""What a summary of a slice comes to where a mask holds for none of its members.

score = I.mask(score, valid=seen, fill=-I.inf)              -inf
peak = I.maximum(I.reduce.max(score, axis=1), LOWEST)       LOWEST
weight = I.exp(score - peak[:, None])                       0
mix = I.matmul(weight, value, acc_dtype=I.f32)              0, if every value is finite
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite, isnan

from intent2cuda.ir.kernel import Kernel, walk
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
from intent2cuda.plan.fills import ABSORBING, Number, neutral, of_one

PURE = (
    Broadcast, Cast, Constant, Contract, Dim, Domain, Gather, Indices, Load, Pointwise, Reduce, Reshape, Transpose,
    Yield,
)  # fmt: skip
"""Operations that leave nothing but their results, so that a slice may do without them."""


def constants(kernel: Kernel) -> Mapping[Value, Number]:
    """The values of a kernel whose elements are all one number, as far as constants alone say so."""
    found = _Numbers({})
    for op in walk(kernel.body):
        if isinstance(op, Constant | Broadcast | Reshape | Transpose):
            found.visit(op)
    return found.numbers


def emptied(
    region: Region, mask: Value, known: Mapping[Value, Number]
) -> tuple[Sequence[Number | None], Sequence[Value]]:
    """What a region yields where the mask holds nowhere, None for what is not one number; and what has to be finite
    for that to be so. `known`: the numbers of constants.
    """
    found = _Numbers({**known, mask: False})
    *ops, last = region.ops
    assert isinstance(last, Yield)
    for op in ops:
        if mask not in results(op):
            found.visit(op)
    return [found.numbers.get(value) for value in last.values], list(found.finite)


class _Numbers:
    """`numbers`: what every element of a value is. `finite`: what has to be finite for that to be so."""

    def __init__(self, numbers: Mapping[Value, Number]) -> None:
        self.numbers = dict(numbers)
        self.finite: dict[Value, None] = {}

    def visit(self, op: Op) -> None:
        number = self._number(op)
        if number is not None and not isnan(number):
            self.numbers[results(op)[0]] = number

    def _number(self, op: Op) -> Number | None:
        match op:
            case Constant():
                return op.value
            case Broadcast() | Reshape() | Transpose():
                return self.numbers.get(op.source)
            case Cast():
                return self._cast(op)
            case Load() | Gather() if op.valid is not None and op.fill is not None:
                return self.numbers.get(op.fill) if self.numbers.get(op.valid) is False else None
            case Pointwise():
                return self._pointwise(op)
            case Reduce():
                number = self.numbers.get(op.source)
                return number if number == neutral(op.combiner, op.source.tensor.dtype) else None
            case Contract():
                return self._product((op.lhs, op.rhs))
            case _:
                return None

    def _cast(self, op: Cast) -> Number | None:
        """Zero and the infinities are the same in every dtype that has them."""
        number = self.numbers.get(op.source)
        exact = number == 0 or (op.result.tensor.dtype.is_float and number is not None and not isfinite(number))
        return number if exact else None

    def _pointwise(self, op: Pointwise) -> Number | None:
        given = [self.numbers.get(argument) for argument in op.args]
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
            if self.numbers.get(one) == 0:
                if other.tensor.dtype.is_float and not isfinite(self.numbers.get(other, float("nan"))):
                    self.finite[other] = None
                return 0
        return None
