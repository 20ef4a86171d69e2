"""Values of which every element is one and the same number."""

from __future__ import annotations

from collections.abc import Callable

from intent2cuda.ir.op import Op
from intent2cuda.ir.ops import Broadcast, Constant
from intent2cuda.ir.value import Value


def constant_of(value: Value, producer: Callable[[Value], Op | None]) -> Constant | None:
    """The constant that all elements of a value are; None for other values. `producer`: the op that defines a value."""
    op = producer(value)
    while isinstance(op, Broadcast):
        op = producer(op.source)
    return op if isinstance(op, Constant) else None
