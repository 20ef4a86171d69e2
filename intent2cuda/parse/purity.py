"""What keeps the body of a helper from being pure: accesses of memory, promises about it, and random numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from intent2cuda.ir.kernel import walk
from intent2cuda.ir.op import Op, Region
from intent2cuda.ir.ops import (
    Allocate,
    AssumeInBounds,
    AtomicLoad,
    AtomicStore,
    AtomicUpdate,
    CompareExchange,
    Load,
    Philox,
    ScatterReduce,
    Store,
)
from intent2cuda.ir.value import Value
from intent2cuda.parse.describe import described


def impurities(ops: Sequence[Op]) -> Iterator[tuple[Op, str]]:
    """The first op to touch each view and buffer, and the first to draw numbers, with what completes "it ..."."""
    seen: set[Value | None] = set()
    for op in walk(Region((), tuple(ops))):
        found = _impurity(op)
        if found is not None and found[0] not in seen:
            seen.add(found[0])
            yield op, found[1]


def _impurity(op: Op) -> tuple[Value | None, str] | None:
    match op:
        case Load(resource=resource):
            return resource, f"reads {described(resource)}"
        case Store(resource=resource):
            return resource, f"stores into {described(resource)}"
        case Allocate(result=buffer):
            return buffer, f"makes {described(buffer)}"
        case AtomicLoad() | AtomicStore() | AtomicUpdate() | CompareExchange():
            return op.resource, f"has an atomic access of {described(op.resource)}"
        case ScatterReduce(resource=resource):
            return resource, f"adds into {described(resource)} with I.scatter_reduce"
        case AssumeInBounds(resource=resource):
            return resource, f"promises something about {described(resource)}"
        case Philox():
            return None, "draws random numbers"
        case _:
            return None
