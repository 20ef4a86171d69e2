"""Two readings of the language agree on ops that the random kernels do not make, alone and at every point of a loop."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from intent2cuda import interpret
from intent2cuda.base.intexpr import IntExpr
from intent2cuda.ir.builder import Builder
from intent2cuda.ir.ops import ArgReduce, Contract, Join
from intent2cuda.ir.value import Value
from intent2cuda.types.dtype import I32, I64, INDEX
from intent2cuda.types.value_type import Access, TensorType

from .naive import Naive

Body = Callable[[Builder, Value, Value, Value], Value]
"""From a row of x, the whole of w and a coordinate to a vector of the row's extent or another one."""


def product_with_shared_matrix(b: Builder, row: Value, w: Value, i: Value) -> Value:
    return b.contract(row, w, ((0, 1),))


def product_of_shared_matrix(b: Builder, row: Value, w: Value, i: Value) -> Value:
    return b.contract(w, row, ((1, 0),))


def product_with_a_free_axis_on_both_sides(b: Builder, row: Value, w: Value, i: Value) -> Value:
    k, n = w.tensor.shape
    scaled = b.pointwise("mul", w, b.broadcast(row, (None, 0), (k, n)))
    result = b.fresh(TensorType(I64, (k, k)))
    b.emit(Contract(scaled, w, ((1, 1),), (), result))
    return b.gather(result, None, b.constant(0))


def batched_product(b: Builder, row: Value, w: Value, i: Value) -> Value:
    k, n = w.tensor.shape
    rows = b.broadcast(row, (None, 0), (k, n))
    result = b.fresh(TensorType(I64, (k,)))
    return b.emit(Contract(rows, w, ((1, 1),), ((0, 0),), result)).result


def transposed_and_reshaped(b: Builder, row: Value, w: Value, i: Value) -> Value:
    k, n = w.tensor.shape
    both = b.pointwise("add", w, b.broadcast(row, (None, 0), (k, n)))
    flat = b.reshape(b.transpose(both, (1, 0)), (k * n,))
    return b.gather(flat, b.domain(0, b.dim(k)))


def joined(b: Builder, row: Value, w: Value, i: Value) -> Value:
    point = b.broadcast(b.cast(i, I32), (None,), row.tensor.shape)
    pair = b.fresh(TensorType(I32, (*row.tensor.shape, IntExpr.of(2))))
    b.emit(Join(point, row, pair))
    return b.gather(b.reshape(pair, (row.tensor.shape[0] * 2,)), b.domain(0, b.dim("N")))


def greatest(b: Builder, row: Value, w: Value, i: Value) -> Value:
    k, n = w.tensor.shape
    both = b.pointwise("bit_xor", w, b.broadcast(row, (None, 0), (k, n)))
    results = b.fresh(TensorType(I32, (k,))), b.fresh(TensorType(INDEX, (k,)))
    b.emit(ArgReduce(both, 1, results))
    return b.pointwise("add", b.cast(results[0], I64), b.cast(results[1], I64))


def shifted_coordinates(b: Builder, row: Value, w: Value, i: Value) -> Value:
    members = b.indices(b.domain(i, b.dim(i.as_symbol + IntExpr.symbol("N") * 3), 3))
    return b.pointwise("mul", members, b.cast(row, INDEX))


BODIES = [
    product_with_shared_matrix,
    product_of_shared_matrix,
    product_with_a_free_axis_on_both_sides,
    batched_product,
    transposed_and_reshaped,
    joined,
    greatest,
    shifted_coordinates,
]


def built(body: Body, in_parallel: bool) -> Builder:
    b = Builder("kernel")
    x, w = b.view("x", I32, ("M", "N")), b.view("w", I32, ("K", "N"))
    outputs: list[Value] = []

    def point(i: Value) -> None:
        value = body(b, b.load(x, i, None), b.load(w, None, None), i)
        outputs.append(b.view("y", value.tensor.dtype, (x.resource.shape[0], *value.tensor.shape), Access.INOUT))
        b.store(outputs[0], (i, None), value)

    if in_parallel:
        with b.parallel(b.domain(0, b.dim("M"))) as (i,):
            point(i)
    else:
        point(b.dim(IntExpr.symbol("M") - 1))
    return b


@pytest.mark.parametrize("extents", [(1, 1, 1), (3, 4, 2), (2, 5, 6)])
@pytest.mark.parametrize("in_parallel", [False, True])
@pytest.mark.parametrize("body", BODIES, ids=lambda body: body.__name__)
def test_both_readings_agree(body: Body, in_parallel: bool, extents: tuple[int, int, int]) -> None:
    kernel = built(body, in_parallel).finish()
    m, n, k = extents
    rng = np.random.default_rng(0)
    y = next(p for p in kernel.parameters if p.name == "y")
    width = {"N": n, "K": k}[str(y.resource.shape[1])]

    def arguments() -> dict[str, Any]:
        dtype = {"i32": np.int32, "i64": np.int64, "index": np.int64}[y.resource.dtype.name]
        return {"x": x, "w": w, "y": np.full((m, width), -1, dtype)}

    x, w = rng.integers(-99, 99, (m, n)).astype(np.int32), rng.integers(-99, 99, (k, n)).astype(np.int32)
    wanted, actual = arguments(), arguments()
    Naive(kernel, wanted, random.Random(0)).run()
    interpret.run(kernel, actual, checked=True)
    np.testing.assert_array_equal(actual["y"], wanted["y"])
