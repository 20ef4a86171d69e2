"""Region operations: the axis is cut where chance has it."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from intent2cuda.ir import ops
from intent2cuda.ir.op import Region

from .state import Place, State, Table, View
from .structured import Product, combination, grouped


@dataclass
class Cut:
    """One slice of every source: positions `begin` to `end` of the axis."""

    begin: int
    end: int
    sources: Product
    axis: int

    @property
    def arguments(self) -> Product:
        """What a helper sees: the extent, then the slices."""
        return [Table.scalar(self.end - self.begin), *(self._part(source) for source in self.sources)]

    def _part(self, source: Table | View) -> Table:
        axis = self.axis
        shape = (*source.shape[:axis], self.end - self.begin, *source.shape[axis + 1 :])
        return Table.of(shape, lambda at: source.get((*at[:axis], at[axis] + self.begin, *at[axis + 1 :])))


def cuts(state: State, op: ops.RegionFold | ops.RegionScan) -> list[Cut]:
    """A complete cut of the axis into slices that are not empty."""
    sources = [state.table(source) for source in op.sources]
    extent = sources[0].shape[op.axis]
    borders = [k for k in range(1, extent) if state.shuffle.random() < 0.5]
    edges = [0, *borders, extent]
    return [Cut(a, b, sources, op.axis) for a, b in itertools.pairwise(edges) if a < b]


def summaries(state: State, region: Region, slices: Sequence[Cut]) -> list[Product]:
    return [state.region(region, cut.arguments)[0] for cut in slices]


def region_fold(state: State, op: ops.RegionFold) -> None:
    identity, combine = [state.table(v) for v in op.identity], combination(state, op.combine)
    folded = grouped(state, summaries(state, op.summarize, cuts(state, op)), identity, combine)
    state.values |= {result.serial: part for result, part in zip(op.results, folded, strict=True)}


def region_scan(state: State, op: ops.RegionScan) -> None:
    """The state before a slice is the initial one after the combined summary of all slices before it."""
    identity, combine = [state.table(v) for v in op.identity], combination(state, op.combine)
    initial = [state.table(v) for v in op.initial]
    slices = cuts(state, op)
    found = summaries(state, op.summarize, slices)
    before = [
        state.region(op.apply, [*grouped(state, found[:k], identity, combine), *initial])[0]
        for k in range(len(slices) + 1)
    ]
    emitted = [
        state.region(op.emit, [*cut.arguments, *entering])[0] for cut, entering in zip(slices, before, strict=False)
    ]
    for number, output in enumerate(op.outputs):
        axis = _sliced_axis(op, number)
        shape = state.shape(output)

        def element(at: Place, number: int = number, axis: int = axis) -> bool | int | float:
            which = next(k for k, cut in enumerate(slices) if cut.begin <= at[axis] < cut.end)
            return emitted[which][number].get((*at[:axis], at[axis] - slices[which].begin, *at[axis + 1 :]))

        state.define(output, shape, element)
    state.values |= {result.serial: part for result, part in zip(op.final, before[-1], strict=True)}


def _sliced_axis(op: ops.RegionScan, number: int) -> int:
    """The axis of an output that has the extent of the slice."""
    extent, last = op.emit.args[0].as_symbol, op.emit.ops[-1]
    assert isinstance(last, ops.Yield)
    return last.values[number].tensor.shape.index(extent)
