"""The classes of work of one executed op, and how often each was done: for what matters, and for everything."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import prod
from typing import Any

import numpy as np
from intent2cuda.ir import ops
from intent2cuda.ir.op import Op
from intent2cuda.ir.value import Value
from intent2cuda.plan.effects import subject
from intent2cuda.types.scalar_fn import SCALAR_FNS

from .masks import Mask, Scope

COMBINES = {"add": "add", "maximum": "cmp", "minimum": "cmp", "any": "int", "all": "int"}
Work = tuple[str, str, int, int]
"""(class, dtype, what matters, everything)."""


def works(op: Op, scope: Scope, array: Callable[[Value], Any]) -> Iterator[Work]:
    """What an op did itself."""

    def each(kind: str, dtype: Any, value: Value, mask: Mask | None) -> Work:
        size = array(value).size
        return kind, dtype.name, size if mask is None else _count(mask, array(value).shape), size

    match op:
        case ops.Pointwise():
            yield each(SCALAR_FNS[op.fn].work.value, op.args[-1].tensor.dtype, op.result, scope.need(op.result))
        case ops.Cast():
            yield each("cvt", op.result.tensor.dtype, op.result, scope.need(op.result))
        case ops.Philox():
            yield each("rng", op.result.tensor.dtype, op.result, scope.need(op.result))
        case ops.Reduce() | ops.Scan():
            yield each(COMBINES[op.combiner.value], op.source.tensor.dtype, op.source, scope.members(op))
        case ops.ArgReduce():
            yield each("cmp", op.source.tensor.dtype, op.source, None)
        case ops.Histogram():
            yield each("add", op.result.tensor.dtype, op.values, scope.masks[op][0])
        case ops.Contract():
            yield _product(op, scope, array)
        case ops.ScaledContract():
            groups, members = array(op.lhs).shape[1], op.group_size
            rows, columns = array(op.result).shape
            for kind in ("cvt", "mul"):
                count = (rows + columns) * groups * members
                yield kind, op.result.tensor.dtype.name, count, count
            count = rows * columns * groups * members
            yield "fma", op.result.tensor.dtype.name, count, count
        case ops.SparseContract():
            taken = [axis for _, axis in (*op.reduce, *op.batch)]
            free = [extent for axis, extent in enumerate(array(op.rhs).shape) if axis not in taken]
            count = array(op.compressed).size * prod(free)
            yield "fma", op.result.tensor.dtype.name, count, count
        case ops.Quantize():
            numbers = array(op.source).size
            yield from ((kind, "f32", numbers, numbers) for kind in ("cmp", "mul", "add", "cvt"))
            yield "div", "f32", numbers // 256, numbers // 256
        case ops.QuantizedDot():
            numbers = array(op.lhs).shape[0] * 256
            yield "fma", "f32", numbers, numbers
        case ops.AtomicLoad() | ops.AtomicStore() | ops.AtomicUpdate() | ops.CompareExchange():
            yield each("atomic", op.resource.resource.dtype, subject(op), None)
        case ops.ScatterReduce():
            yield each(COMBINES[op.combiner.value], op.resource.resource.dtype, op.value, None)
        case _:
            pass


def _count(mask: Mask, shape: tuple[int, ...]) -> int:
    return int(np.count_nonzero(np.broadcast_to(mask.where, shape)))


def _product(op: ops.Contract, scope: Scope, array: Callable[[Value], Any]) -> Work:
    """The pairs of factors for which the sum matters and neither is 0 by a mask."""

    def ones(value: Value, mask: Mask | None) -> Any:
        shape = array(value).shape
        return np.ones(shape, np.int64) if mask is None else np.broadcast_to(mask.where, shape).astype(np.int64)

    lhs, rhs = op.lhs.tensor.rank, op.rhs.tensor.rank
    left, right = list(range(lhs)), [lhs + axis for axis in range(rhs)]
    for one, other in (*op.reduce, *op.batch):
        right[other] = left[one]
    reduced = [left[one] for one, _ in op.reduce]
    taken = [left[one] for one, _ in op.batch]
    result = [a for a in left if a not in reduced] + [a for a in right if a not in (*reduced, *taken)]
    pieces: list[Any] = []
    for value, mask, axes in (
        (op.result, scope.need(op.result), result),
        (op.lhs, scope.masks[op][0], left),
        (op.rhs, scope.masks[op][1], right),
    ):
        pieces += (ones(value, mask), axes)
    whole = array(op.result).size * prod(array(op.lhs).shape[one] for one, _ in op.reduce)
    return "fma", op.result.tensor.dtype.name, int(np.einsum(*pieces, [])), whole
