"""The things that one region has to do, in program order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

from intent2cuda.ir.op import Op, Region, regions, results
from intent2cuda.ir.ops import Contract, For, Parallel, Reduce, Store, While
from intent2cuda.ir.value import Value
from intent2cuda.plan.axes import AxisClasses
from intent2cuda.plan.roots import ROOT_OPS, Root, define_root, reduction, roots_of
from intent2cuda.plan.stage import Buffer


class Kind(Enum):
    OP = "op"  # an op that no virtual value can stand for
    DEFINE = "define"  # a virtual value gets a local or a buffer at its own place
    UPDATE = "update"  # the next value of a carry, or a merged value, goes to its buffer
    END = "end"  # what the region yields in locals


@dataclass(frozen=True, eq=False)
class Item:
    """`defines`: the values that later items may read. `overwrites`: the carry whose elements an update replaces in
    place.

    `epilogue`: the store that takes the sums of a contraction as they come. `beside`: reductions that run along with
    the one of the item.
    """

    position: int
    kind: Kind
    op: Op
    roots: tuple[Root, ...]
    defines: tuple[Value, ...]
    value: Value | None = None
    buffer: Buffer | None = None
    overwrites: Value | None = None
    epilogue: Store | None = None
    beside: tuple[Reduce, ...] = ()

    @property
    def repeats(self) -> bool:
        """Whether the roots inside run many times for each time that the item runs."""
        return self.kind is Kind.OP and isinstance(self.op, For | While | Parallel)

    @property
    def pure(self) -> bool:
        return not any(root.effect for root in self.roots)


def op_item(position: int, op: Op, classes: AxisClasses) -> Item:
    return Item(position, Kind.OP, op, tuple(roots_of(op, classes)), (*results(op), *_inside(op)))


def define_item(position: int, op: Op, value: Value, classes: AxisClasses) -> Item:
    return Item(position, Kind.DEFINE, op, (define_root(op, value, classes, defines=True),), (value,), value)


def update_item(
    position: int, op: Op, end: Op, value: Value, buffer: Buffer, classes: AxisClasses, overwrites: Value | None = None
) -> Item:
    """`end` yields the value in a body of `op`: it is read there, with what is defined in the body in sight."""
    return Item(position, Kind.UPDATE, op, (define_root(end, value, classes),), (), value, buffer, overwrites)


def end_item(position: int, op: Op, values: tuple[Value, ...], classes: AxisClasses) -> Item:
    return Item(position, Kind.END, op, tuple(define_root(op, value, classes) for value in values), ())


def with_epilogue(item: Item, store: Item) -> Item:
    """One item for a contraction and the store that ends it; the product routine runs over the store's axes too."""
    assert isinstance(item.op, Contract) and isinstance(store.op, Store)
    product, end = item.roots[0], store.roots[0]
    rows = [product.classes[position] for position in product.inner]
    inner = tuple(position for position, name in enumerate(end.classes) if name in rows)
    return replace(item, roots=(product, replace(end, inner=inner)), epilogue=store.op)


def with_siblings(items: Sequence[Item], classes: AxisClasses) -> Item:
    """One item for several reductions of the same members."""
    ops = [item.op for item in items if isinstance(item.op, Reduce)]
    defines = tuple(value for item in items for value in item.defines)
    return replace(items[0], roots=(reduction(ops, classes),), defines=defines, beside=tuple(ops[1:]))


def region_items(region: Region, classes: AxisClasses) -> list[Item]:
    """An item for each op that must run; what the region yields is added by whoever knows where it goes."""
    return [op_item(n, op, classes) for n, op in enumerate(region.ops) if isinstance(op, ROOT_OPS)]


def _inside(op: Op) -> tuple[Value, ...]:
    """Every value that the regions of an op define."""
    found: list[Value] = []
    for region in regions(op):
        found += region.args
        for inner in region.ops:
            found += [*results(inner), *_inside(inner)]
    return tuple(found)
