"""Who touched each address in a parallel loop, and which points know of it: what races are found by.

A point knows what another one did before a release that lies before its own last acquire. An acquire counts as having
seen every release before it, whatever object it reads; so some races are missed, and none is reported wrongly.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

import numpy as np

from intent2cuda.language.bodies.storage import Array

NOBODY = 0  # points count from 1 where they mark addresses
NEVER = np.iinfo(np.int64).max


class Way(Enum):
    """How an access touches an element, in words."""

    READ = "reads"
    WRITE = "writes"
    ATOMIC_READ = "atomically reads"
    ATOMIC_WRITE = "atomically changes"


CONFLICTS: Mapping[Way, tuple[Way, ...]] = {
    Way.READ: (Way.WRITE, Way.ATOMIC_WRITE),
    Way.WRITE: (Way.READ, Way.WRITE, Way.ATOMIC_READ, Way.ATOMIC_WRITE),
    Way.ATOMIC_READ: (Way.WRITE,),
    Way.ATOMIC_WRITE: (Way.READ, Way.WRITE),
}
"""What another point must not do to the same element."""


@dataclass(frozen=True, eq=False)
class Touches:
    """For each address the first and the last point (by number) that touched it in one way, and when one released that.

    Touches that were released give way to later ones.
    """

    first: Array
    last: Array
    released: Array

    @staticmethod
    def of(size: int) -> Touches:
        return Touches(np.full(size, NEVER), np.full(size, NOBODY), np.full(size, NEVER))


@dataclass(frozen=True, eq=False)
class Level:
    """A parallel loop under way: touches by the number of the memory, and when each point last acquired."""

    acquired: Array
    touches: dict[tuple[int, Way], Touches] = field(default_factory=dict[tuple[int, Way], Touches])

    @staticmethod
    def of(points: int) -> Level:
        return Level(np.zeros(points + 1, np.int64))

    def touch(self, memory: int, size: int, way: Way, addresses: Array, first: Array, last: Array) -> Array:
        """Marks the addresses of a memory, each touched by the points from `first` to `last`.

        Returns for each of them whether another point is in the way.
        """
        known = np.minimum(self.acquired[first], self.acquired[last])
        several = first != last
        wrong = np.zeros(addresses.shape, bool)
        for other in CONFLICTS[way]:
            if (marks := self.touches.get((memory, other))) is not None:
                touched = marks.last[addresses]
                foreign = (touched != first) | (marks.first[addresses] != first) | several
                wrong = wrong | ((touched != NOBODY) & foreign & (marks.released[addresses] > known))
        if (memory, way) not in self.touches:
            self.touches[memory, way] = Touches.of(size)
        marks = self.touches[memory, way]
        replaced = addresses if way is Way.WRITE else addresses[marks.released[addresses] != NEVER]
        marks.first[replaced], marks.last[replaced], marks.released[replaced] = NEVER, NOBODY, NEVER
        np.minimum.at(marks.first, addresses, first)
        np.maximum.at(marks.last, addresses, last)
        return wrong | ((way is Way.WRITE) & (marks.first[addresses] != marks.last[addresses]))

    def acquire(self, points: Array, times: Array) -> None:
        np.maximum.at(self.acquired, points, times)

    def release(self, points: Array, times: Array) -> None:
        """What the points have done is known to those that acquire after these times."""
        when = np.full(len(self.acquired), NEVER)
        np.minimum.at(when, points, times)
        for marks in self.touches.values():
            open_marks = np.flatnonzero((marks.last != NOBODY) & (marks.released == NEVER))
            ends = marks.first[open_marks], marks.last[open_marks]
            marks.released[open_marks] = np.minimum(when[ends[0]], when[ends[1]])
