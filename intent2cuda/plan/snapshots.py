"""Reads that must be taken at their own place, because the memory is written before the last use."""

from __future__ import annotations

from collections.abc import Sequence

from intent2cuda.ir.op import Region
from intent2cuda.ir.ops import Load, Store
from intent2cuda.plan.access import same_element_only
from intent2cuda.plan.demand import Demand
from intent2cuda.plan.items import Item, Kind, define_item
from intent2cuda.plan.peeling import conflict


def with_snapshots(region: Region, items: Sequence[Item], demand: Demand) -> list[Item]:
    """The items and a definition for each load of the region whose value would change before it is used."""
    found = list(items)
    for position, op in enumerate(region.ops):
        if isinstance(op, Load) and _changes(position, op, found, demand):
            demand.define(op.result)
            found.append(define_item(position, op, op.result, demand.classes))
    return sorted(found, key=lambda item: item.position)


def _changes(position: int, load: Load, items: Sequence[Item], demand: Demand) -> bool:
    writers = [item for item in items if item.position > position and _writes(item, load, demand)]
    if not writers:
        return False
    for reader in items:
        if reader.position > position and demand.reads(reader.roots, load.result):
            if any(writer.position < reader.position for writer in writers):
                return True
            if reader in writers and not _own_element_only(reader, load, demand):
                return True
    return False


def _writes(item: Item, load: Load, demand: Demand) -> bool:
    return any(
        access.store and access.resource is load.resource
        for root in item.roots
        for access in demand.seen(root).accesses
    )


def _own_element_only(item: Item, load: Load, demand: Demand) -> bool:
    """Whether a store reads of its own memory only the very element that it writes."""
    if item.kind is not Kind.OP or not isinstance(item.op, Store):
        return False
    root = item.roots[0]
    accesses = [access for access in demand.seen(root).accesses if access.resource is load.resource]
    store = next(access for access in accesses if access.store)
    return all(
        not conflict(store, access) or all(same_element_only(store, access, t, t) for t in range(root.rank))
        for access in accesses
        if not access.store
    )
