"""Removes pure ops whose results nothing uses, and what loops carry and branches merge for nobody.

Before:                               After:
    %0: index = dim M                     %1: f32 = load %x[%i]
    %1: f32 = load %x[%i]                 store %y[%i], %1
    %2: f32 = exp %1
    store %y[%i], %1
"""

from __future__ import annotations

from dataclasses import replace

from intent2cuda.analysis.effects import is_pure
from intent2cuda.base.intexpr import symbols
from intent2cuda.ir.kernel import Kernel
from intent2cuda.ir.op import Op, Region, operands, results
from intent2cuda.ir.ops import For, If, While
from intent2cuda.ir.value import Value
from intent2cuda.ir.verify import attributes, extents
from intent2cuda.rewrite.carries import without_unread
from intent2cuda.rewrite.copying import with_regions


def run(kernel: Kernel) -> Kernel:
    """The kernel without them; a scalar on which an extent depends counts as used."""
    serials: set[int] = set()
    for parameter in kernel.parameters:
        _use_extents(parameter, serials)
    return replace(kernel, body=_region(kernel.body, serials))


def _region(region: Region, used: set[int]) -> Region:
    """The region, walked backwards; `used` collects the serials of what is needed before it."""
    kept: list[Op] = []
    for op in reversed(region.ops):
        if is_pure(op) and not any(value.serial in used for value in results(op)):
            continue
        for value in results(op):
            _use_extents(value, used)
        if isinstance(op, For | While | If):
            op = without_unread(op, used, _region)
        else:
            op = with_regions(op, lambda inner: _region(inner, used))
        kept.append(op)
        used.update(operand.serial for operand in operands(op))
        used.update(symbol.serial for expression in attributes(op) for symbol in symbols(expression))
    for argument in region.args:
        _use_extents(argument, used)
    return Region(region.args, tuple(reversed(kept)))


def _use_extents(value: Value, used: set[int]) -> None:
    used.update(symbol.serial for expression in extents(value.type) for symbol in symbols(expression))
