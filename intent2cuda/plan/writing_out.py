"""What no target has a stage for is written out in operations that have one, before anything else is planned.

A region operation that does not run in one piece is cut into segments, and the rows that it has of its own into
blocks. How many members they have is left to the gate: the portable layers see scalars in their place, and the gate
puts numbers there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from itertools import count
from typing import TypeAlias

from intent2cuda.base.intexpr import symbols
from intent2cuda.ir.kernel import Kernel, walk
from intent2cuda.ir.notation import class_mnemonic
from intent2cuda.ir.op import Op, operands
from intent2cuda.ir.ops import (
    Allocate,
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
from intent2cuda.plan.narrowing import Range, narrowable, narrowed
from intent2cuda.plan.row_axes import RowAxes, Rows
from intent2cuda.plan.row_blocks import ROWS_OF_BLOCK, in_row_blocks
from intent2cuda.rewrite import forwarding
from intent2cuda.rewrite import run as simplified
from intent2cuda.rewrite.copying import next_serial
from intent2cuda.rewrite.expansion import Choices, expand, in_one_piece
from intent2cuda.rewrite.expansion.regions import FOLD_SEGMENT, SCAN_SEGMENT
from intent2cuda.types.dtype import INDEX
from intent2cuda.types.value_type import scalar

FORMS: Mapping[type[Op], str] = {
    Histogram: "counters to which every value adds one",
    ReduceBy: "an ordered loop over the members",
    Scan: "an ordered loop over the members",
    ScanBy: "an ordered loop over the members",
    RegionFold: "segments of {} members, merged in source order",
    RegionScan: "segments of {} members, in source order",
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


class Open(Enum):
    """A number of members that is left to the gate."""

    FOLD = FOLD_SEGMENT
    SCAN = SCAN_SEGMENT
    ROWS = ROWS_OF_BLOCK


LETTERS = {Open.FOLD: "g", Open.SCAN: "c", Open.ROWS: "r"}
"""What an open number is called where the author has no such name."""

Sizes: TypeAlias = Mapping[Open, int]


@dataclass(frozen=True)
class WrittenOut:
    """A kernel in the operations that stages are made for. `left`: the scalars that stand for open numbers. `cuts`: the
    rows that are cut into blocks.
    """

    kernel: Kernel
    written: tuple[Written, ...] = ()
    left: tuple[tuple[Open, Value], ...] = ()
    cuts: tuple[Rows, ...] = ()


def written_out(kernel: Kernel) -> WrittenOut:
    """The kernel with open numbers; it is the same kernel where nothing has to be written out."""
    if not any(type(op) in KINDS for op in walk(kernel.body)):
        return WrittenOut(kernel)
    taken, serial = _taken_names(kernel), next_serial(kernel)
    scalars = {each: Value(scalar(INDEX), serial + n, _free(LETTERS[each], taken)) for n, each in enumerate(Open)}
    cut = _in_blocks(replace(kernel, parameters=(*kernel.parameters, *scalars.values())), scalars)
    found = narrowable(cut)
    made = _expanded(cut, found, scalars)
    read = {value for op in walk(made.body) for value in operands(op)}
    left = tuple((each, value) for each, value in scalars.items() if value in read)
    parameters = (*kernel.parameters, *(value for _, value in left))
    symbols_of = {each: value.name for each, value in left}
    masks = {fold.author: kept.origin for fold, kept in found.items()}
    written = tuple(_written(kernel, symbols_of, masks))
    return WrittenOut(replace(made, parameters=parameters), written, left, tuple(RowAxes(kernel).rows.values()))


def with_sizes(kernel: Kernel, sizes: Sizes) -> Kernel:
    """The kernel written out with these numbers."""
    cut = _in_blocks(kernel, sizes)
    return _expanded(cut, narrowable(cut), sizes)


def _in_blocks(kernel: Kernel, sizes: Mapping[Open, int] | Mapping[Open, Value]) -> Kernel:
    if Open.ROWS not in sizes:
        return kernel
    return verify(in_row_blocks(kernel, sizes[Open.ROWS]), "cutting rows into blocks")


def _expanded(
    kernel: Kernel, found: Mapping[RegionFold, Range], sizes: Mapping[Open, int] | Mapping[Open, Value]
) -> Kernel:
    if found:
        kernel = verify(narrowed(kernel, found), "narrowing folds")
    buffers = [op.result for op in walk(kernel.body) if isinstance(op, Allocate)]
    expanded = expand(kernel, Choices(KINDS, sizes.get(Open.FOLD, 1), sizes.get(Open.SCAN, 1)))
    return simplified(verify(forwarding.run(verify(expanded, "writing out")), "filling views at once"), kept=buffers)


def _taken_names(kernel: Kernel) -> set[str]:
    """The names of parameters and extents."""
    taken = {parameter.name for parameter in kernel.parameters}
    return taken | {s.name for parameter in kernel.parameters for e in extents(parameter.type) for s in symbols(e)}


def _free(letter: str, taken: set[str]) -> str:
    return next(name for number in count() if (name := f"{letter}{number or ''}") not in taken)


def _written(kernel: Kernel, left: Mapping[Open, str], masks: Mapping[Op, str]) -> Iterator[Written]:
    for op in walk(kernel.body):
        if type(op) not in KINDS:
            continue
        name, form = class_mnemonic(type(op)), FORMS[type(op)]
        if not isinstance(op, RegionFold | RegionScan):
            yield Written(op, f"{name} as {form}")
        elif in_one_piece(op):
            yield Written(op, f"{name} over the whole axis at once")
        else:
            symbol = left[Open.FOLD if isinstance(op, RegionFold) else Open.SCAN]
            kept = f", of those that {masks[op]} may keep" if op in masks else ""
            yield Written(op, f"{name} as {form.format(symbol)}{kept}", symbol)
