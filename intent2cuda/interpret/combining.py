"""Reductions and scans by a region: many pairs of members are combined at once, each pair a point of a frame.

Members are arrays [groups, members, ...]: a group is what is reduced or scanned by itself, at one point and, where the
region combines elements, at one place of what is left; what follows is the slice that the region combines whole.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import TypeAlias

import numpy as np

from intent2cuda.interpret.captures import captured
from intent2cuda.interpret.control import Run
from intent2cuda.interpret.frames import Frame, Slot, joint, spread
from intent2cuda.interpret.state import State
from intent2cuda.ir.ops import ReduceBy, ScanBy
from intent2cuda.ir.value import Value
from intent2cuda.language.bodies.storage import Array

Members: TypeAlias = tuple[Array, ...]
"""One array for each source."""


@dataclass(frozen=True)
class Combination:
    """The region of an op at work, for the points of `frame`, or once for all where nothing depends on the point."""

    op: ReduceBy | ScanBy
    state: State
    frame: Frame | None
    run: Run

    @staticmethod
    def of(op: ReduceBy | ScanBy, state: State, frame: Frame | None, run: Run) -> Combination:
        slots = [state.read(value, frame) for value in (*op.sources, *op.identity)]
        varies = joint(slots) is not None or state.varies(captured(op.combine))
        return Combination(op, state, frame if varies else None, run)

    @property
    def points(self) -> int:
        return self.frame.size if self.frame else 1

    @property
    def of_elements(self) -> bool:
        return not any(identity.tensor.shape for identity in self.op.identity)

    def members(self, axes: Sequence[int]) -> Members:
        """The members of the sources along some axes, counted as one."""
        found: list[Array] = []
        for source in self.op.sources:
            array, kept = self._of_points(source), self.left(source, axes)
            along = [axis + 1 for axis in axes]
            rest = [axis for axis in range(1, array.ndim) if axis not in along]
            count = prod(array.shape[axis] for axis in along)
            if self.of_elements:
                found.append(np.transpose(array, [0, *rest, *along]).reshape(self.points * prod(kept), count))
            else:
                found.append(np.transpose(array, [0, *along, *rest]).reshape(self.points, count, *kept))
        return tuple(found)

    def left(self, source: Value, axes: Sequence[int]) -> tuple[int, ...]:
        """The extents of the other axes of a source."""
        slot = self.state.read(source, self.frame)
        own = slot.array.shape[slot.frame is not None :]
        return tuple(extent for axis, extent in enumerate(own) if axis not in axes)

    def identity(self, groups: int) -> Members:
        """One member for each group: the identity."""
        each = groups // self.points
        return tuple(np.repeat(self._of_points(v), each, axis=0)[:, None] for v in self.op.identity)

    def __call__(self, lhs: Members, rhs: Members) -> Members:
        """Each member of `lhs` combined with the one of `rhs` at its place."""
        groups, pairs = lhs[0].shape[:2]
        if groups * pairs == 0:
            return lhs
        owners = np.repeat(np.arange(self.points), groups // self.points * pairs)
        frame = Frame(groups * pairs, self.frame, owners)
        for argument, array in zip(self.op.combine.args, (*lhs, *rhs), strict=True):
            self.state.define(argument, array.reshape(groups * pairs, *array.shape[2:]), frame)
        values = self.run(self.op.combine, frame).values
        return tuple(
            np.broadcast_to(value.array, (groups * pairs, *member.shape[2:])).reshape(member.shape)
            for value, member in zip(values, lhs, strict=True)
        )

    def _of_points(self, value: Value) -> Array:
        """A value with the points as its first axis."""
        array = spread(self.state.read(value, self.frame), self.frame)
        return array if self.frame else array[None]

    def slot(self, array: Array) -> Slot:
        """A result from an array with the points as its first axis."""
        return Slot(array, self.frame) if self.frame else Slot(array[0])


def run_reduce(op: ReduceBy, state: State, frame: Frame | None, run: Run) -> None:
    """Halves combined with each other until one member is left, and the identity with that."""
    combine = Combination.of(op, state, frame, run)
    members = combine.members(op.axes)
    groups, count = members[0].shape[:2]
    while count > 1:
        half = count // 2
        halves = combine(_cut(members, slice(half)), _cut(members, slice(half, 2 * half)))
        members = _behind_each_other(halves, _cut(members, slice(2 * half, None)))
        count -= half
    whole = combine(combine.identity(groups), members) if count else combine.identity(groups)
    for source, result, array in zip(op.sources, op.results, whole, strict=True):
        extents = combine.left(source, op.axes)
        state.place(result, combine.slot(array.reshape(combine.points, *extents)))


def run_scan(op: ScanBy, state: State, frame: Frame | None, run: Run) -> None:
    """Prefixes of pairs, and from them those that end within a pair; the order of the members is kept."""
    combine = Combination.of(op, state, frame, run)
    members = combine.members((op.axis,))
    groups, count = members[0].shape[:2]
    turned = _cut(members, slice(None, None, -1)) if op.reverse else members
    if not op.inclusive:
        turned = _cut(_behind_each_other(combine.identity(groups), turned), slice(count))
    prefixes = scanned(turned, (lambda lhs, rhs: combine(rhs, lhs)) if op.reverse else combine)
    for source, result, array in zip(op.sources, op.results, prefixes, strict=True):
        extents = combine.left(source, (op.axis,))
        in_order = array[:, ::-1] if op.reverse else array
        if combine.of_elements:
            along = np.moveaxis(in_order.reshape(combine.points, *extents, count), -1, op.axis + 1)
        else:
            along = np.moveaxis(in_order, 1, op.axis + 1)
        state.place(result, combine.slot(along))


def scanned(members: Members, combine: Callable[[Members, Members], Members]) -> Members:
    """The prefixes of members, each with its last one."""
    count = members[0].shape[1]
    if count < 2:
        return members
    ends = scanned(combine(_cut(members, slice(0, count - 1, 2)), _cut(members, slice(1, None, 2))), combine)
    between = combine(_cut(ends, slice((count - 1) // 2)), _cut(members, slice(2, None, 2)))
    prefixes = tuple(np.empty_like(member) for member in members)
    for whole, first, odd, even in zip(prefixes, members, ends, between, strict=True):
        whole[:, 0], whole[:, 1::2], whole[:, 2::2] = first[:, 0], odd, even
    return prefixes


def _cut(members: Members, part: slice) -> Members:
    return tuple(member[:, part] for member in members)


def _behind_each_other(first: Members, second: Members) -> Members:
    return tuple(np.concatenate(pair, axis=1) for pair in zip(first, second, strict=True))
