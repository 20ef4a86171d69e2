"""What ops read and write: accesses of views and buffers, and whether an op is pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from intent2cuda.ir.infer import selected_shape
from intent2cuda.ir.kernel import walk
from intent2cuda.ir.op import Op, Region, regions
from intent2cuda.ir.ops import AssumeInBounds, Load, RequireEqual, Store, Yield
from intent2cuda.ir.terms import Term
from intent2cuda.ir.value import Value
from intent2cuda.types.value_type import Shape


class Mode(Enum):
    READ = "read"
    WRITE = "write"


@dataclass(frozen=True)
class Access:
    """One op's access to a view or buffer: one element for each coordinate of `shape` at which `valid` holds."""

    op: Op
    mode: Mode
    resource: Value
    terms: tuple[Term, ...]
    valid: Value | None

    @property
    def shape(self) -> Shape:
        return selected_shape(self.resource.resource.shape, self.terms)


@dataclass(frozen=True)
class Effects:
    """The views and buffers that are read and written, each once, in program order."""

    reads: tuple[Value, ...]
    writes: tuple[Value, ...]


def access(op: Op) -> Access | None:
    """The access that an op itself makes."""
    match op:
        case Load():
            return Access(op, Mode.READ, op.resource, op.terms, op.valid)
        case Store():
            return Access(op, Mode.WRITE, op.resource, op.terms, op.valid)
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
        tuple(dict.fromkeys(a.resource for a in found if a.mode is Mode.READ)),
        tuple(dict.fromkeys(a.resource for a in found if a.mode is Mode.WRITE)),
    )


def is_pure(op: Op) -> bool:
    """Whether an op without uses can go: it writes nothing, promises nothing, checks nothing, and ends no region.

    Control is pure when all that it holds is.
    """
    if regions(op):
        return all(isinstance(inner, Yield) or is_pure(inner) for region in regions(op) for inner in region.ops)
    return not isinstance(op, Store | RequireEqual | AssumeInBounds | Yield)
