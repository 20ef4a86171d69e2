"""The members, slices, summaries and states that a law speaks of, cut from the sources of its operation."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice, product
from math import prod
from typing import Any, TypeAlias

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

from intent2cuda.ir.ops import ReduceBy, RegionFold, RegionScan, ScanBy
from intent2cuda.ir.value import Value
from intent2cuda.laws.equations import IDENTITY, Law
from intent2cuda.laws.trial import Product, Trial

Draw: TypeAlias = Callable[[st.SearchStrategy[Any]], Any]
LONGEST_SLICE = 3
MOST_MEMBERS = 2  # that are combined before a law sees them


class Portions:
    """Portions of the sources, one after the other: nothing overlaps, order is kept."""

    def __init__(self, draw: Draw, trial: Trial) -> None:
        self._draw = draw
        self._trial = trial
        self._position = self._owed = 0

    def give(self, law: Law) -> None:
        """Sets what a law's terms name."""
        given = self._trial.given
        given[IDENTITY] = self._values(self._trial.op.identity)
        least = 0 if IDENTITY in law.inputs else 1  # an identity is a summary too
        self._begin(sum(1 if name in "ab" else least for name in law.inputs if name in "abxyz"))
        if "s" in law.inputs:
            given["s"] = self._state()
        for name in law.inputs:
            if name in "ab":
                given[name] = self._slice(1)
            elif name in "xyz":
                given[name] = self._summary(name, least)

    def arguments(self, role: str, least: int) -> Product:
        """Arguments for a region; a slice has at least `least` members."""
        self._begin({"summarize": least, "emit": least, "combine": 2}.get(role, 1))
        match role:
            case "summarize":
                drawn = [self._slice(least)]
            case "combine":
                drawn = [self._summary("x", 1), self._summary("y", 1)]
            case "apply":
                state = self._state()
                drawn = [self._summary("x", 1), state]
            case _:
                state = self._state()
                drawn = [self._slice(least), state]
        return self._trial.flat(role, drawn)

    def _begin(self, owed: int) -> None:
        """Draws where to begin, so that `owed` members are left."""
        assume(self._extent() >= owed)
        self._owed = owed
        self._position = self._draw(st.integers(0, self._extent() - owed))

    def _values(self, values: tuple[Value, ...]) -> Product:
        return tuple(self._trial.part.value(value) for value in values)

    def _extent(self) -> int:
        """How many members there are along the axis, or the axes."""
        op = self._trial.op
        shape = self._values(op.sources)[0].shape
        return prod(shape[axis] for axis in (op.axes if isinstance(op, ReduceBy) else (op.axis,)))

    def _length(self, least: int, most: int) -> int:
        """The length of the next portion, which leaves what is owed to the others."""
        self._owed -= least
        left = self._extent() - self._position - self._owed
        return self._draw(st.integers(least, min(most, left)))

    def _slice(self, least: int) -> Product:
        return self._taken(self._length(least, max(least, LONGEST_SLICE)))

    def _taken(self, length: int) -> Product:
        """The next slice of every source."""
        op = self._trial.op
        assert isinstance(op, RegionFold | RegionScan)
        begin, self._position = self._position, self._position + length
        return tuple(source.take(range(begin, self._position), op.axis) for source in self._values(op.sources))

    def _state(self) -> Product:
        """The state before the current position, if anything comes before it the one after that."""
        op = self._trial.op
        assert isinstance(op, RegionScan)
        initial, before = self._values(op.initial), self._position
        if not before:
            return initial
        self._position = 0
        return self._trial.called("apply", self._trial.called("summarize", self._taken(before)), initial)

    def _summary(self, name: str, least: int) -> Product:
        """The summary of a slice, or a combination of members; of none the identity."""
        op = self._trial.op
        match op:
            case RegionFold() | RegionScan():
                length = self._length(least, MOST_MEMBERS)
                if not length:
                    return self._trial.given[IDENTITY]
                self._trial.summarized[name] = self._taken(length)
                return self._trial.called("summarize", self._trial.summarized[name])
            case ReduceBy() | ScanBy():
                members = [self._member(op) for _ in range(self._length(least, MOST_MEMBERS))]
                if not members:
                    return self._trial.given[IDENTITY]
                return members[0] if len(members) == 1 else self._trial.called("combine", *members)

    def _member(self, op: ReduceBy | ScanBy) -> Product:
        """The next member of every source: one element of it where the combine sees elements."""
        sources = self._values(op.sources)
        axes = op.axes if isinstance(op, ReduceBy) else (op.axis,)
        place = next(islice(product(*(range(sources[0].shape[axis]) for axis in axes)), self._position, None))
        self._position += 1
        members = [np.moveaxis(source, axes, range(len(axes)))[place] for source in sources]
        if all(not identity.tensor.shape for identity in op.identity):
            assume(members[0].size > 0)
            return tuple(np.asarray(member.ravel()[0]) for member in members)
        return tuple(members)
