"""Drops products with one and quotients by one, which are their operand in every dtype, and sums of integers with zero.

Before:                                              After:
    %0: f32 = constant 1.0                               store %y[%i, %j], %x
    %1: f32 = mul %0, %x
    store %y[%i, %j], %1

A sum of floats with zero stays: it makes 0 of -0.
"""

from __future__ import annotations

from dataclasses import replace

from intent2cuda.ir.kernel import Kernel
from intent2cuda.ir.op import Op, Region, results
from intent2cuda.ir.ops import Broadcast, Constant, Pointwise
from intent2cuda.ir.value import Value
from intent2cuda.rewrite.copying import Copy


def run(kernel: Kernel) -> Kernel:
    """The kernel without them; the constants stay for the removal of dead code."""
    return replace(kernel, body=_Dropping().region(kernel.body))


class _Dropping:
    def __init__(self) -> None:
        self._copy = Copy()
        self._constants: dict[Value, object] = {}

    def region(self, region: Region) -> Region:
        arguments = self._copy.arguments(region)
        ops: list[Op] = []
        for op in region.ops:
            made = self._copy.op(op, self.region)
            operand = self._operand(made)
            if operand is not None:
                self._copy.stand_in(results(op)[0], operand)
                continue
            ops.append(made)
            if isinstance(made, Constant):
                self._constants[made.result] = made.value
            elif isinstance(made, Broadcast) and made.source in self._constants:
                self._constants[made.result] = self._constants[made.source]
        return Region(arguments, tuple(ops))

    def _operand(self, op: Op) -> Value | None:
        """The operand that the result of an operation is."""
        if not isinstance(op, Pointwise) or op.flush_to_zero:
            return None
        match op.fn, op.args:
            case "mul", (lhs, rhs) if self._is(rhs, 1):
                return lhs
            case "mul", (lhs, rhs) if self._is(lhs, 1):
                return rhs
            case "div", (lhs, rhs) if self._is(rhs, 1):
                return lhs
            case "add" | "sub", (lhs, rhs) if self._is(rhs, 0) and not lhs.tensor.dtype.is_float:
                return lhs
            case "add", (lhs, rhs) if self._is(lhs, 0) and not rhs.tensor.dtype.is_float:
                return rhs
            case _:
                return None

    def _is(self, value: Value, number: int) -> bool:
        return self._constants.get(value) == number
