"""Reads, stores and atomic accesses with the inspections that they need."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial, reduce
from typing import TypeAlias

from intent2cuda.analysis.composition import first_axes
from intent2cuda.analysis.unproved import Unproved
from intent2cuda.base.intexpr import IntExpr
from intent2cuda.ir.builder import Builder
from intent2cuda.ir.kernel import Kernel
from intent2cuda.ir.op import Op, results
from intent2cuda.ir.ops import AtomicStore, Combiner, Gather, Load, Order, Parallel, Rule, Store
from intent2cuda.ir.terms import Lanes, Whole
from intent2cuda.ir.value import Value
from intent2cuda.rewrite.checking import meetings, presence, updates
from intent2cuda.rewrite.checking.elements import both, everywhere
from intent2cuda.rewrite.checking.positions import (
    Place,
    asked_of,
    inspect,
    inspected,
    like,
    of_span,
    outside,
    unless_empty,
)
from intent2cuda.rewrite.checking.spans import Spans
from intent2cuda.rewrite.selection import composed_parts
from intent2cuda.types.dtype import I32
from intent2cuda.types.value_type import Shape

Access: TypeAlias = Load | Gather | Store | updates.Atomic


class Accesses:
    """`marks`: by resource and loop whose points may meet in it. `points`: the number of the point of such a loop.
    `flags`: by resource whether its elements have been written. Resources go by their serials.

    `settled`: ops that are reached only where their positions are known to be inside, and loops that are only run
    where what can be said of all their points at once holds. `kept`: of the region under way,
    the scalar inspections that have been asked.

    Each method takes an op of the kernel and its copy.
    """

    def __init__(self, kernel: Kernel, builder: Builder, found: Unproved) -> None:
        self._builder = builder
        self._open = found
        self._parts = composed_parts(kernel)
        self._spans = Spans(kernel, found)
        self.settled: set[Op] = set()
        self.kept: list[Value] = []
        self.marks: dict[tuple[int, Parallel], Value] = {}
        self.points: dict[Parallel, Value] = {}
        self.flags: dict[int, Value] = {}

    @contextmanager
    def apart(self) -> Generator[None]:
        """For the ops of a region of their own: what is kept there is not seen from outside."""
        outside, self.kept = self.kept, []
        yield
        self.kept = outside

    def at_once(self, op: Access) -> bool:
        """Whether one question is asked for many elements: of a range, or of a position that they all have."""
        asked = (op.terms[axis] for axis in self._open.axes.get(op, ()))
        return bool(self._place(op, op).shape) and any(not isinstance(term, Lanes) for term in asked)

    def all_inside(self, op: Op, copied: Access) -> Value:
        """Whether all positions of an op are inside, a scalar."""
        asked = asked_of(self._builder, self._place(op, copied), self._open.axes[op])
        whole = [
            self._builder.reduce(Combiner.ALL, kept, range(kept.tensor.rank)) for kept in asked if kept.tensor.rank
        ]
        return reduce(partial(both, self._builder), [*(kept for kept in asked if not kept.tensor.rank), *whole])

    def all_points_inside(self, loop: Parallel, expression: Callable[[IntExpr], IntExpr]) -> Value | None:
        """Whether all points of a loop go inside, where that can be said of all at once: a scalar. `expression` gives
        an expression of the kernel over the values of the copy.
        """
        builder, asked = self._builder, list[Value]()
        axes: dict[Op, set[int]] = defaultdict(set)
        for span in self._spans.of_loop(loop):
            builder.place = span.access
            resource = span.access.resource
            name = _axes(resource.name, resource.resource.shape)[span.axis]
            extents = (resource.resource.shape[span.axis], span.begin, span.count, span.step)
            holds, numbers = of_span(builder, *map(expression, extents))
            holds = unless_empty(builder, expression(span.times), holds)
            asked.append(inspect(builder, Rule.BOUNDS, holds, numbers, outside(name)))
            axes[span.access].add(span.axis)
        self.settled |= {loop, *(op for op, known in axes.items() if known.issuperset(self._open.axes[op]))}
        return reduce(partial(both, builder), asked) if asked else None

    def read(self, op: Op, copied: Load | Gather) -> None:
        builder, place = self._builder, self._place(op, copied)
        mask = self._inside(op, place, copied.valid)
        if isinstance(copied, Load) and op in self._open.reads:
            mask = presence.present(builder, self.flags[copied.resource.serial], place, mask)
        fill = copied.fill
        if mask is not None and fill is None:
            fill = like(builder, updates.zero(builder, copied.result.tensor.dtype), copied.result)
        builder.emit(replace(copied, valid=mask, fill=fill))

    def store(self, op: Op, copied: Store) -> None:
        place = self._place(op, copied)
        mask = self._inside(op, place, copied.valid)
        found = [each for each in self._open.meetings if op in (each.write.op, each.other.op)]
        if any(each.loop is None for each in found):
            mask = meetings.of_elements(self._builder, place, mask)
        for loop in dict.fromkeys(each.loop for each in found if each.loop is not None):
            marks = self.marks[copied.resource.serial, loop]
            mask = meetings.of_points(self._builder, place, mask, marks, self.points[loop])
        self._builder.emit(replace(copied, valid=mask))
        if (flags := self.flags.get(copied.resource.serial)) is not None:
            presence.wrote(self._builder, flags, place, mask)

    def update(self, op: Op, copied: updates.Atomic) -> tuple[Value, ...]:
        """Gives what takes the places of the results."""
        builder, place = self._builder, self._place(op, copied)
        mask = self._inside(op, place, None)
        flags = self.flags.get(copied.resource.serial)
        if flags is not None and op in self._open.reads:
            mask = presence.present(builder, flags, place, mask)
        made = results(copied)
        if mask is None:
            builder.emit(copied)
        else:
            made = updates.where(builder, copied, mask, place)
        if flags is not None and isinstance(copied, AtomicStore):
            flagged = AtomicStore(flags, copied.terms, everywhere(builder, 1, I32, place.shape), Order.RELAXED)
            if mask is None:
                builder.emit(flagged)
            else:
                updates.where(builder, flagged, mask, place)
        return made

    def _inside(self, op: Op, place: Place, valid: Value | None) -> Value | None:
        axes: Sequence[int] = () if op in self.settled else self._open.axes.get(op, ())
        if not axes:
            return valid
        mask = inspected(self._builder, replace(place, valid=valid), axes)
        if valid is None and not place.shape:
            self.kept.append(mask)
        return mask

    def _place(self, op: Op, copied: Access) -> Place:
        if not isinstance(copied, Gather):
            name, shape = copied.resource.name, copied.resource.resource.shape
            return Place(name, _axes(name, shape), shape, copied.terms)
        name, shape = copied.source.name or "the tensor", copied.source.tensor.shape
        part = self._parts.get(op.source) if isinstance(op, Gather) else None
        axes = _axes(name, shape) if part is None else _axes_of_whole(part)
        return Place(name, axes, shape, copied.terms)


def _axes(name: str, shape: Shape) -> tuple[str, ...]:
    return tuple(f"axis {axis} of {name or 'the tensor'}" for axis in range(len(shape)))


def _axes_of_whole(part: Load | Gather) -> tuple[str, ...]:
    """The axes of a part by those of what it is a part of, where it has them whole."""
    if isinstance(part, Load):
        outer = _axes(part.resource.name, part.resource.resource.shape)
    else:
        outer = _axes(part.source.name, part.source.tensor.shape)
    found = list(_axes(part.result.name, part.result.tensor.shape))
    for name, (term, axis) in zip(outer, first_axes(part.terms), strict=True):
        if isinstance(term, Whole):
            found[axis] = name
    return tuple(found)
