"""The arithmetic of operations, as the kernel states it: classes of work, and how often each is done.

A reduction or scan of n members is n combinations. A region operation is counted over its whole axis as one segment.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from intent2cuda.analysis.composition import under
from intent2cuda.analysis.expressions import Condition, coordinate
from intent2cuda.analysis.limits import axis_symbol
from intent2cuda.base.intexpr import IntExpr
from intent2cuda.ir.op import Op
from intent2cuda.ir.ops import (
    ArgReduce,
    AtomicLoad,
    AtomicStore,
    AtomicUpdate,
    Cast,
    Combiner,
    CompareExchange,
    Contract,
    Histogram,
    Inspect,
    Philox,
    Pointwise,
    Quantize,
    QuantizedDot,
    Reduce,
    ScaledContract,
    Scan,
    ScatterReduce,
    SparseContract,
)
from intent2cuda.ir.value import Value
from intent2cuda.plan.activity import Activity, conjunction
from intent2cuda.plan.axes import free_axes
from intent2cuda.plan.counting import Counting
from intent2cuda.plan.effects import subject
from intent2cuda.plan.quantity import Quantity
from intent2cuda.types.dtype import F32, DType
from intent2cuda.types.scalar_fn import SCALAR_FNS, Work
from intent2cuda.types.value_type import Shape

COMBINES = {
    Combiner.ADD: "add", Combiner.MAXIMUM: "cmp", Combiner.MINIMUM: "cmp", Combiner.ANY: "int", Combiner.ALL: "int",
}  # fmt: skip

ENCODING = ("cmp", "mul", "add", "cvt")
"""What quantising takes for each number: its record's greatest, the scaling, the sums of groups, the rounding."""


@dataclass(frozen=True)
class Arithmetic:
    """`kind` of arithmetic on `dtype`, once for each element of a shape that matters."""

    kind: str
    dtype: DType
    shape: Shape
    active: Condition | None = None


class Counts:
    """The work of the ops of a kernel."""

    def __init__(self, counting: Counting, activity: Activity) -> None:
        self._counting = counting
        self._activity = activity

    def of(self, op: Op) -> Iterator[tuple[str, str, Quantity]]:
        """(class, dtype, how often) of what an op does itself, without its regions."""
        place = self._counting.places.of[op]
        for each in self.works(op):
            yield each.kind, each.dtype.name, self._counting.count(place, each.shape, each.active)

    def works(self, op: Op) -> Iterator[Arithmetic]:
        """What an op does each time that it runs."""
        match op:
            case Pointwise():
                yield self._each(SCALAR_FNS[op.fn].work.value, op.args[-1].tensor.dtype, op.result)
            case Inspect():
                yield self._each(Work.COMPARE.value, op.result.tensor.dtype, op.result)
            case Cast():
                yield self._each("cvt", op.result.tensor.dtype, op.result)
            case Philox():
                yield self._each("rng", op.result.tensor.dtype, op.result)
            case Reduce() | Scan():
                source = op.source.tensor
                yield Arithmetic(COMBINES[op.combiner], source.dtype, source.shape, self._activity.members(op))
            case ArgReduce():
                yield Arithmetic("cmp", op.source.tensor.dtype, op.source.tensor.shape)
            case Histogram():
                yield self._each("add", op.result.tensor.dtype, op.values)
            case Contract():
                yield self._product(op)
            case ScaledContract():
                yield from _scaled(op)
            case SparseContract():
                taken = [pair[1] for pair in (*op.reduce, *op.batch)]
                free = tuple(e for axis, e in enumerate(op.rhs.tensor.shape) if axis not in taken)
                yield Arithmetic("fma", op.result.tensor.dtype, (*op.compressed.tensor.shape, *free))
            case Quantize():
                yield from (Arithmetic(kind, F32, op.source.tensor.shape) for kind in ENCODING)
                yield Arithmetic("div", F32, op.source.tensor.shape[:-1])
            case QuantizedDot():
                yield Arithmetic("fma", F32, (*op.lhs.tensor.shape[:-1], IntExpr.of(RECORD)))
            case AtomicLoad() | AtomicStore() | AtomicUpdate() | CompareExchange():
                yield Arithmetic("atomic", op.resource.resource.dtype, subject(op).tensor.shape)
            case ScatterReduce():
                yield Arithmetic(COMBINES[op.combiner], op.resource.resource.dtype, op.value.tensor.shape)
            case _:
                pass

    def _each(self, kind: str, dtype: DType, value: Value) -> Arithmetic:
        return Arithmetic(kind, dtype, value.tensor.shape, self._activity.needed(value))

    def _product(self, op: Contract) -> Arithmetic:
        """A multiply-add for each element of the result that matters and each pair of factors that may not be 0."""
        left, right = free_axes(op)
        rank = len(left) + len(right)
        lhs = {axis: position for position, axis in enumerate(left)}
        rhs = {axis: len(left) + position for position, axis in enumerate(right)}
        rhs |= {pair[1]: lhs[pair[0]] for pair in op.batch}
        for number, (left_axis, right_axis) in enumerate(op.reduce):
            lhs[left_axis] = rhs[right_axis] = rank + number
        active = self._activity.needed(op.result)
        for factor, axes in zip(self._activity.factors(op), (lhs, rhs), strict=True):
            if factor is not None:
                moved = {axis_symbol(axis): coordinate(position) for axis, position in axes.items()}
                active = conjunction(active, under(factor, moved))
        depth = (op.lhs.tensor.shape[pair[0]] for pair in op.reduce)
        return Arithmetic("fma", op.result.tensor.dtype, (*op.result.tensor.shape, *depth), active)


RECORD = 256
"""Numbers in a quantised record."""


def _scaled(op: ScaledContract) -> Iterator[Arithmetic]:
    """Members are decoded and scaled before they are multiplied."""
    dtype = op.result.tensor.dtype
    rows, columns = op.result.tensor.shape
    members = op.lhs.tensor.shape[1] * op.group_size
    for free in (rows, columns):
        yield from (Arithmetic(kind, dtype, (free, members)) for kind in ("cvt", "mul"))
    yield Arithmetic("fma", dtype, (rows, columns, members))
