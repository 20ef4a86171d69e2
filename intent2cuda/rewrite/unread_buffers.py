"""Drops buffers that nothing reads, with what is stored to them and computed for that alone.

Before:                               After:
    %b: buffer f32[N] = allocate          store %y[%i], %1
    %0: f32 = exp %1
    store %b[%i], %0
    store %y[%i], %1
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from intent2cuda.ir.kernel import Kernel, walk
from intent2cuda.ir.op import Op, Region, operands
from intent2cuda.ir.ops import Allocate, Store
from intent2cuda.ir.value import Value
from intent2cuda.rewrite import dead_code
from intent2cuda.rewrite.copying import with_regions


def run(kernel: Kernel, kept: Collection[Value] = ()) -> Kernel:
    """The kernel without them, but for those `kept`."""
    made = {op.result.serial for op in walk(kernel.body) if isinstance(op, Allocate)}
    unread = made - {buffer.serial for buffer in kept} - {serial for op in walk(kernel.body) for serial in _read(op)}
    if not unread:
        return kernel
    return dead_code.run(replace(kernel, body=_region(kernel.body, unread)))


def _read(op: Op) -> list[int]:
    """What an op reads or changes; a store touches only what it is stored to beside that."""
    found = [value.serial for value in operands(op)]
    if isinstance(op, Store):
        found.remove(op.resource.serial)
    return found


def _region(region: Region, unread: set[int]) -> Region:
    kept = (op for op in region.ops if not _is_for_nobody(op, unread))
    return Region(region.args, tuple(with_regions(op, lambda inner: _region(inner, unread)) for op in kept))


def _is_for_nobody(op: Op, unread: set[int]) -> bool:
    match op:
        case Allocate():
            return op.result.serial in unread
        case Store():
            return op.resource.serial in unread
        case _:
            return False
