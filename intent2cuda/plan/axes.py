"""Which axes of which values are one: the classes of axes that operations tie together, and the worksets they
connect.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import TypeAlias

from intent2cuda.base.intexpr import IntExpr
from intent2cuda.ir.kernel import Kernel, walk
from intent2cuda.ir.op import Op, Region, results
from intent2cuda.ir.ops import (
    ArgReduce,
    AtomicLoad,
    AtomicStore,
    AtomicUpdate,
    Bitcast,
    Broadcast,
    Cast,
    CompareExchange,
    Contract,
    For,
    Gather,
    If,
    Inspect,
    Join,
    Load,
    Philox,
    Pointwise,
    Reduce,
    Reshape,
    ScatterReduce,
    Store,
    Transpose,
    While,
    Yield,
)
from intent2cuda.ir.terms import Along, Lanes, Term, Whole
from intent2cuda.ir.value import Value
from intent2cuda.plan.effects import subject, written
from intent2cuda.plan.structured_axes import structured_ties
from intent2cuda.types.value_type import Shape, TensorType

AxisOf: TypeAlias = tuple[Value, int]


class AxisClasses:
    """Axes of tensor values in classes: two axes of one class have the same coordinate wherever the ops in between
    are element-wise.

    A class is a number; numbers follow the order of the text, so they do not depend on anything but the kernel.
    """

    def __init__(self, kernel: Kernel) -> None:
        self._parent: list[int] = []
        self._number: dict[tuple[int, int], int] = {}
        self._every: dict[int, tuple[int, ...]] = {}
        for op in walk(kernel.body):
            for value in results(op):
                self._add(value)
            for one, other in ties(op):
                self._unite(self._index(one), self._index(other))

    def of(self, value: Value, axis: int) -> int:
        return self._find(self._index((value, axis)))

    def every(self, value: Value) -> tuple[int, ...]:
        """The class of each axis of a tensor value."""
        if not isinstance(value.type, TensorType):
            return ()
        if value.serial not in self._every:
            self._every[value.serial] = tuple(self.of(value, axis) for axis in range(value.type.rank))
        return self._every[value.serial]

    def _add(self, value: Value) -> None:
        if isinstance(value.type, TensorType):
            for axis in range(value.type.rank):
                self._index((value, axis))

    def _index(self, axis_of: AxisOf) -> int:
        key = (axis_of[0].serial, axis_of[1])
        if key not in self._number:
            self._number[key] = len(self._parent)
            self._parent.append(len(self._parent))
        return self._number[key]

    def _find(self, index: int) -> int:
        while self._parent[index] != index:
            self._parent[index] = self._parent[self._parent[index]]
            index = self._parent[index]
        return index

    def _unite(self, one: int, other: int) -> None:
        first, second = sorted((self._find(one), self._find(other)))
        self._parent[second] = first


def ties(op: Op) -> Iterator[tuple[AxisOf, AxisOf]]:
    """Pairs of axes whose coordinates are equal in every element that the op computes or stores."""
    match op:
        case Pointwise():
            for arg in op.args:
                yield from _alike(arg, op.result)
        case Cast() | Bitcast():
            yield from _alike(op.source, op.result)
        case Inspect():
            for value in (op.holds, *(number for number in op.numbers if number.tensor.shape)):
                yield from _alike(value, op.result)
        case Philox():
            yield from _alike(op.counter, op.result)
        case Broadcast():
            for axis, source in enumerate(op.axes):
                if source is not None and keeps_extent(op, axis):
                    yield (op.source, source), (op.result, axis)
        case Reshape():
            for source, axis in preserved_axes(op.source.tensor.shape, op.result.tensor.shape):
                yield (op.source, source), (op.result, axis)
        case Transpose():
            for axis, source in enumerate(op.permutation):
                yield (op.source, source), (op.result, axis)
        case Join():
            yield from _alike(op.lhs, op.rhs)
            for axis in range(op.lhs.tensor.rank):
                yield (op.lhs, axis), (op.result, axis)
        case Reduce():
            yield from _reduced(op.source, op.axes, op.result)
        case ArgReduce():
            for result in op.results:
                yield from _reduced(op.source, (op.axis,), result)
        case Contract():
            yield from _contracted(op)
        case Load():
            yield from _selected(op.terms, op.result, (op.valid, op.fill))
        case Gather():
            yield from _selected(op.terms, op.result, (op.valid, op.fill))
            yield from _gathered_whole(op)
        case Store() | AtomicLoad() | AtomicStore() | AtomicUpdate() | CompareExchange() | ScatterReduce():
            over = subject(op)
            yield from _selected(op.terms, over, (*written(op), *results(op)))
        case For():
            yield from _carried(op.initial, op.body, op.results, 1)
        case While():
            yield from _carried(op.initial, op.body, op.results, 0)
            for initial, argument in zip(op.initial, op.test.args, strict=True):
                yield from _alike(initial, argument)
        case If():
            for body in (op.then_body, op.else_body):
                for value, result in zip(yielded(body).values, op.results, strict=True):
                    yield from _alike(value, result)
        case _:
            yield from structured_ties(op)


def yielded(region: Region) -> Yield:
    """The op that ends a region; a region without one yields nothing."""
    last = region.ops[-1] if region.ops else None
    return last if isinstance(last, Yield) else Yield(())


def keeps_extent(op: Broadcast, axis: int) -> bool:
    """Whether a result axis of a broadcast runs along its source axis for every extent (no stretching of size one)."""
    source = op.axes[axis]
    return (
        source is not None
        and source not in op.guarded
        and op.source.tensor.shape[source] == op.result.tensor.shape[axis]
    )


def preserved_axes(source: Shape, result: Shape) -> tuple[tuple[int, int], ...]:
    """Pairs (source axis, result axis) of a reshape whose coordinates are always equal: same extent, same stride."""
    pairs: list[tuple[int, int]] = []
    for first, extent in enumerate(source):
        inner = prod(source[first + 1 :], start=IntExpr.of(1))
        for second, other in enumerate(result):
            same = extent == other and inner == prod(result[second + 1 :], start=IntExpr.of(1))
            if same and extent.constant != 1:
                pairs.append((first, second))
    return tuple(pairs)


def selection_axes(terms: tuple[Term, ...]) -> tuple[tuple[int, ...], ...]:
    """For each term the result axes that it gives; all lane terms share the axes of their common shape."""
    found: list[tuple[int, ...]] = []
    position, lanes = 0, None
    for term in terms:
        if isinstance(term, Lanes):
            if lanes is None:
                lanes = tuple(range(position, position + term.index.tensor.rank))
                position += len(lanes)
            found.append(lanes)
        elif gives_axis(term):
            found.append((position,))
            position += 1
        else:
            found.append(())
    return tuple(found)


def gives_axis(term: Term) -> bool:
    return not hasattr(term, "index")


def reads_whole(term: Term, extent: IntExpr) -> bool:
    """Whether a term selects every position of an axis in order."""
    if isinstance(term, Whole):
        return True
    if isinstance(term, Along):
        domain = term.domain.domain
        return domain.begin.constant == 0 and domain.step.constant == 1 and domain.extent == extent
    return False


def _alike(one: Value, other: Value) -> Iterator[tuple[AxisOf, AxisOf]]:
    if isinstance(one.type, TensorType):
        for axis in range(min(one.tensor.rank, other.tensor.rank)):
            yield (one, axis), (other, axis)


def _reduced(source: Value, axes: tuple[int, ...], result: Value) -> Iterator[tuple[AxisOf, AxisOf]]:
    kept = [axis for axis in range(source.tensor.rank) if axis not in axes]
    for position, axis in enumerate(kept):
        yield (source, axis), (result, position)


def _contracted(op: Contract) -> Iterator[tuple[AxisOf, AxisOf]]:
    for left, right in (*op.reduce, *op.batch):
        yield (op.lhs, left), (op.rhs, right)
    left_axes, right_axes = free_axes(op)
    for position, axis in enumerate(left_axes):
        yield (op.lhs, axis), (op.result, position)
    for position, axis in enumerate(right_axes):
        yield (op.rhs, axis), (op.result, len(left_axes) + position)


def free_axes(op: Contract) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The axes of both operands that the result has, in its order: batch axes come with the left operand."""
    left = tuple(a for a in range(op.lhs.tensor.rank) if a not in [pair[0] for pair in op.reduce])
    right = tuple(a for a in range(op.rhs.tensor.rank) if a not in [pair[1] for pair in (*op.reduce, *op.batch)])
    return left, right


def _selected(
    terms: tuple[Term, ...], whole: Value, alike: tuple[Value | None, ...]
) -> Iterator[tuple[AxisOf, AxisOf]]:
    for other in alike:
        if other is not None:
            yield from _alike(other, whole)
    for term, axes in zip(terms, selection_axes(terms), strict=True):
        if isinstance(term, Lanes):
            for position, axis in enumerate(axes):
                if axis < whole.tensor.rank:
                    yield (term.index, position), (whole, axis)


def _gathered_whole(op: Gather) -> Iterator[tuple[AxisOf, AxisOf]]:
    for source, (term, axes) in enumerate(zip(op.terms, selection_axes(op.terms), strict=True)):
        if axes and reads_whole(term, op.source.tensor.shape[source]):
            yield (op.source, source), (op.result, axes[0])


def _carried(
    initial: tuple[Value, ...], body: Region, final: tuple[Value, ...], first: int
) -> Iterator[tuple[AxisOf, AxisOf]]:
    following = yielded(body).values
    for start, argument, after, result in zip(initial, body.args[first:], following, final, strict=True):
        yield from _alike(start, argument)
        yield from _alike(after, argument)
        yield from _alike(argument, result)
