"""Operations over slices of one axis whose number and borders nobody can observe.

The first argument of a region that sees slices is their extent, an index scalar that the types of the slices mention;
nothing else may use it. Summaries and states are tuples of values; their types are those of `identity` and `initial`.
"""

from __future__ import annotations

from dataclasses import dataclass

from intent2cuda.ir.op import Op, Region
from intent2cuda.ir.value import Value


@dataclass(frozen=True, eq=False)
class RegionFold(Op):
    """The summaries of consecutive slices of `axis` combined in order, grouped in any way.

    summarize: the extent, a slice of each source -> a summary. combine: two summaries -> a summary. An empty axis
    gives `identity`.
    """

    sources: tuple[Value, ...]
    axis: int
    identity: tuple[Value, ...]
    summarize: Region
    combine: Region
    results: tuple[Value, ...]


@dataclass(frozen=True, eq=False)
class RegionScan(Op):
    """What `emit` makes of each slice and of the state before it, and the state after all of them.

    summarize and combine: as in `RegionFold`. apply: a summary, a state -> the state after it. emit: the extent, a
    slice of each source, a state -> outputs, each with the extent of the slice on one axis, where the slices are put
    together again. Results: the outputs, then the final state.
    """

    sources: tuple[Value, ...]
    axis: int
    identity: tuple[Value, ...]
    initial: tuple[Value, ...]
    summarize: Region
    combine: Region
    apply: Region
    emit: Region
    results: tuple[Value, ...]

    @property
    def outputs(self) -> tuple[Value, ...]:
        return self.results[: len(self.results) - len(self.initial)]

    @property
    def final(self) -> tuple[Value, ...]:
        return self.results[len(self.results) - len(self.initial) :]
