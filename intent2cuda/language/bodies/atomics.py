"""Indivisible updates of cells, one after the other: what each one finds and what it leaves.

The arrays have one entry for each update, in the order in which they happen; `cells` says which cell each one changes
and `current` what the cell holds before the first of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from intent2cuda.language.bodies.storage import Array

CHAIN = 16  # more updates than this of one cell are taken together, fewer turn by turn for all cells

COMBINE: Mapping[str, Any] = {
    "add": np.add,
    "max": np.maximum,
    "min": np.minimum,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}


@dataclass(frozen=True)
class Turns:
    """Updates sorted by cell, those of one cell in order: where each came from, and where each cell begins."""

    order: Array
    starts: Array
    lengths: Array

    @staticmethod
    def of(cells: Array) -> Turns:
        order = np.argsort(cells, kind="stable")
        changes = np.flatnonzero(np.diff(cells[order])) + 1
        starts = np.concatenate([np.zeros(min(1, len(cells)), np.int64), changes])
        return Turns(order, starts, np.diff(starts, append=len(cells)))

    def in_order(self, values: Array) -> Array:
        """Values of the sorted updates, in the order in which the updates happen."""
        placed = np.empty_like(values)
        placed[self.order] = values
        return placed

    @property
    def last(self) -> Array:
        """The last update of each cell."""
        return self.order[self.starts + self.lengths - 1]


def update(kind: str, turns: Turns, current: Array, values: Array) -> tuple[Array, Array]:
    """What each update finds and leaves; `kind` is "exchange" or one of `COMBINE`."""
    held, operand = current[turns.order], values[turns.order]
    found, left = np.empty_like(held), np.empty_like(held)
    long = turns.lengths > CHAIN
    for turn in range(min(CHAIN, int(turns.lengths.max(initial=0)))):
        rows = turns.starts[(turns.lengths > turn) & ~long] + turn
        found[rows] = left[rows - 1] if turn else held[rows]
        left[rows] = operand[rows] if kind == "exchange" else COMBINE[kind](found[rows], operand[rows])
    for start, length in zip(turns.starts[long].tolist(), turns.lengths[long].tolist(), strict=True):
        chain = np.concatenate([held[start : start + 1], operand[start : start + length]])
        if kind != "exchange":
            chain = COMBINE[kind].accumulate(chain, dtype=chain.dtype)
        found[start : start + length], left[start : start + length] = chain[:-1], chain[1:]
    return turns.in_order(found), turns.in_order(left)


def compare_exchange(turns: Turns, current: Array, expected: Array, desired: Array) -> tuple[Array, Array, Array]:
    """What each exchange finds, what it leaves, and whether it wrote. Elements are equal when their bits are."""
    order = turns.order
    wanted, replacement = _bits(expected[order]), desired[order]
    cell = np.repeat(np.arange(len(turns.starts)), turns.lengths)
    held = current[order][turns.starts]
    found, wrote = current[order], np.zeros(len(order), bool)
    waiting = np.arange(len(order))
    while len(waiting):
        found[waiting] = held[cell[waiting]]
        fits = waiting[_bits(found[waiting]) == wanted[waiting]]
        cells, first = np.unique(cell[fits], return_index=True)
        winners = fits[first]
        wrote[winners] = True
        held[cells] = replacement[winners]
        behind = np.full(len(held), len(order))
        behind[cells] = winners
        waiting = waiting[waiting > behind[cell[waiting]]]
    left = np.where(wrote, replacement, found)
    return turns.in_order(found), turns.in_order(left), turns.in_order(wrote)


def _bits(array: Array) -> Array:
    return np.ascontiguousarray(array).view(f"u{array.dtype.itemsize}")
