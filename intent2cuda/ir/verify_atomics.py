"""Rules of atomic accesses and of scatters that combine."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from intent2cuda.ir import infer
from intent2cuda.ir.ops.atomic import (
    AtomicLoad,
    AtomicStore,
    AtomicUpdate,
    CompareExchange,
    Order,
    ScatterReduce,
    Update,
)
from intent2cuda.ir.ops.structured import Combiner
from intent2cuda.ir.verify_checks import Complaint, Equalities, check_result, check_terms, shown
from intent2cuda.types.dtype import BOOL, EIGHT_BIT_FLOATS, DType
from intent2cuda.types.value_type import Access, BufferType, ViewType

Atomic: TypeAlias = AtomicLoad | AtomicStore | AtomicUpdate | CompareExchange | ScatterReduce

BITWISE = (Update.AND, Update.OR, Update.XOR)
ARITHMETIC = (Update.ADD, Update.MAX, Update.MIN)


def atomic(op: Atomic, known: Equalities) -> Iterator[Complaint]:
    target = op.resource.type
    if not isinstance(target, ViewType | BufferType):
        yield "kir.op.type", f"an atomic access of {type(target).__name__}"
        return
    if isinstance(target, ViewType) and not isinstance(op, AtomicLoad):
        writable = (Access.INOUT, Access.OUT) if isinstance(op, ScatterReduce) else (Access.INOUT,)
        if target.access not in writable:
            yield "kir.view.write", f"{op.resource!r} is {target.access.value}"
    found = list(check_terms(target.shape, op.terms))
    yield from found
    if found:
        return
    shape = infer.selected_shape(target.shape, op.terms)
    match op:
        case AtomicLoad():
            yield from check_result(op.result, target.dtype, shape, known)
            values = ()
        case AtomicStore() | ScatterReduce():
            values = (op.value,)
        case AtomicUpdate():
            yield from check_result(op.result, target.dtype, shape, known)
            values = (op.value,)
        case CompareExchange():
            yield from check_result(op.results[0], target.dtype, shape, known)
            yield from check_result(op.results[1], BOOL, shape, known)
            values = (op.expected, op.desired)
    for value in values:
        if value.tensor.dtype != target.dtype:
            yield "kir.store.dtype", f"{value.tensor.dtype} into {target.dtype}"
        if not known.same_shape(value.tensor.shape, shape):
            yield "kir.store.shape", f"{shown(value.tensor.shape)} into {shown(shape)}"
    yield from _operation(op)


def _operation(op: Atomic) -> Iterator[Complaint]:
    if isinstance(op, ScatterReduce):
        if op.combiner is not Combiner.ADD:
            yield "kir.scatter.combine", f"a scatter by {op.combiner.value}"
        if not _has_arithmetic(op.value.tensor.dtype):
            yield "kir.scatter.dtype", f"a scatter of {op.value.tensor.dtype}"
        return
    if isinstance(op, AtomicLoad) and op.order not in (Order.RELAXED, Order.ACQUIRE):
        yield "kir.atomic.order", f"a load with {op.order.value}"
    if isinstance(op, AtomicStore) and op.order not in (Order.RELAXED, Order.RELEASE):
        yield "kir.atomic.order", f"a store with {op.order.value}"
    if isinstance(op, AtomicUpdate) and op.update in BITWISE and not op.value.tensor.dtype.is_integer:
        yield "kir.atomic.dtype", f"{op.update.value} of {op.value.tensor.dtype}"
    if isinstance(op, AtomicUpdate) and op.update in ARITHMETIC and not _has_arithmetic(op.value.tensor.dtype):
        yield "kir.atomic.dtype", f"{op.update.value} of {op.value.tensor.dtype}"


def _has_arithmetic(dtype: DType) -> bool:
    return not dtype.is_bool and dtype not in EIGHT_BIT_FLOATS
