"""Values of which every element is one and the same number, and the numbers that change no combination."""

from __future__ import annotations

from collections.abc import Callable
from math import copysign, inf
from typing import TypeAlias

from intent2cuda.ir.op import Op
from intent2cuda.ir.ops import Broadcast, Combiner, Constant
from intent2cuda.ir.value import Value
from intent2cuda.types.dtype import F8E4M3FN, DType

Number: TypeAlias = bool | int | float


def constant_of(value: Value, producer: Callable[[Value], Op | None]) -> Constant | None:
    """The constant that all elements of a value are; None for other values. `producer`: the op that defines a value."""
    op = producer(value)
    while isinstance(op, Broadcast):
        op = producer(op.source)
    return op if isinstance(op, Constant) else None


def neutral(combiner: Combiner, dtype: DType) -> Number:
    """What changes no combination, and what no members give."""
    low, high = dtype.integer_range if not dtype.is_float and not dtype.is_bool else (-inf, inf)
    if dtype == F8E4M3FN:  # it has no infinity
        low, high = -448.0, 448.0
    match combiner:
        case Combiner.ADD:
            return 0.0 if dtype.is_float else 0
        case Combiner.MAXIMUM:
            return low
        case Combiner.MINIMUM:
            return high
        case Combiner.ANY:
            return False
        case Combiner.ALL:
            return True


def is_same(one: Number, other: Number) -> bool:
    """Whether two constants are the same number: 0 and -0 are not."""
    return one == other and copysign(1.0, one) == copysign(1.0, other)
