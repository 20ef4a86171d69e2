"""Points that are executed together, and the values they hold.

The interpreter runs all points of a parallel loop in lockstep: one array holds the values of all of them, with the
point as its leading axis. Control that differs from point to point makes frames of some of the points of another frame.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from intent2cuda.language.bodies.storage import Array


@dataclass(frozen=True, eq=False)
class Frame:
    """`size` points. `into_parent` says which point of the parent each of them is, or belongs to.

    `numbers`: for the points of a parallel loop their numbers among all points of the loop.
    """

    size: int
    parent: Frame | None
    into_parent: Array
    numbers: Array | None = None
    cache: dict[int, Array] = field(default_factory=dict[int, Array])


@dataclass(frozen=True, eq=False)
class Slot:
    """A value: of every point of `frame`, with the point as leading axis, or the same for all without one."""

    array: Array
    frame: Frame | None = None


def path(frame: Frame | None, ancestor: Frame) -> Array:
    """For each point of `frame` the point of `ancestor` that it is, or belongs to."""
    assert frame is not None
    if frame is ancestor:
        return np.arange(frame.size)
    upward = frame.into_parent
    while frame.parent is not ancestor:
        assert frame.parent is not None
        frame = frame.parent
        upward = frame.into_parent[upward]
    return upward


def part(frame: Frame, points: Array) -> Frame:
    """The frame of some points of `frame`."""
    return Frame(len(points), frame, points)


def joint(slots: Sequence[Slot]) -> Frame | None:
    """The frame of what is computed from values of one frame, some of them perhaps the same for all points."""
    return next((slot.frame for slot in slots if slot.frame is not None), None)


def spread(slot: Slot, frame: Frame | None) -> Array:
    """The array of a slot, with the points of a frame as its first axis where there is one."""
    if frame is None or slot.frame is not None:
        return slot.array
    return np.broadcast_to(slot.array, (frame.size, *slot.array.shape))


class DivergedError(Exception):
    """An extent differs between the points of a frame. `keys`: the extent for each point."""

    def __init__(self, keys: Array) -> None:
        super().__init__()
        self.keys = keys


class WaitingError(Exception):
    """Nothing changes any more for some points of a loop, while others have left it and may go on.

    `left`: the points that have left, and the values with which they did; `waiting`: the same of the others.
    """

    def __init__(self, left: tuple[Array, tuple[Slot, ...]], waiting: tuple[Array, tuple[Slot, ...]]) -> None:
        super().__init__()
        self.left = left
        self.waiting = waiting


def groups(keys: Array) -> list[Array]:
    """The positions of equal keys, one array for each key, keys rising."""
    order = np.argsort(keys, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(keys[order])) + 1)


@dataclass(frozen=True)
class Outcome:
    """What a region yields: values in the frame in which it ran, and whether a loop shall stop."""

    values: tuple[Slot, ...]
    stop: Slot | None = None


def merged(frame: Frame, parts: Sequence[tuple[Array, Sequence[Slot]]]) -> tuple[Slot, ...]:
    """The values of all points of `frame`, from parts of it: pairs of points and of values in the part's frame."""
    results: list[Slot] = []
    for position in range(len(parts[0][1])):
        slots = [slots[position] for _, slots in parts]
        if len(parts) == 1 and slots[0].frame is None:
            results.append(slots[0])
            continue
        shape = slots[0].array.shape[slots[0].frame is not None :]
        whole = np.empty((frame.size, *shape), slots[0].array.dtype)
        for (points, _), slot in zip(parts, slots, strict=True):
            whole[points] = slot.array
        results.append(Slot(whole, frame))
    return tuple(results)
