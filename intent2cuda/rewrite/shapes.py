"""Composes changes of shape and drops those that change nothing.

Before:                                              After:
    %0: f32[1, N] = broadcast %row axes=(none, 0)        %1: f32[M, N] = broadcast %row axes=(none, 0)
    %1: f32[M, N] = broadcast %0 axes=(0, 1)             %4: f32[N] = mul %row, %row
    %2: f32[M, N] = transpose %1 permutation=(0, 1)
    %3: f32[N] = reshape %row
    %4: f32[N] = mul %3, %row
"""

from __future__ import annotations

from dataclasses import replace

from intent2cuda.ir.kernel import Kernel
from intent2cuda.ir.op import Op, Region, results
from intent2cuda.ir.ops import Broadcast, Cast, Reshape, Transpose
from intent2cuda.ir.value import Value
from intent2cuda.rewrite.copying import Copy


def run(kernel: Kernel) -> Kernel:
    """The kernel with each chain of one kind as a single op; what became unused stays for the removal of dead code."""
    return replace(kernel, body=_Composing().region(kernel.body))


class _Composing:
    def __init__(self) -> None:
        self._copy = Copy()
        self._made: dict[Value, Op] = {}

    def region(self, region: Region) -> Region:
        arguments = self._copy.arguments(region)
        ops: list[Op] = []
        for op in region.ops:
            made = self._composed(self._copy.op(op, self.region))
            source = _unchanged(made)
            if source is not None:
                self._copy.stand_in(results(op)[0], source)
                continue
            ops.append(made)
            self._made.update((value, made) for value in results(made))
        return Region(arguments, tuple(ops))

    def _composed(self, op: Op) -> Op:
        """The op reading from the source of its source, where both are of one kind."""
        if not isinstance(op, Broadcast | Transpose | Reshape):
            return op
        inner = self._made.get(op.source)
        match op, inner:
            case Broadcast(guarded=()), Broadcast(guarded=()):
                axes = tuple(None if axis is None else inner.axes[axis] for axis in op.axes)
                return replace(op, source=inner.source, axes=axes)
            case Transpose(), Transpose():
                permutation = tuple(inner.permutation[axis] for axis in op.permutation)
                return replace(op, source=inner.source, permutation=permutation)
            case Reshape(), Reshape():
                return replace(op, source=inner.source)
            case _:
                return op


def _unchanged(op: Op) -> Value | None:
    """The source of an op whose result is its source."""
    match op:
        case Broadcast() | Transpose() | Reshape() if op.source.type == op.result.type:
            order = op.permutation if isinstance(op, Transpose) else op.axes if isinstance(op, Broadcast) else ()
            return op.source if order == tuple(range(len(order))) else None
        case Cast() if op.source.type == op.result.type:
            return op.source
        case _:
            return None
