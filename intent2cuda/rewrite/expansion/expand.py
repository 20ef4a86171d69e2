"""Walks a kernel and puts the written-out form in the place of each operation that is to be expanded.

Before:                                              After:
    %y: f32[N] = scan.add %x axis=0                      %y.2: buffer f32[N] = allocate
                                                         %0: f32 = for %all, %zero body(%i, %sum) {
                                                           %1: f32 = gather %x[%i]
                                                           %2: f32 = add %sum, %1
                                                           store %y.2[%i], %2
                                                           yield %2
                                                         }
                                                         %y: f32[N] = load %y.2[:]
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from intent2cuda.ir.builder import Builder
from intent2cuda.ir.kernel import Kernel, walk
from intent2cuda.ir.op import Op, Region, results
from intent2cuda.ir.ops import (
    Histogram,
    Quantize,
    QuantizedDot,
    ReduceBy,
    RegionFold,
    RegionScan,
    ScaledContract,
    Scan,
    ScanBy,
    SparseContract,
)
from intent2cuda.ir.value import Value
from intent2cuda.rewrite.copying import Copy, named_as, next_serial
from intent2cuda.rewrite.expansion import counting, folds, formats, records, regions, scans
from intent2cuda.rewrite.expansion.instance import Derived

Written = tuple[Value, ...]
"""The values that take the places of the op's results."""


@dataclass(frozen=True)
class Choices:
    """What is expanded, and how. `fold_segment`, `scan_segment`: members of a slice of a region operation that does not
    run in one piece; a number, or a scalar that stands for it.
    """

    kinds: frozenset[type[Op]]
    fold_segment: int | Value = 64
    scan_segment: int | Value = 64


def expand(kernel: Kernel, choices: Choices) -> Kernel:
    """The kernel without ops of the chosen kinds: what an op is written out in is expanded in its turn."""
    while any(type(op) in choices.kinds for op in walk(kernel.body)):
        kernel = replace(kernel, body=_Expanding(kernel, choices).body(kernel.body))
    return kernel


class _Expanding:
    def __init__(self, kernel: Kernel, choices: Choices) -> None:
        self._builder = Builder(kernel.name, next_serial(kernel))
        self._copy = Derived()
        self._choices = choices

    def body(self, region: Region) -> Region:
        arguments = self._copy.arguments(region)

        def ops() -> None:
            for op in region.ops:
                self._op(op)

        return Region(arguments, self._builder.collect(ops))

    def _op(self, op: Op) -> None:
        write = _WRITERS.get(type(op))
        if write is None or type(op) not in self._choices.kinds:
            self._builder.emit(self._copy.op(op, self.body))
            return
        before, self._builder.origin = self._builder.origin, op
        written = write(self._builder, self._copy, self._copy.op(op), self._choices)
        self._builder.origin = before
        for old, new in zip(results(op), written, strict=True):
            self._copy.stand_in(old, named_as(new, old))


_Writer = Callable[[Builder, Copy, Any, Choices], Written]

_WRITERS: Mapping[type[Op], _Writer] = {
    RegionFold: lambda builder, copy, op, choices: regions.fold(builder, copy, op, choices.fold_segment),
    RegionScan: lambda builder, copy, op, choices: regions.scan(builder, copy, op, choices.scan_segment),
    ReduceBy: lambda builder, copy, op, _: folds.reduce_by(builder, copy, op),
    Scan: lambda builder, copy, op, _: scans.scan(builder, op),
    ScanBy: lambda builder, copy, op, _: scans.scan_by(builder, copy, op),
    Histogram: lambda builder, copy, op, _: counting.histogram(builder, op),
    ScaledContract: lambda builder, copy, op, _: formats.scaled(builder, op),
    SparseContract: lambda builder, copy, op, _: formats.sparse(builder, op),
    Quantize: lambda builder, copy, op, _: records.quantize(builder, op),
    QuantizedDot: lambda builder, copy, op, _: records.quantized_dot(builder, op),
}
