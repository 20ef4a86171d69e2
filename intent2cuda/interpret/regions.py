"""Folds and scans over regions: a few uneven slices, and their summaries combined in order."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TypeAlias, cast

import numpy as np

from intent2cuda.interpret.control import Run
from intent2cuda.interpret.frames import Frame, Slot, joint, spread
from intent2cuda.interpret.state import State
from intent2cuda.ir.op import Region
from intent2cuda.ir.ops import RegionFold, RegionScan, Yield
from intent2cuda.ir.value import Value
from intent2cuda.language.bodies.storage import NUMPY

Product: TypeAlias = tuple[Slot, ...]
"""The values of a summary or a state."""

DRAWN_BORDERS = 3


def run_fold(op: RegionFold, state: State, frame: Frame | None, run: Run) -> None:
    """The identity and the summaries of all slices, combined in order."""
    division = Division(op, state, frame, run)
    for result, slot in zip(op.results, division.folded(division.members()), strict=True):
        state.place(result, slot)


def run_scan(op: RegionScan, state: State, frame: Frame | None, run: Run) -> None:
    """The outputs of each slice from the state to which the summaries before it lead, and the state after all."""
    division = Division(op, state, frame, run)
    members, initial = division.members(), division.read(op.initial)
    states = [
        division.result(op.apply, (*division.folded(members[: count + 1]), *initial)) for count in range(len(members))
    ]
    parts = [division.of_slice(op.emit, cut, before) for cut, before in zip(division.cuts, states, strict=False)]
    extent = op.emit.args[0].as_symbol
    for position, emitted in enumerate(cast(Yield, op.emit.ops[-1]).values):
        axis = emitted.tensor.shape.index(extent)
        state.place(op.outputs[position], division.joined(op.outputs[position], axis, [p[position] for p in parts]))
    for result, slot in zip(op.final, states[-1], strict=True):
        state.place(result, slot)


class Division:
    """The axis of an op in slices, for the points of a frame."""

    def __init__(self, op: RegionFold | RegionScan, state: State, frame: Frame | None, run: Run) -> None:
        self._op = op
        self._state = state
        self._frame = frame
        self._run = run
        self._sources = self.read(op.sources)
        first = self._sources[0]
        self.cuts = cuts(first.array.shape[op.axis + (first.frame is not None)], state.chance)

    def read(self, values: Sequence[Value]) -> Product:
        return tuple(self._state.read(value, self._frame) for value in values)

    def result(self, region: Region, arguments: Sequence[Slot]) -> Product:
        """What a region yields."""
        for argument, slot in zip(region.args, arguments, strict=True):
            self._state.place(argument, slot)
        return self._run(region, self._frame).values

    def of_slice(self, region: Region, cut: slice, rest: Sequence[Slot] = ()) -> Product:
        """What a region yields for a slice: its arguments are the extent, the slices of the sources, and the rest."""
        slices = [
            Slot(source.array[(slice(None),) * (self._op.axis + (source.frame is not None)) + (cut,)], source.frame)
            for source in self._sources
        ]
        return self.result(region, (Slot(np.asarray(cut.stop - cut.start)), *slices, *rest))

    def members(self) -> list[Product]:
        """The identity, then the summary of each slice."""
        return [self.read(self._op.identity), *(self.of_slice(self._op.summarize, cut) for cut in self.cuts)]

    def folded(self, members: Sequence[Product]) -> Product:
        """The members combined in order, one half with the other."""
        if len(members) == 1:
            return members[0]
        half = len(members) // 2
        return self.result(self._op.combine, (*self.folded(members[:half]), *self.folded(members[half:])))

    def joined(self, output: Value, axis: int, parts: Sequence[Slot]) -> Slot:
        """The parts of an output behind each other on an axis."""
        if not parts:
            shape = self._state.shape(output.tensor.shape, self._frame)
            return Slot(np.empty(shape, NUMPY[output.tensor.dtype]))
        frame = joint(parts)
        return Slot(np.concatenate([spread(part, frame) for part in parts], axis + (frame is not None)), frame)


def cuts(extent: int, chance: np.random.Generator | None) -> list[slice]:
    """Consecutive slices that cover an axis, none of them empty: of uneven sizes, or drawn."""
    inner = [1, -(-extent // 3), extent - extent // 5]
    drawn = inner if chance is None else chance.integers(0, extent + 1, DRAWN_BORDERS).tolist()
    borders = sorted({0, extent, *(min(border, extent) for border in drawn)})
    return [slice(begin, end) for begin, end in pairwise(borders)]
