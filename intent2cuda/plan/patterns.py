"""Facts about stages that levels and implementations depend on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import assert_never

from intent2cuda.base.intexpr import symbols
from intent2cuda.ir.kernel import Kernel, walk
from intent2cuda.ir.ops import For, Load, Pointwise, ScatterReduce
from intent2cuda.ir.terms import Along, Lanes, Point, Slice, Whole
from intent2cuda.ir.value import Value
from intent2cuda.plan.axes import selection_axes, yielded
from intent2cuda.plan.checks import known_at_call
from intent2cuda.plan.demand import Demand
from intent2cuda.plan.prefixes import prefixes
from intent2cuda.plan.roots import Root, reduction
from intent2cuda.plan.stage import (
    Access,
    Allocation,
    Axis,
    BoundAxis,
    Branch,
    Check,
    Effect,
    Fold,
    Keep,
    Let,
    Loop,
    Points,
    Prefixes,
    Product,
    Stage,
    Sync,
    rounds_of,
)
from intent2cuda.types.dtype import F32
from intent2cuda.types.scalar_fn import SCALAR_FNS, Work
from intent2cuda.types.value_type import ViewType

UNROLLED = 8
"""A loop of at most as many rounds, known in number, is unrolled by compilers: code with it counts as straight."""


def simple(body: Sequence[Stage]) -> bool:
    """Whether a loop body is straight-line element work: no branch or sweep inside, no loop but short ones."""
    return all(isinstance(stage, Effect | Let | Keep) or _is_short(stage) for stage in body)


def _is_short(stage: Stage) -> bool:
    if not isinstance(stage, Loop) or not isinstance(stage.op, For) or yielded(stage.op.body).stop is not None:
        return False
    rounds = stage.op.domain.domain.extent.constant
    in_locals = all(carry.buffer is None for carry in stage.carries)
    return rounds is not None and rounds <= UNROLLED and in_locals and simple(stage.body)


def inner_sweeps(body: Sequence[Stage]) -> Iterator[Stage]:
    """The loops over elements directly inside a body: unordered nests, reductions, products."""
    for stage in body:
        match stage:
            case Points() | Fold() | Product():
                yield stage
            case Loop():
                yield from inner_sweeps((*stage.start, *stage.test, *stage.body))
            case Branch():
                yield from inner_sweeps((*stage.then_body, *stage.else_body))
            case Let() | Effect() | Access() | Keep() | Allocation() | Sync() | Check():
                pass
            case _:
                assert_never(stage)


class Patterns:
    def __init__(self, kernel: Kernel, demand: Demand) -> None:
        self.kernel = kernel
        self.demand = demand
        self.loaded = {op.resource for op in walk(kernel.body) if isinstance(op, Load)}

    def is_known_at_call(self, bound: BoundAxis) -> bool:
        """Whether a loop has its bounds before the kernel runs."""
        axis = bound.axis
        return all(known_at_call(self.kernel, part) for part in (axis.begin, axis.extent, axis.step))

    def roots(self, stage: Fold) -> Iterator[Root]:
        yield reduction(stage.ops, self.demand.classes)

    def transcendental(self, stage: Fold) -> bool:
        """Whether an element of the reduced value takes a transcendental function."""
        producers = [self.demand.producers.get(v) for root in self.roots(stage) for v in self.demand.seen(root).values]
        return any(isinstance(op, Pointwise) and SCALAR_FNS[op.fn].work is Work.TRANSCENDENTAL for op in producers)

    def picks_rows(self, stage: Fold) -> bool:
        """Whether each member reads a row of a matrix whose number stands in a line of memory."""
        return any(self._picks_row(read) for root in self.roots(stage) for read in self.demand.seen(root).values)

    def _picks_row(self, value: Value) -> bool:
        match self.demand.producers.get(value):
            case Load(terms=(Lanes(index=index), Whole() | Slice() | Along()), resource=matrix):
                numbers = self.demand.producers.get(index)
                in_line = isinstance(numbers, Load) and isinstance(numbers.terms[-1], Whole | Slice | Along)
                return in_line and isinstance(matrix.type, ViewType)
            case _:
                return False

    def side_by_side(self, stage: Points, sweep: Stage) -> bool:
        """Whether a reduction inside a loop reads memory that is contiguous along the loop's last axis, not along its
        own.
        """
        if not isinstance(sweep, Fold) or sweep.over:
            return False
        last = stage.axes[-1].axis
        point = last.point.as_symbol.as_symbol if last.point else None
        votes = 0
        for root in self.roots(sweep):
            axes = (*sweep.at, *sweep.axes)
            for access in self.demand.seen(root).accesses:
                moving = [
                    axis for axis, position in access.points if point is not None and point in set(symbols(position))
                ]
                weight = len(access.ties) + len(moving)
                along = axes[access.last_token] if access.last_token is not None else None
                if along is last or access.rank - 1 in moving:
                    votes += weight
                elif along in sweep.axes:
                    votes -= weight
        return votes > 0

    def contiguous_store(self, stage: Points, axis: Axis) -> bool:
        """Whether the one store of a body runs along the last axis of its memory with step 1, from its first element
        on.
        """
        effect = stage.body[0]
        return axis.begin.constant == 0 and isinstance(effect, Effect) and _runs_along(effect, axis)

    def stores_inside(self, stage: Points, axis: Axis) -> bool:
        """Whether the body is one store, maybe of named values, to a row of memory from behind its first element on."""
        *named, effect = stage.body
        if not isinstance(effect, Effect) or not all(isinstance(each, Let) for each in named):
            return False
        return axis.begin.constant not in (None, 0) and _runs_along(effect, axis)

    def column_scan(self, stage: Points) -> tuple[Loop, Prefixes] | None:
        """The loop of a body that scans along rows of memory which run along the last axis of the loops around."""
        last = stage.axes[-1].axis
        if len(stage.body) != 1 or last.begin.constant != 0 or last.step.constant != 1:
            return None
        loop = stage.body[0]
        found = prefixes(loop, self.demand) if isinstance(loop, Loop) else None
        if not isinstance(loop, Loop) or found is None:
            return None
        effect = loop.body[-1]
        return (loop, found) if isinstance(effect, Effect) and _runs_along(effect, last) else None

    def scatters(self, stage: Points) -> bool:
        """Whether a body is one addition to a row of memory that the first loop's data choose, along the other loop."""
        access, first = stage.body[0], stage.axes[0].axis
        if len(stage.body) > 1 or len(stage.axes) > 2 or first.begin.constant != 0 or first.step.constant != 1:
            return False
        if not isinstance(access, Access) or not isinstance(access.op, ScatterReduce):
            return False
        place, *along = access.op.terms
        if len(along) != len(stage.axes) - 1 or not all(isinstance(term, Whole) for term in along):
            return False
        if isinstance(place, Lanes):
            return place.index.tensor.rank == 1 and access.at == tuple(bound.axis for bound in stage.axes)
        return isinstance(place, Point) and first.point is not None

    def streams(self, stage: Points) -> bool:
        """Whether the kernel never reads what the one store of a body writes, and its elements are f32."""
        return self._is_streamed(stage.body[0])

    def streams_prefixes(self, stage: Loop) -> bool:
        """The same of a loop that stores a prefix each round, along the last axis of memory from its first element."""
        if not isinstance(stage.op, For):
            return False
        axis, effect = rounds_of(stage.op), stage.body[-1]
        along = isinstance(effect, Effect) and axis.begin.constant == 0 and _runs_along(effect, axis)
        return along and self._is_streamed(effect)

    def _is_streamed(self, effect: Stage) -> bool:
        if not isinstance(effect, Effect):
            return False
        resource = effect.op.resource
        return resource not in self.loaded and resource.resource.dtype == F32 and isinstance(resource.type, ViewType)


def _runs_along(effect: Effect, axis: Axis) -> bool:
    if not effect.op.terms or effect.op.valid is not None:
        return False
    last = selection_axes(effect.op.terms)[-1]
    match effect.op.terms[-1]:
        case Whole() | Slice():
            return effect.at[last[0]] is axis
        case Along(domain=domain):
            return effect.at[last[0]] is axis and domain.domain.step.constant == 1
        case Point(index=index):
            return index is axis.point and axis.step.constant == 1
        case Lanes():
            return False
