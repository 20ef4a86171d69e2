"""What a run holds: the extents of the call, values and storage of every frame, integer expressions over them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import numpy as np

from intent2cuda.base.integers import ceil_div, floor_div, floor_mod
from intent2cuda.base.intexpr import IntExpr, Operation, Symbol
from intent2cuda.interpret.frames import DivergedError, Frame, Slot, path
from intent2cuda.ir.value import Value
from intent2cuda.language.bodies.storage import Array

Integer = int | Array
"""An integer that all points share, or one for each point of a frame."""


def _least(lhs: Integer, rhs: Integer) -> Integer:
    return min(lhs, rhs) if isinstance(lhs, int) and isinstance(rhs, int) else np.minimum(lhs, rhs)


def _greatest(lhs: Integer, rhs: Integer) -> Integer:
    return max(lhs, rhs) if isinstance(lhs, int) and isinstance(rhs, int) else np.maximum(lhs, rhs)


FOLD: Mapping[str, Callable[..., Integer]] = {
    "floordiv": floor_div,
    "ceildiv": ceil_div,
    "mod": floor_mod,
    "min": _least,
    "max": _greatest,
}


class State:
    """The values of one run. A value is found by its serial; a frame sees its own values and those of its ancestors.

    chance: decides what the language leaves open, the order of points and the cuts of region operations; else they are
    in order and fixed. changes: counts the times that storage changed. elements_of_point: by serial of its coordinate,
    the elements of the largest value of one point of a parallel loop.
    """

    def __init__(self, dims: Mapping[str, int], chance: np.random.Generator | None = None) -> None:
        self.dims = dims
        self.chance = chance
        self.changes = 0
        self.elements_of_point: dict[int, int] = {}
        self._slots: dict[int, Slot] = {}

    def define(self, value: Value, array: Array, frame: Frame | None) -> None:
        self._slots[value.serial] = Slot(np.asarray(array), frame)

    def place(self, value: Value, slot: Slot) -> None:
        self._slots[value.serial] = slot

    def raw(self, value: Value) -> Slot:
        """A value, or the storage of a view or buffer, in the frame in which it was made."""
        return self._slots[value.serial]

    def read(self, value: Value, frame: Frame | None) -> Slot:
        """A value for the points of `frame`."""
        return self._read(value.serial, frame)

    def varies(self, serials: Iterable[int]) -> bool:
        """Whether one of some values differs from point to point."""
        return any(self._slots[serial].frame is not None for serial in serials)

    def _read(self, serial: int, frame: Frame | None) -> Slot:
        slot = self._slots[serial]
        if slot.frame is None or slot.frame is frame:
            return slot
        assert frame is not None
        if serial not in frame.cache:
            frame.cache[serial] = slot.array[path(frame, slot.frame)]
        return Slot(frame.cache[serial], frame)

    def integer(self, expression: IntExpr, frame: Frame | None) -> Integer:
        """The value of an expression: an int, or an int64 array with one value for each point."""
        if (constant := expression.constant) is not None:
            return constant
        total: Integer = 0
        for monomial, coefficient in expression.terms:
            product: Integer = coefficient
            for atom in monomial:
                product = product * self._atom(atom, frame)
            total = total + product
        return total

    def _atom(self, atom: Symbol | Operation, frame: Frame | None) -> Integer:
        match atom:
            case Symbol(name, 0):
                return self.dims[name]
            case Symbol(_, serial):
                slot = self._read(serial, frame)
                return int(slot.array) if slot.frame is None else slot.array.astype(np.int64)
            case Operation():
                return FOLD[atom.kind](self.integer(atom.lhs, frame), self.integer(atom.rhs, frame))

    def extent(self, expression: IntExpr, frame: Frame | None) -> int:
        """The extent, where negative counts as 0. Raises DivergedError when the points of the frame differ."""
        value = self.integer(expression, frame)
        if isinstance(value, int):
            return max(0, value)
        lengths = np.maximum(value, 0)
        if (lengths != lengths[0]).any():
            raise DivergedError(lengths)
        return int(lengths[0])

    def shape(self, expressions: Iterable[IntExpr], frame: Frame | None) -> tuple[int, ...]:
        """The extents of a value. Raises DivergedError when the points of the frame differ."""
        return tuple(self.extent(expression, frame) for expression in expressions)
