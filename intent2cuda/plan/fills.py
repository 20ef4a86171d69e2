"""Where values hold a constant that a mask put there, whatever finite numbers the rest of the kernel computes.

scores = I.mask(scores, valid=key <= query, fill=-I.inf)    -inf where key > query
weight = I.exp(scores - peak[:, None])                      0 there, so that it adds nothing to a sum
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf

from intent2cuda.analysis.composition import segment_map, under
from intent2cuda.analysis.expressions import Condition, Connective
from intent2cuda.analysis.relations import Relations
from intent2cuda.ir.constants import Number
from intent2cuda.ir.op import Op, regions
from intent2cuda.ir.ops import (
    Broadcast,
    Cast,
    Constant,
    Gather,
    Load,
    Pointwise,
    RegionFold,
    RegionScan,
    Reshape,
    Transpose,
)
from intent2cuda.ir.value import Value

ZERO_OF_ZERO = frozenset({"abs", "asin", "erf", "floor", "log1p", "neg", "sin", "sqrt", "tanh"})
"""Functions that are 0 at 0."""

ABSORBING: Mapping[tuple[str, int, Number], Number] = {
    ("mul", 0, 0): 0, ("mul", 1, 0): 0, ("div", 0, 0): 0,
    ("add", 0, -inf): -inf, ("add", 1, -inf): -inf, ("add", 0, inf): inf, ("add", 1, inf): inf,
    ("sub", 0, -inf): -inf, ("sub", 1, -inf): inf, ("sub", 0, inf): inf, ("sub", 1, inf): -inf,
    ("minimum", 0, -inf): -inf, ("minimum", 1, -inf): -inf, ("maximum", 0, inf): inf, ("maximum", 1, inf): inf,
    ("gt", 0, -inf): False, ("lt", 1, -inf): False, ("lt", 0, inf): False, ("gt", 1, inf): False,
    ("and", 0, False): False, ("and", 1, False): False, ("or", 0, True): True, ("or", 1, True): True,
}  # fmt: skip
"""(function, argument, number): what the function gives for this number and any finite other argument."""


@dataclass(frozen=True)
class Fill:
    """`number` wherever `active` does not hold."""

    active: Condition
    number: Number


class Fills:
    """The fills of a kernel's values."""

    def __init__(self, relations: Relations) -> None:
        self._relations = relations
        self._found: dict[Value, Fill] = {}
        self._constants: dict[Value, Number] = {}
        for op in relations.structure.order:
            self._visit(op)

    def of(self, value: Value) -> Fill | None:
        return self._found.get(value)

    def without(self, value: Value, number: Number) -> Condition | None:
        """Where an element of a value may be another number than this one; None for everywhere."""
        fill = self._found.get(value)
        return fill.active if fill is not None and fill.number == number else None

    def _visit(self, op: Op) -> None:
        match op:
            case Constant():
                self._constants[op.result] = op.value
            case Cast() | Broadcast() | Transpose() | Reshape():
                self._moved(op)
            case Pointwise(fn="select"):
                self._select(op)
            case Pointwise():
                self._pointwise(op)
            case Load() | Gather() if op.valid is not None and op.fill in self._constants:
                self._found[op.result] = Fill(self._relations.condition(op.valid), self._constants[op.fill])
            case RegionFold() | RegionScan():
                self._slices(op)
            case _:
                pass

    def _moved(self, op: Cast | Broadcast | Transpose | Reshape) -> None:
        if op.source in self._constants:
            self._constants[op.result] = self._constants[op.source]
        fill = self._found.get(op.source)
        if fill is None:
            return
        moved = fill.active if isinstance(op, Cast) else under(fill.active, self._relations.coordinate_map(op))
        if moved is not None:
            self._found[op.result] = Fill(moved, fill.number)

    def _select(self, op: Pointwise) -> None:
        """A side that is constant fills; the other side may be filled with the same number."""
        condition, *sides = op.args
        holds = self._relations.condition(condition)
        for side, other, active in ((sides[1], sides[0], holds), (sides[0], sides[1], Connective("not", (holds,)))):
            if side in self._constants:
                number = self._constants[side]
                inner = self.without(other, number)
                self._found[op.result] = Fill(active if inner is None else Connective("and", (active, inner)), number)
                return

    def _pointwise(self, op: Pointwise) -> None:
        for position, argument in enumerate(op.args):
            fill = self._found.get(argument)
            if fill is None:
                continue
            number = of_one(op.fn, fill.number) if len(op.args) == 1 else ABSORBING.get((op.fn, position, fill.number))
            if number is not None:
                self._found[op.result] = Fill(fill.active, number)
                return

    def _slices(self, op: RegionFold | RegionScan) -> None:
        for region in regions(op):
            for argument in region.args:
                part = self._relations.structure.segment(argument)
                fill = None if part is None else self._found.get(part.source)
                if part is not None and fill is not None:
                    moved = under(fill.active, segment_map(part))
                    if moved is not None:
                        self._found[argument] = Fill(moved, fill.number)


def of_one(fn: str, number: Number) -> Number | None:
    """What a function of one argument gives, where that is a number that anything absorbs."""
    if number == 0 and fn in ZERO_OF_ZERO:
        return 0
    if fn in ("exp", "exp2") and number == -inf:
        return 0
    return -number if fn == "neg" and number in (inf, -inf) else None
