"""The ops that change memory element by element: what they iterate over and what they give back."""

from __future__ import annotations

from typing import TypeAlias

from intent2cuda.ir.ops import AtomicLoad, AtomicStore, AtomicUpdate, CompareExchange, ScatterReduce, Store
from intent2cuda.ir.value import Value

Atomic: TypeAlias = AtomicLoad | AtomicStore | AtomicUpdate | CompareExchange | ScatterReduce
EffectOp: TypeAlias = Store | Atomic

ATOMICS = (AtomicLoad, AtomicStore, AtomicUpdate, CompareExchange, ScatterReduce)
EFFECTS = (Store, *ATOMICS)


def subject(op: EffectOp) -> Value:
    """The value over whose axes the op runs: what it writes, or for a load what it gives."""
    match op:
        case Store() | AtomicStore() | AtomicUpdate() | ScatterReduce():
            return op.value
        case CompareExchange():
            return op.expected
        case AtomicLoad():
            return op.result


def written(op: EffectOp) -> tuple[Value, ...]:
    """The values that the op takes beside its index terms, all of the subject's shape."""
    match op:
        case Store():
            return (op.value,) if op.valid is None else (op.value, op.valid)
        case AtomicStore() | AtomicUpdate() | ScatterReduce():
            return (op.value,)
        case CompareExchange():
            return (op.expected, op.desired)
        case AtomicLoad():
            return ()
