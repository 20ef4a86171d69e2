"""Which elements an access touches, as NumPy indices.

Terms that are the same for all points become basic indices (slices and integers), so that whole rows and blocks move at
once. The others become integer arrays over the *lane axes*: the points of the frame, one axis for each domain or slice
that differs between them, and the axes of the lanes. The result's axes follow the terms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from intent2cuda.interpret.frames import Frame, Slot, path
from intent2cuda.interpret.state import Integer, State
from intent2cuda.ir.terms import Along, Lanes, Point, Slice, Term, Whole
from intent2cuda.ir.value import Value
from intent2cuda.language.bodies.storage import Array


@dataclass(frozen=True)
class Span:
    """`extent` positions from `begin` on, `step` apart."""

    begin: Integer
    extent: int
    step: Integer

    @property
    def is_shared(self) -> bool:
        return isinstance(self.begin, int) and isinstance(self.step, int)

    @property
    def positions(self) -> Array:
        steps = np.multiply.outer(np.asarray(self.step, np.int64), np.arange(self.extent))
        return np.asarray(self.begin, np.int64)[..., None] + steps


@dataclass(frozen=True)
class At:
    """One position."""

    position: Integer

    @property
    def is_shared(self) -> bool:
        return isinstance(self.position, int)

    @property
    def positions(self) -> Array:
        return np.asarray(self.position, np.int64)


@dataclass(frozen=True)
class Pick:
    """Positions from a tensor, of every point when `per_point`."""

    positions: Array
    per_point: bool
    is_shared = False


Resolved: TypeAlias = Span | At | Pick


def resolve(term: Term, size: int, state: State, frame: Frame | None) -> Resolved:
    """A term with its numbers, for an axis of `size` positions. Raises DivergedError when extents differ by point."""

    def index(value: Value) -> Integer:
        slot = state.read(value, frame)
        return int(slot.array) if slot.frame is None else slot.array.astype(np.int64)

    match term:
        case Whole():
            return Span(0, size, 1)
        case Slice():
            return Span(index(term.begin), state.extent(term.extent, frame), 1)
        case Along():
            domain = term.domain.domain
            extent = state.extent(domain.extent, frame)
            return Span(state.integer(domain.begin, frame), extent, state.integer(domain.step, frame))
        case Point():
            return At(index(term.index))
        case Lanes():
            slot = state.read(term.index, frame)
            return Pick(slot.array.astype(np.int64), slot.frame is not None)


@dataclass(frozen=True)
class Selection:
    """Elements of an array of storage. `shape` has the points as its first axis when `frame` is given.

    basic: the index that is applied first. lanes: arrays that index the axes `front` of what is left. order: for each
    result axis its place among the lane axes and the remaining axes.
    """

    basic: tuple[int | slice, ...]
    lanes: tuple[Array, ...]
    front: tuple[int, ...]
    order: tuple[int, ...]
    shape: tuple[int, ...]
    frame: Frame | None

    def read(self, storage: Array) -> Array:
        """A copy of the elements."""
        if 0 in self.shape:
            return np.empty(self.shape, storage.dtype)
        target = storage[(*self.basic, ...)]
        if not self.lanes:
            return target.copy()
        return np.transpose(self._lanes_first(target)[self.lanes], self.order)

    def write(self, storage: Array, values: Array) -> None:
        """Replaces the elements by `values`, which broadcast to the shape; of several for one element one stays."""
        if 0 in self.shape:
            return
        target = storage[(*self.basic, ...)]
        whole = np.broadcast_to(values, self.shape)
        if self.lanes:
            self._lanes_first(target)[self.lanes] = np.transpose(whole, np.argsort(self.order))
        else:
            target[...] = whole

    def at(self, valid: Array) -> Selection:
        """The elements where `valid` holds, on one axis; only of a selection all of whose axes are lane axes."""
        lanes = tuple(np.broadcast_to(index, self.shape)[valid] for index in self.lanes)
        return Selection((), lanes, self.front, (0,), (int(np.count_nonzero(valid)),), None)

    def outside(self, storage: Array) -> tuple[int, int] | None:
        """An axis of the storage and a position that the selection wants and that axis does not have, or None."""
        if 0 in self.shape:
            return None
        remaining: list[int] = []
        for axis, index in enumerate(self.basic or [slice(None)] * storage.ndim):
            remaining += [axis] if isinstance(index, slice) else []
            for end in _ends(index):
                if not 0 <= end < storage.shape[axis]:
                    return axis, end
        for front, lane in zip(self.front, self.lanes, strict=True):
            axis = remaining[front]
            for end in (lane.min(), lane.max()):
                if not 0 <= end < storage.shape[axis]:
                    return axis, int(end)
        return None

    def _lanes_first(self, target: Array) -> Array:
        rest = [axis for axis in range(target.ndim) if axis not in self.front]
        return np.transpose(target, [*self.front, *rest])


def _ends(index: int | slice) -> tuple[int, ...]:
    """The first and last position of a basic index that is not empty; none for a whole axis."""
    if isinstance(index, int):
        return (index,)
    if index.stop is None:
        return ()
    return index.start, index.stop - index.step


def select(
    resolved: Sequence[Resolved], storage: Slot, frame: Frame | None, masked: bool = False, per_point: bool = False
) -> Selection:
    """The selection of resolved terms from storage, for the points of `frame`.

    masked: every axis becomes a lane axis, so that `Selection.at` applies. per_point: the points are an axis anyway.
    """
    if storage.frame is not None:
        if frame is not None and storage.frame is frame and not masked and all(term.is_shared for term in resolved):
            own = _laid_out(resolved, None, masked)
            return Selection((slice(None), *own.basic), (), (), (), (frame.size, *own.shape), frame)
        resolved = [At(path(frame, storage.frame)), *resolved]
    return _laid_out(resolved, frame if per_point or any(map(_differs, resolved)) else None, masked)


def _differs(term: Resolved) -> bool:
    return term.per_point if isinstance(term, Pick) else not term.is_shared


def _laid_out(resolved: Sequence[Resolved], frame: Frame | None, masked: bool) -> Selection:
    """Puts each term on a basic index or on lane axes; the points of `frame` are the first lane axis."""
    lane_extents = [frame.size] if frame else []
    rest_extents: list[int] = []
    result: list[tuple[bool, int]] = [(True, 0)] if frame else []  # (is it a lane axis, which one)
    basic: list[int | slice] = []
    front: list[int] = []
    lanes: list[tuple[Array, bool, int]] = []  # (positions, does it hold all points, its first lane axis after them)
    first_pick: int | None = None
    for term in resolved:
        match term:
            case Span(int() as begin, extent, int() as step) if not masked:
                basic.append(slice(begin, begin + extent * step, step))
                result.append((False, len(rest_extents)))
                rest_extents.append(extent)
                continue
            case At(int() as position) if not masked:
                basic.append(position)
                continue
            case Span():
                axis, fresh = len(lane_extents), (term.extent,)
            case At():
                axis, fresh = len(lane_extents), ()
            case Pick():
                fresh = term.positions.shape[term.per_point :] if first_pick is None else ()
                axis = first_pick = len(lane_extents) if first_pick is None else first_pick
        result += [(True, len(lane_extents) + i) for i in range(len(fresh))]
        lane_extents += fresh
        front.append(sum(isinstance(index, slice) for index in basic))
        basic.append(slice(None))
        lanes.append((term.positions, _differs(term), axis))
    extents = (rest_extents, lane_extents)
    return Selection(
        tuple(basic),
        tuple(_aligned(*lane, len(lane_extents)) for lane in lanes),
        tuple(front),
        tuple(axis if is_lane else len(lane_extents) + axis for is_lane, axis in result),
        tuple(extents[is_lane][axis] for is_lane, axis in result),
        frame,
    )


def _aligned(positions: Array, per_point: bool, axis: int, rank: int) -> Array:
    """The positions with an axis for each lane axis, of extent 1 where they do not depend on it."""
    own = positions.shape[per_point:]
    shape = [1] * rank
    shape[axis : axis + len(own)] = own
    if per_point:
        shape[0] = positions.shape[0]
    return positions.reshape(shape)
