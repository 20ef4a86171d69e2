"""How the elements of a read reach a value: which axis of the read becomes which axis of the value.

A path maps each axis of the read to the axis of the value that carries it, or to None where a reduction has combined
the whole axis. `MIXED` stands for every other way: contraction, gather, reshaped axes, carried values.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from intent2cuda.analysis.composition import coordinate_map
from intent2cuda.analysis.expressions import coordinate
from intent2cuda.analysis.limits import axis_symbol
from intent2cuda.analysis.structure import Structure
from intent2cuda.ir.op import Op, operands, regions, results
from intent2cuda.ir.ops import (
    ArgReduce,
    Bitcast,
    Broadcast,
    Cast,
    If,
    Load,
    Pointwise,
    Reduce,
    Reshape,
    Transpose,
    Yield,
)
from intent2cuda.ir.terms import Along, Lanes, Point, Slice, Whole
from intent2cuda.ir.value import Value

Path: TypeAlias = tuple[int | None, ...]
MIXED: Final = "mixed"
Paths: TypeAlias = frozenset[Path | str]
NOTHING: Paths = frozenset()
ANY: Paths = frozenset((MIXED,))


class Flow:
    """Where the elements of one read go."""

    def __init__(self, found: Structure, read: Load) -> None:
        self._structure = found
        self._known: dict[Value, Paths] = {read.result: frozenset((tuple(range(read.result.tensor.rank)),))}
        for op in found.order:
            if not regions(op):
                for value in results(op):
                    self.paths(value)

    def paths(self, value: Value) -> Paths:
        """The ways on which elements of the read reach a value; none when they do not."""
        if value not in self._known:
            op = self._structure.defining.get(value)
            self._known[value] = NOTHING if op is None else self._paths(op, value)
        return self._known[value]

    def _paths(self, op: Op, value: Value) -> Paths:
        match op:
            case Pointwise() | Cast() | Bitcast():
                return self._union(operands(op))
            case Broadcast() | Transpose() | Reshape():
                return self._reshaped(op)
            case Reduce() | ArgReduce():
                axes = op.axes if isinstance(op, Reduce) else (op.axis,)
                kept = [axis for axis in range(op.source.tensor.rank) if axis not in axes]
                return _moved(self.paths(op.source), {axis: place for place, axis in enumerate(kept)}, dropped=True)
            case Load():
                return self._indexed(op)
            case If():
                position = op.results.index(value)
                yielded = [
                    last.values[position]
                    for region in (op.then_body, op.else_body)
                    if isinstance(last := region.ops[-1], Yield)
                ]
                return self._union([op.condition, *yielded])
            case _:
                return ANY if any(self.paths(used) for used in _used(op)) else NOTHING

    def _union(self, values: tuple[Value, ...] | list[Value]) -> Paths:
        return frozenset(path for value in values for path in self.paths(value))

    def _reshaped(self, op: Broadcast | Transpose | Reshape) -> Paths:
        found = self.paths(op.source)
        moved = coordinate_map(op)
        if not found or not isinstance(moved, dict):
            return ANY if found else NOTHING
        places = {
            axis: place
            for axis in range(op.source.tensor.rank)
            for place in range(op.result.tensor.rank)
            if moved[axis_symbol(axis)] == coordinate(place)
        }
        return _moved(found, places, dropped=False)

    def _indexed(self, op: Load) -> Paths:
        found: set[Path | str] = set()
        place = 0
        for term in op.terms:
            match term:
                case Lanes():
                    index = self.paths(term.index)
                    found |= _moved(index, {k: place + k for k in range(term.index.tensor.rank)}, dropped=False)
                case Point():
                    found |= self.paths(term.index)
                case Slice():
                    found |= ANY if self.paths(term.begin) else NOTHING
                case Along():
                    found |= ANY if self.paths(term.domain) else NOTHING
                case Whole():
                    pass
            place += 0 if isinstance(term, Point | Lanes) else 1
        return frozenset(found) | self._union([v for v in (op.valid, op.fill) if v is not None])


def _used(op: Op) -> list[Value]:
    """Operands of an op and of everything inside it."""
    inner = [v for region in regions(op) for nested in region.ops for v in _used(nested)]
    return [*operands(op), *inner]


def _moved(paths: Paths, places: dict[int, int], dropped: bool) -> Paths:
    """Paths after the axes of a value have moved; an axis without a place is combined (`dropped`) or mixes."""
    found: set[Path | str] = set()
    for path in paths:
        if isinstance(path, str):
            found.add(path)
        elif all(axis is None or axis in places for axis in path) or dropped:
            found.add(tuple(None if axis is None else places.get(axis) for axis in path))
        else:
            found.add(MIXED)
    return frozenset(found)
