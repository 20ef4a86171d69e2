"""Makes one of equal scalars, and one of equal reads with no write between them.

Before:                               After:
    %0: index = dim N                     %n: index = dim N
    %n: index = dim N                     %a: f32 = load %x[%i]
    %a: f32 = load %x[%i]                 %s: f32 = mul %a, %a
    %1: f32 = load %x[%i]
    %s: f32 = mul %a, %1

A value with a name of its author's is not merged into one of another name.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import TypeAlias, TypeVar

from intent2cuda.analysis.effects import effects
from intent2cuda.ir.kernel import Kernel
from intent2cuda.ir.op import Op, Region, own_fields
from intent2cuda.ir.ops import Cast, Constant, Dim, Load, Pointwise
from intent2cuda.rewrite.copying import Copy
from intent2cuda.types.value_type import BufferType

Scalar: TypeAlias = Constant | Dim | Pointwise | Cast
OpT = TypeVar("OpT", bound=Scalar | Load)


def run(kernel: Kernel) -> Kernel:
    """The kernel with repeated scalars and reads merged into their first occurrence."""
    return replace(kernel, body=_Merging().region(kernel.body, {}, {}))


class _Merging:
    def __init__(self) -> None:
        self._copy = Copy()

    def region(self, region: Region, scalars: dict[Hashable, Scalar], reads: dict[Hashable, Load]) -> Region:
        """`scalars` and `reads` are what is available from outside."""
        arguments = self._copy.arguments(region)
        scalars, reads = dict(scalars), dict(reads)
        ops: list[Op] = []
        for op in region.ops:
            _forget(op, reads)
            copied = self._copy.op(op, lambda inner: self.region(inner, scalars, reads))
            if isinstance(op, Load) and isinstance(copied, Load):
                merged = self._merge(op, copied, reads)
            elif isinstance(op, Scalar) and isinstance(copied, Scalar) and not copied.result.tensor.shape:
                merged = self._merge(op, copied, scalars)
            else:
                merged = False
            if not merged:
                ops.append(copied)
        return Region(arguments, tuple(ops))

    def _merge(self, op: OpT, copied: OpT, table: dict[Hashable, OpT]) -> bool:
        """Whether an earlier value stands in for the op's result."""
        key = _key(copied)
        first = table.get(key)
        if first is None or (copied.result.name and copied.result.name != first.result.name):
            table[key] = copied
            return False
        self._copy.stand_in(op.result, first.result)
        return True


def _forget(op: Op, reads: dict[Hashable, Load]) -> None:
    """Drops reads that a write of the op may change. Views may overlap, so a write to one counts for all.

    Behind an atomic that orders memory, what other points wrote may be there.
    """
    found = effects(op)
    if found.orders:
        reads.clear()
    if not found.writes:
        return
    views = any(not isinstance(resource.type, BufferType) for resource in found.writes)
    for key, read in list(reads.items()):
        if read.resource in found.writes or (views and not isinstance(read.resource.type, BufferType)):
            del reads[key]


def _key(op: Scalar | Load) -> Hashable:
    """Equal for ops that compute the same bits; 0.0 and -0.0 are equal, but not the same."""
    parts = [getattr(op, name) for name in own_fields(type(op))]
    if isinstance(op, Constant):
        parts.append(repr(op.value))
    return (type(op), *parts, op.result.type)
