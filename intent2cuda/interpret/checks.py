"""Checked runs: reads of what nobody wrote, destinations hit twice, and points that disturb each other.

Every element of a view or buffer has an address within its memory; views that share memory share addresses. For each
parallel loop under way it is known which of its points have read and written each address.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from intent2cuda.interpret.faults import DUPLICATE, RACE, REGION, UNINITIALISED, fault
from intent2cuda.interpret.frames import Frame, Slot, path
from intent2cuda.interpret.marks import Level, Way
from intent2cuda.interpret.selection import Selection
from intent2cuda.interpret.state import State
from intent2cuda.ir.op import Op
from intent2cuda.ir.ops import Order, Subregion
from intent2cuda.ir.value import Value
from intent2cuda.language.bodies.storage import Array
from intent2cuda.types.value_type import Access as Direction
from intent2cuda.types.value_type import ViewType


@dataclass(frozen=True)
class Access:
    """The elements `touched` by the points of `frame`: all of `whole`, or its lanes where `lanes` holds."""

    op: Op
    way: Way
    resource: Value
    storage: Slot
    frame: Frame | None
    touched: Selection
    whole: Selection
    lanes: Array | None = None

    def of_lanes(self, values: Array) -> Array:
        """One entry for each lane that is touched."""
        spread = np.broadcast_to(values, self.whole.shape)
        return spread.ravel() if self.lanes is None else spread[self.lanes]

    def of_points(self, values: Array) -> Array:
        """One entry for each lane that is touched, from one for each point of the frame."""
        return self.of_lanes(values.reshape(-1, *[1] * (len(self.whole.shape) - 1)))


@dataclass(frozen=True, eq=False)
class Memory:
    """The elements of some storage: their addresses, and for each address whether it was written.

    number: what tells the memory from others; views that share memory have one number.
    """

    number: int
    addresses: Array
    written: Array


class Checks:
    """Raises IntentError at the first access that breaks a rule."""

    def __init__(self, parameters: Iterable[tuple[Value, Array]]) -> None:
        self._memory: dict[int, Memory] = {}
        self._levels: list[Level] = []
        self._numbers = 0
        self._time = 0
        views = [(value, array) for value, array in parameters if isinstance(value.type, ViewType)]
        for group in _sharing(views):
            self._numbers += 1
            addresses = _addresses([array for _, array in group])
            size = max((int(a.max()) + 1 for a in addresses if a.size), default=0)
            written = np.zeros(size, bool)
            for (value, _), own in zip(group, addresses, strict=True):
                self._memory[value.serial] = Memory(self._numbers, own, written)
                if isinstance(value.type, ViewType) and value.type.access is not Direction.OUT:
                    written[own] = True

    def allocate(self, buffer: Value, storage: Array, initialised: bool) -> None:
        addresses = np.arange(storage.size).reshape(storage.shape)
        self._numbers += 1
        self._memory[buffer.serial] = Memory(self._numbers, addresses, np.full(storage.size, initialised))

    def enter(self, points: int) -> None:
        """A parallel loop begins."""
        self._levels.append(Level.of(points))

    def leave(self) -> None:
        """The innermost parallel loop has ended; what follows sees all it wrote."""
        self._levels.pop()

    def read(self, access: Access) -> None:
        """Checks that the elements were written, and that no other point changes them."""
        memory, addresses = self._addresses(access)
        self._initialised(access, memory, addresses)
        self._touch(access, memory, addresses, list(self._points(access)))

    def write(self, access: Access) -> None:
        """Checks that no other point touches the elements; plain writes must also hit each of them once."""
        memory, addresses = self._addresses(access)
        points = list(self._points(access))
        if access.way is Way.WRITE:
            self._distinct(access, memory, addresses, points)
        self._touch(access, memory, addresses, points)
        memory.written[addresses] = True

    def change(self, access: Access) -> None:
        """Checks what reads and writes the elements at once."""
        memory, addresses = self._addresses(access)
        self._initialised(access, memory, addresses)
        self._touch(access, memory, addresses, list(self._points(access)))

    def ordered(self, access: Access, order: Order, releases: Array | None = None) -> None:
        """An atomic access has happened: its points know more, and more is known of them.

        releases: for each lane whether it releases, where not all do.
        """
        times = self._time + 1 + np.arange(prod(access.touched.shape))
        self._time += len(times)
        lanes = slice(None) if releases is None else releases
        for level, points, _ in self._points(access):
            if order in (Order.ACQUIRE, Order.ACQ_REL):
                level.acquire(points, times)
            if order in (Order.RELEASE, Order.ACQ_REL):
                level.release(points[lanes], times[lanes])

    def subregion(self, op: Subregion, state: State, frame: Frame | None) -> None:
        """Checks that a part of a domain lies inside it, with its bounds in order."""
        source, part = op.source.domain, op.result.domain
        begin, end = (state.integer(e, frame) for e in (source.begin, source.begin + source.extent))
        first, last = (state.integer(e, frame) for e in (part.begin, part.begin + part.extent))
        wrong = ~((np.asarray(begin) <= first) & (np.asarray(first) <= last) & (np.asarray(last) <= end))
        if np.any(wrong):
            where = int(np.flatnonzero(wrong)[0])
            shown = [int(np.broadcast_to(bound, wrong.shape).ravel()[where]) for bound in (first, last, begin, end)]
            fault(REGION, "part {}:{} does not lie inside the domain {}:{}".format(*shown), op)

    def _addresses(self, access: Access) -> tuple[Memory, Array]:
        memory = self._memory[access.resource.serial]
        return memory, np.broadcast_to(access.touched.read(memory.addresses), access.touched.shape).ravel()

    def _initialised(self, access: Access, memory: Memory, addresses: Array) -> None:
        if not memory.written[addresses].all():
            at = _element(access, memory, int(addresses[~memory.written[addresses]][0]))
            fault(UNINITIALISED, f"{at} is read before it is written", access.op)

    def _touch(
        self, access: Access, memory: Memory, addresses: Array, points: Sequence[tuple[Level, Array, Array]]
    ) -> None:
        for level, first, last in points:
            wrong = level.touch(memory.number, memory.written.size, access.way, addresses, first, last)
            if wrong.any():
                at = _element(access, memory, int(addresses[wrong][0]))
                does = access.way.value
                fault(RACE, f"a point {does} {at}, which another point of the parallel loop touches", access.op)

    def _points(self, access: Access) -> Iterable[tuple[Level, Array, Array]]:
        """For each parallel loop that shares the storage: the first and last of its points that touch each lane."""
        frames = _starts(access.frame)
        private = len(_starts(access.storage.frame))
        for level, frame in list(zip(self._levels, frames, strict=True))[private:]:
            points = _numbers(frame)[path(access.frame, frame)] + 1
            if access.whole.frame is None:
                lowest, highest = np.asarray(points.min()), np.asarray(points.max())
                yield level, access.of_lanes(lowest), access.of_lanes(highest)
            else:
                lanes = access.of_points(points)
                yield level, lanes, lanes

    def _distinct(
        self, access: Access, memory: Memory, addresses: Array, points: Sequence[tuple[Level, Array, Array]]
    ) -> None:
        """Checks that no point writes an address twice in one access."""
        order = np.argsort(addresses, kind="stable")
        repeated = addresses[order][1:] == addresses[order][:-1]
        if points:
            owners = points[-1][1][order]
            repeated &= owners[1:] == owners[:-1]
        if repeated.any():
            at = _element(access, memory, int(addresses[order][1:][repeated][0]))
            fault(DUPLICATE, f"{at} is written twice by one statement", access.op)


def _starts(frame: Frame | None) -> list[Frame]:
    """The frames of the parallel loops around, outermost first."""
    found: list[Frame] = []
    while frame is not None:
        if frame.numbers is not None:
            found.insert(0, frame)
        frame = frame.parent
    return found


def _numbers(frame: Frame) -> Array:
    assert frame.numbers is not None
    return frame.numbers


def _element(access: Access, memory: Memory, address: int) -> str:
    """The name and the coordinates of an element."""
    private = access.storage.frame is not None
    coordinates = [int(c) for c in np.argwhere(memory.addresses == address)[0][private:]]
    return f"{access.resource.name}[{', '.join(map(str, coordinates)) or '()'}]"


def _sharing(arrays: Sequence[tuple[Value, Array]]) -> list[list[tuple[Value, Array]]]:
    """The arrays in groups that may share memory."""
    groups: list[list[tuple[Value, Array]]] = []
    for entry in arrays:
        touching = [g for g in groups if any(np.may_share_memory(entry[1], other) for _, other in g)]
        groups = [g for g in groups if g not in touching]
        groups.append([*(member for g in touching for member in g), entry])
    return groups


def _addresses(arrays: Sequence[Array]) -> list[Array]:
    """For each array the addresses of its elements: ordinals when it is alone, else bytes from the lowest element."""
    if len(arrays) == 1:
        return [np.arange(arrays[0].size).reshape(arrays[0].shape)]
    starts = [array.__array_interface__["data"][0] for array in arrays]
    offsets: list[Array] = []
    for array, start in zip(arrays, starts, strict=True):
        bytes_from_start = np.tensordot(array.strides, np.indices(array.shape), axes=1).astype(np.int64)
        offsets.append(start + bytes_from_start)
    lowest = min((int(o.min()) for o in offsets if o.size), default=0)
    return [offset - lowest for offset in offsets]
