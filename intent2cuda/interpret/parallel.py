"""Parallel loops: their points in frames of a size that keeps the values of one frame small."""

from __future__ import annotations

from math import prod

import numpy as np

from intent2cuda.base.intexpr import IntExpr, symbols
from intent2cuda.interpret.checks import Checks
from intent2cuda.interpret.control import Run
from intent2cuda.interpret.frames import Frame
from intent2cuda.interpret.state import State
from intent2cuda.ir.kernel import walk
from intent2cuda.ir.op import results
from intent2cuda.ir.ops import Parallel
from intent2cuda.language.bodies.storage import Array
from intent2cuda.types.value_type import BufferType, TensorType

FRAME_ELEMENTS = 1 << 21
"""How many elements the largest value of a frame may have, all its points together."""


def run_parallel(op: Parallel, state: State, checks: Checks | None, frame: Frame | None, run: Run) -> None:
    """Every point once: all combinations of coordinates, for each point of the frame around, in the run's order."""
    domains = [value.domain for value in op.domains]
    outer = np.arange(frame.size if frame else 1)
    extents = [np.maximum(state.integer(domain.extent, frame), 0) + 0 * outer for domain in domains]
    ends = np.cumsum(prod(extents, start=np.ones_like(outer)))
    total = int(ends[-1])
    known = state.elements_of_point
    key = op.body.args[0].serial
    if key not in known:
        known[key] = elements_of_point(op, state)
    size = max(1, FRAME_ELEMENTS // known[key])
    if checks:
        checks.enter(total)
    order = np.arange(total) if state.chance is None else state.chance.permutation(total)
    for first in range(0, total, size):
        numbers = order[first : first + size]
        owners = np.searchsorted(ends, numbers, side="right")
        ordinals = numbers - np.where(owners > 0, ends[owners - 1], 0)
        points = Frame(len(numbers), frame, owners, numbers)
        for domain, extent, argument in zip(reversed(domains), reversed(extents), reversed(op.body.args), strict=True):
            own = extent[owners]
            begin, step = (_of_owners(state.integer(e, frame), owners) for e in (domain.begin, domain.step))
            state.define(argument, begin + step * (ordinals % own), points)
            ordinals = ordinals // own
        run(op.body, points)
    if checks:
        checks.leave()


def _of_owners(value: int | Array, owners: Array) -> int | Array:
    return value if isinstance(value, int) else value[owners]


def elements_of_point(op: Parallel, state: State) -> int:
    """The elements of the largest value of one point; an extent that depends on the point counts as the largest one."""
    largest = max(state.dims.values(), default=1)

    def bound(extent: IntExpr) -> int:
        if any(symbol.serial for symbol in symbols(extent)):
            return largest
        return max(1, state.extent(extent, None))

    shapes = [
        value.type.shape
        for inner in walk(op.body)
        for value in results(inner)
        if isinstance(value.type, TensorType | BufferType)
    ]
    return max((prod(bound(extent) for extent in shape) for shape in shapes), default=1)
