"""How the elements of values reach one value: which axis of theirs becomes which axis of it.

A path maps each axis of a value to the axis of the target that carries it, or to None where a reduction has combined
the whole axis. `MIXED` stands for every other way, of one axis or of a whole value: contraction, gather, reshaped axes,
carried values.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from heapq import heappop, heappush
from typing import Final, TypeAlias

from intent2cuda.analysis.composition import coordinate_map, first_axes
from intent2cuda.analysis.expressions import coordinate
from intent2cuda.analysis.limits import axis_symbol
from intent2cuda.analysis.structure import Structure
from intent2cuda.ir.kernel import walk
from intent2cuda.ir.op import Op, operands, regions, results
from intent2cuda.ir.ops import (
    ArgReduce,
    Bitcast,
    Broadcast,
    Cast,
    If,
    Inspect,
    Load,
    Pointwise,
    Reduce,
    Reshape,
    Transpose,
    Yield,
)
from intent2cuda.ir.terms import Along, Lanes, Point, Slice, Whole
from intent2cuda.ir.value import Value

MIXED: Final = "mixed"
Place: TypeAlias = int | str | None
Path: TypeAlias = tuple[Place, ...]
Paths: TypeAlias = frozenset[Path | str]
ANY: Paths = frozenset((MIXED,))


class Flow:
    """What reaches one value. Ops are walked from it backwards, each after everything that reads it."""

    def __init__(self, found: Structure, target: Value) -> None:
        self._structure = found
        self._paths: dict[Value, Paths] = {}
        self._waiting: list[int] = []
        self._seen: set[Op] = set()
        self._send(target, frozenset((tuple(range(target.tensor.rank)),)))
        while self._waiting:
            op = found.ops[-heappop(self._waiting)]
            for value in results(op):
                for source, paths in self._sources(op, value, self.paths(value)):
                    self._send(source, paths)

    def paths(self, value: Value) -> Paths:
        """The ways on which elements of a value reach the target; none when they do not."""
        return self._paths.get(value, frozenset())

    def _send(self, value: Value, paths: Paths) -> None:
        if not paths:
            return
        self._paths[value] = self.paths(value) | paths
        op = self._structure.defining.get(value)
        if op is not None and op not in self._seen:
            self._seen.add(op)
            heappush(self._waiting, -self._structure.order[op])

    def _sources(self, op: Op, value: Value, paths: Paths) -> Iterator[tuple[Value, Paths]]:
        """What the op reads, with the paths from there that go through its result."""
        match op:
            case Pointwise() | Cast() | Bitcast():
                yield from ((operand, paths) for operand in operands(op))
            case Inspect():
                yield op.holds, paths
                yield from ((number, paths if number.tensor.shape else _through(paths, {}, 0)) for number in op.numbers)
            case Broadcast() | Transpose() | Reshape():
                yield op.source, _through(paths, _places(op), op.source.tensor.rank)
            case Reduce() | ArgReduce():
                rank, axes = op.source.tensor.rank, op.axes if isinstance(op, Reduce) else (op.axis,)
                kept = (axis for axis in range(rank) if axis not in axes)
                places: dict[int, int | None] = {axis: place for place, axis in enumerate(kept)}
                yield op.source, _through(paths, places | dict.fromkeys(axes), rank)
            case Load():
                yield from _of_read(op, paths)
            case If():
                position = op.results.index(value)
                yield op.condition, _through(paths, {}, 0)
                for region in (op.then_body, op.else_body):
                    if isinstance(last := region.ops[-1], Yield):
                        yield last.values[position], paths
            case _:
                yield from ((used, ANY) for used in _used(op))


def _of_read(op: Load, paths: Paths) -> Iterator[tuple[Value, Paths]]:
    """Indices say which elements are read: they reach the target like these."""
    for term, first in first_axes(op.terms):
        match term:
            case Lanes():
                rank = term.index.tensor.rank
                yield term.index, _through(paths, {axis: first + axis for axis in range(rank)}, rank)
            case Point():
                yield term.index, _through(paths, {}, 0)
            case Slice():
                yield term.begin, ANY
            case Along():
                yield term.domain, ANY
            case Whole():
                pass
    yield from ((value, paths) for value in (op.valid, op.fill) if value is not None)


def _places(op: Broadcast | Transpose | Reshape) -> dict[int, int | None]:
    """The axes of the source that are axes of the result."""
    moved = coordinate_map(op)
    if not isinstance(moved, dict):
        return {}
    return {
        axis: place
        for axis in range(op.source.tensor.rank)
        for place in range(op.result.tensor.rank)
        if moved[axis_symbol(axis)] == coordinate(place)
    }


def _used(op: Op) -> Iterable[Value]:
    """Operands of an op and of everything inside it."""
    yield from operands(op)
    for region in regions(op):
        for inner in walk(region):
            yield from operands(inner)


def _through(paths: Paths, places: dict[int, int | None], rank: int) -> Paths:
    """Paths from the source of an op, given those from its result; an axis without an entry in `places` is mixed."""
    return frozenset(
        path if isinstance(path, str) else tuple(_place(path, places, axis) for axis in range(rank)) for path in paths
    )


def _place(path: Path, places: dict[int, int | None], axis: int) -> Place:
    if axis not in places:
        return MIXED
    place = places[axis]
    return None if place is None else path[place]
