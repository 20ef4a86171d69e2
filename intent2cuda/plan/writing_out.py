"""What no target has a stage for is written out in operations that have one, before anything else is planned.

A region operation that does not run in one piece is cut into segments. How many members a segment has is left to the
gate: the portable layers see a scalar in its place, and the gate puts a number there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import count

from intent2cuda.base.intexpr import symbols
from intent2cuda.ir.kernel import Kernel, walk
from intent2cuda.ir.notation import class_mnemonic
from intent2cuda.ir.op import Op, operands
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
from intent2cuda.ir.verify import extents, verify
from intent2cuda.rewrite import forwarding
from intent2cuda.rewrite import run as simplified
from intent2cuda.rewrite.copying import next_serial
from intent2cuda.rewrite.expansion import Choices, expand, in_one_piece
from intent2cuda.types.dtype import INDEX
from intent2cuda.types.value_type import scalar

FORMS: Mapping[type[Op], str] = {
    Histogram: "counters to which every value adds one",
    ReduceBy: "an ordered loop over the members",
    Scan: "an ordered loop over the members",
    ScanBy: "an ordered loop over the members",
    RegionFold: "segments of {segment} members, merged in source order",
    RegionScan: "segments of {segment} members, in source order",
    ScaledContract: "a product of decoded operands",
    SparseContract: "a product of an expanded operand",
    Quantize: "arithmetic on the bytes of its records",
    QuantizedDot: "arithmetic on the bytes of its records",
}
"""What each kind of operation is written out as."""

KINDS = frozenset(FORMS)


@dataclass(frozen=True)
class Written:
    """An operation of the author that is written out. `parameter`: the symbol that its form leaves open, or empty."""

    op: Op
    form: str
    parameter: str = ""


@dataclass(frozen=True)
class WrittenOut:
    """A kernel in the operations that stages are made for. `segment` stands for the members of a segment where any
    operation has some.
    """

    kernel: Kernel
    written: tuple[Written, ...] = ()
    segment: Value | None = None


def written_out(kernel: Kernel) -> WrittenOut:
    """The kernel with an open segment length; it is the same kernel where nothing has to be written out."""
    if not any(type(op) in KINDS for op in walk(kernel.body)):
        return WrittenOut(kernel)
    segment = Value(scalar(INDEX), next_serial(kernel), _free_name(kernel))
    made = _expanded(replace(kernel, parameters=(*kernel.parameters, segment)), segment)
    if not any(segment in operands(op) for op in walk(made.body)):
        return WrittenOut(replace(made, parameters=kernel.parameters), tuple(_written(kernel, "")))
    return WrittenOut(made, tuple(_written(kernel, segment.name)), segment)


def in_segments_of(kernel: Kernel, members: int) -> Kernel:
    """The kernel written out with segments of so many members."""
    return _expanded(kernel, members)


def _expanded(kernel: Kernel, segment: int | Value) -> Kernel:
    expanded = expand(kernel, Choices(KINDS, segment))
    return simplified(verify(forwarding.run(verify(expanded, "writing out")), "filling views at once"))


def _free_name(kernel: Kernel) -> str:
    """A name that no parameter and no extent of the kernel has."""
    taken = {parameter.name for parameter in kernel.parameters}
    taken |= {s.name for parameter in kernel.parameters for e in extents(parameter.type) for s in symbols(e)}
    return next(name for number in count() if (name := f"g{number or ''}") not in taken)


def _written(kernel: Kernel, segment: str) -> Iterator[Written]:
    for op in walk(kernel.body):
        if type(op) not in KINDS:
            continue
        name, form = class_mnemonic(type(op)), FORMS[type(op)].format(segment=segment)
        if isinstance(op, RegionFold | RegionScan) and in_one_piece(op):
            yield Written(op, f"{name} over the whole axis at once")
        else:
            yield Written(op, f"{name} as {form}", segment if isinstance(op, RegionFold | RegionScan) else "")
