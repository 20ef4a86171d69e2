"""A kernel: parameters and a body, after specialisation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from intent2cuda.base.span import Span
from intent2cuda.ir.op import Op, Region, regions
from intent2cuda.ir.value import Value


@dataclass(frozen=True, eq=False)
class Kernel:
    """One launch. `parameters` are the runtime parameters in order: views and scalars. `constexprs` are the bound
    compile-time ones."""

    name: str
    parameters: tuple[Value, ...]
    body: Region
    span: Span
    constexprs: tuple[tuple[str, str], ...] = ()
    doc: str = ""


def walk(region: Region) -> Iterator[Op]:
    """Every op of a region and of the regions inside it, each before its own regions."""
    for op in region.ops:
        yield op
        for inner in regions(op):
            yield from walk(inner)
