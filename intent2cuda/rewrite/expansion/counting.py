"""A histogram as counters in a buffer to which every value adds one."""

from __future__ import annotations

from intent2cuda.ir import infer
from intent2cuda.ir.builder import Builder
from intent2cuda.ir.ops import Allocate, Combiner, Histogram, ScatterReduce
from intent2cuda.ir.terms import Lanes, Point
from intent2cuda.ir.value import Value
from intent2cuda.rewrite.expansion.elements import whole
from intent2cuda.types.dtype import U32
from intent2cuda.types.value_type import BufferType


def histogram(builder: Builder, op: Histogram) -> tuple[Value, ...]:
    """Where a value is not valid nothing is added to the first counter: its place is never formed from it.

    Counters have at least 32 bits, which every machine can add to in one step; narrower counts are what is left of
    them.
    """
    counts = op.result.tensor
    dtype = counts.dtype if counts.dtype.bits >= 32 else U32
    counters = builder.fresh(BufferType(dtype, counts.shape), op.result.name)
    builder.emit(Allocate(counters, builder.constant(0, dtype)))
    values, valid = _in_a_line(builder, op.values), op.valid and _in_a_line(builder, op.valid)
    shape = values.tensor.shape
    one = _everywhere(builder, builder.constant(1, dtype), values)
    if valid is not None:
        nothing = _everywhere(builder, builder.constant(0, dtype), values)
        first = _everywhere(builder, builder.constant(0, values.tensor.dtype), values)
        one = builder.pointwise("select", valid, one, nothing)
        values = builder.pointwise("select", valid, values, first)
    term = Lanes(values) if shape else Point(values)
    builder.emit(ScatterReduce(Combiner.ADD, counters, (term,), one))
    counted = whole(builder, counters)
    return (counted if dtype == counts.dtype else builder.cast(counted, counts.dtype),)


def _in_a_line(builder: Builder, value: Value) -> Value:
    shape = value.tensor.shape
    return builder.reshape(value, (infer.count(shape),)) if len(shape) > 1 else value


def _everywhere(builder: Builder, scalar: Value, like: Value) -> Value:
    shape = like.tensor.shape
    return builder.broadcast(scalar, (None,) * len(shape), shape) if shape else scalar
