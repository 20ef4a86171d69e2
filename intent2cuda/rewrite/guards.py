"""Drops selections that make no difference: between equal values, and of what a reduction of no members gives anyway.

Before:                                              After:
    %0: index = dim N                                    %mass: f32 = reduce.add %x axes=(0)
    %1: index = constant 0                               store %y[%i], %mass
    %2: bool = gt %0, %1
    %3: f32 = constant 0.0
    %mass: f32 = reduce.add %x axes=(0)
    %4: f32 = select %2, %mass, %3
    store %y[%i], %4
"""

from __future__ import annotations

from dataclasses import replace

from intent2cuda.base.intexpr import IntExpr
from intent2cuda.ir.constants import is_same, neutral
from intent2cuda.ir.kernel import Kernel
from intent2cuda.ir.op import Op, Region, results
from intent2cuda.ir.ops import Broadcast, Constant, Dim, Pointwise, Reduce
from intent2cuda.ir.value import Value
from intent2cuda.rewrite.copying import Copy, named_as


def run(kernel: Kernel) -> Kernel:
    """The kernel without them; what only they needed stays for the removal of dead code."""
    return replace(kernel, body=_Dropping().region(kernel.body))


class _Dropping:
    def __init__(self) -> None:
        self._copy = Copy()
        self._made: dict[Value, Op] = {}

    def region(self, region: Region) -> Region:
        arguments = self._copy.arguments(region)
        ops: list[Op] = []
        for op in region.ops:
            made = self._copy.op(op, self.region)
            if isinstance(made, Pointwise) and made.fn == "select" and self._is_idle(*made.args):
                self._copy.stand_in(made.result, named_as(made.args[1], made.result))
                continue
            ops.append(made)
            self._made.update((result, made) for result in results(made))
        return Region(arguments, tuple(ops))

    def _is_idle(self, condition: Value, then: Value, otherwise: Value) -> bool:
        if then is otherwise:
            return True
        reduced, constant, extent = self._made.get(then), self._alike(otherwise), self._some(self._alike(condition))
        if not isinstance(reduced, Reduce) or not isinstance(constant, Constant) or extent is None:
            return False
        is_over = any(reduced.source.tensor.shape[axis] == extent for axis in reduced.axes)
        return is_over and is_same(constant.value, neutral(reduced.combiner, then.tensor.dtype))

    def _alike(self, value: Value) -> Op | None:
        """What made the only element that a value has, at all its places."""
        op = self._made.get(value)
        while isinstance(op, Broadcast) and not op.source.tensor.shape:
            op = self._made.get(op.source)
        return op

    def _some(self, condition: Op | None) -> IntExpr | None:
        """The extent that a condition says has members."""
        if not isinstance(condition, Pointwise) or condition.fn != "gt":
            return None
        count, zero = (self._made.get(arg) for arg in condition.args)
        is_zero = isinstance(zero, Constant) and zero.value == 0
        return count.expression if is_zero and isinstance(count, Dim) else None
