"""The names that the author of a kernel gave: no variable that the compiler adds takes one of them."""

from __future__ import annotations

from collections.abc import Iterator

from intent2cuda.base.intexpr import symbols
from intent2cuda.ir.kernel import Kernel, walk
from intent2cuda.ir.op import Region, regions, results
from intent2cuda.ir.value import Value
from intent2cuda.lower.open_sizes import OpenSizes
from intent2cuda.machine.names import identifier
from intent2cuda.types.value_type import ViewType


def author_names(kernel: Kernel, sizes: OpenSizes) -> frozenset[str]:
    """As they stand in the text. The turns of loops over segments and blocks of rows are the compiler's."""
    values = (value for value in _values(kernel) if value.name and not sizes.is_turn(value))
    return frozenset(identifier(name) for name in (*(value.name for value in values), *_extents(kernel)))


def _values(kernel: Kernel) -> Iterator[Value]:
    yield from kernel.parameters
    yield from _arguments(kernel.body)
    for op in walk(kernel.body):
        yield from results(op)


def _arguments(region: Region) -> Iterator[Value]:
    yield from region.args
    for op in walk(region):
        for inner in regions(op):
            yield from inner.args


def _extents(kernel: Kernel) -> Iterator[str]:
    for parameter in kernel.parameters:
        if isinstance(parameter.type, ViewType):
            yield from (symbol.name for extent in parameter.type.shape for symbol in symbols(extent))
