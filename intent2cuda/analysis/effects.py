"""What ops read and write: accesses of views and buffers, what these order, and which ops are pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from intent2cuda.ir.infer import selected_shape
from intent2cuda.ir.kernel import walk
from intent2cuda.ir.op import Op, Region, regions
from intent2cuda.ir.ops import (
    AssumeInBounds,
    AtomicLoad,
    AtomicStore,
    AtomicUpdate,
    CompareExchange,
    Load,
    Order,
    RequireEqual,
    ScatterReduce,
    Store,
    Yield,
)
from intent2cuda.ir.terms import Term
from intent2cuda.ir.value import Value
from intent2cuda.types.value_type import Shape, TensorType


class Mode(Enum):
    """An update reads an element and writes it."""

    READ = "read"
    WRITE = "write"
    UPDATE = "update"


@dataclass(frozen=True)
class Access:
    """One op's access to a view or buffer: one element for each coordinate of `shape` at which `valid` holds.

    `order` is None for a plain access. Accesses that are not plain may meet each other: each element of an atomic one,
    and of a scatter that combines, is indivisible.
    """

    op: Op
    mode: Mode
    resource: Value
    terms: tuple[Term, ...]
    valid: Value | None = None
    order: Order | None = None

    @property
    def shape(self) -> Shape:
        return selected_shape(self.extents, self.terms)

    @property
    def extents(self) -> Shape:
        """Those of the resource, or of the tensor that is read like one."""
        return (
            self.resource.tensor.shape if isinstance(self.resource.type, TensorType) else self.resource.resource.shape
        )

    @property
    def is_plain(self) -> bool:
        return self.order is None

    @property
    def reads(self) -> bool:
        return self.mode is not Mode.WRITE

    @property
    def writes(self) -> bool:
        return self.mode is not Mode.READ

    @property
    def acquires(self) -> bool:
        """Whether what another execution released is visible behind it."""
        return self.order in (Order.ACQUIRE, Order.ACQ_REL)

    @property
    def releases(self) -> bool:
        """Whether it publishes what stands before it."""
        return self.order in (Order.RELEASE, Order.ACQ_REL)


@dataclass(frozen=True)
class Effects:
    """The views and buffers that are read and written, each once, in program order.

    `orders`: whether other accesses of memory must keep their place before or behind the op.
    """

    reads: tuple[Value, ...]
    writes: tuple[Value, ...]
    orders: bool = False


def access(op: Op) -> Access | None:
    """The access that an op itself makes."""
    match op:
        case Load():
            return Access(op, Mode.READ, op.resource, op.terms, op.valid)
        case Store():
            return Access(op, Mode.WRITE, op.resource, op.terms, op.valid)
        case AtomicLoad():
            return Access(op, Mode.READ, op.resource, op.terms, order=op.order)
        case AtomicStore():
            return Access(op, Mode.WRITE, op.resource, op.terms, order=op.order)
        case AtomicUpdate() | CompareExchange():
            return Access(op, Mode.UPDATE, op.resource, op.terms, order=op.order)
        case ScatterReduce():
            return Access(op, Mode.UPDATE, op.resource, op.terms, order=Order.RELAXED)
        case _:
            return None


def accesses(region: Region) -> Iterator[Access]:
    """Every access of a region and of the regions inside it, in program order."""
    return (found for op in walk(region) if (found := access(op)) is not None)


def effects(op: Op) -> Effects:
    """The effects of an op with its regions. A gather from a tensor has none."""
    own = access(op)
    found = [own] if own else []
    for region in regions(op):
        found += accesses(region)
    return Effects(
        tuple(dict.fromkeys(a.resource for a in found if a.reads)),
        tuple(dict.fromkeys(a.resource for a in found if a.writes)),
        any(a.acquires or a.releases for a in found),
    )


def is_pure(op: Op) -> bool:
    """Whether an op without uses can go: it writes nothing, promises nothing, checks nothing, and ends no region.

    Control and operations with regions are pure when all that they hold is. An atomic load counts as an effect.
    """
    if regions(op):
        return all(isinstance(inner, Yield) or is_pure(inner) for region in regions(op) for inner in region.ops)
    made = access(op)
    if made is not None and (made.writes or not made.is_plain):
        return False
    return not isinstance(op, RequireEqual | AssumeInBounds | Yield)
