"""Fills a view at once where a buffer was filled only to be copied to it.

Before:                                              After:
    %sums: buffer f32[N] = allocate
    for %all body(%i: index) {                           for %all body(%i: index) {
      store %sums[%i], %sum                                store %y[%row, %i], %sum
    }                                                    }
    %0: f32[N] = load %sums[:]
    store %y[%row, :], %0

Only when nothing reads the buffer otherwise, and nothing touches the view between the allocation and the copy.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from intent2cuda.analysis.effects import access
from intent2cuda.ir.kernel import Kernel, walk
from intent2cuda.ir.op import Op, Region, operands, regions, results
from intent2cuda.ir.ops import Allocate, Load, Store
from intent2cuda.ir.terms import Along, Point, Term, Whole
from intent2cuda.ir.value import Value
from intent2cuda.rewrite.copying import with_regions
from intent2cuda.types.value_type import ViewType


@dataclass(frozen=True)
class Copied:
    """A buffer of a region, the whole read of it, and the store of what was read."""

    buffer: Value
    load: Load
    store: Store


def run(kernel: Kernel) -> Kernel:
    """The kernel without such buffers."""
    users: dict[Value, list[Op]] = {}
    for op in walk(kernel.body):
        for used in dict.fromkeys(operands(op)):
            users.setdefault(used, []).append(op)
    return replace(kernel, body=_region(kernel.body, users))


def _region(region: Region, users: dict[Value, list[Op]]) -> Region:
    copies = [found for op in region.ops if isinstance(op, Allocate) and (found := _copied(region, op, users))]
    dropped = {op for found in copies for op in (found.load, found.store)}
    targets = {found.buffer: found.store for found in copies}
    kept = [op for op in region.ops if op not in dropped and not (isinstance(op, Allocate) and op.result in targets)]
    moved = Region(region.args, tuple(_redirected(op, targets) for op in kept))
    return Region(moved.args, tuple(with_regions(op, lambda inner: _region(inner, users)) for op in moved.ops))


def _copied(region: Region, allocate: Allocate, users: dict[Value, list[Op]]) -> Copied | None:
    """The copy for which a buffer was filled, if that is all that it serves."""
    buffer = allocate.result
    loads = [op for op in users.get(buffer, []) if isinstance(op, Load)]
    stores = [op for op in users.get(buffer, []) if isinstance(op, Store)]
    if allocate.init is not None or len(loads) != 1 or len(loads) + len(stores) != len(users[buffer]):
        return None
    (load,) = loads
    readers = users.get(load.result, [])
    if len(readers) != 1 or not isinstance(store := readers[0], Store) or store.value is not load.result:
        return None
    if load not in region.ops or store not in region.ops or store.valid is not None or load.valid is not None:
        return None
    first, last = region.ops.index(allocate), region.ops.index(store)
    inside = [inner for op in region.ops[first : last + 1] for inner in (op, *_nested(op))]
    plain = all(isinstance(term, Whole) for term in load.terms) and all(op.valid is None for op in stores)
    places = set(operands(store)) - {load.result}
    early = not any(value in places for op in inside for value in results(op))
    others = [made for op in inside if op is not store and (made := access(op))]
    untouched = not any(made.resource is store.resource for made in others)
    external = isinstance(store.resource.type, ViewType) and store.resource.type.alias is None
    if not (plain and early and untouched and external and all(op in inside for op in stores)):
        return None
    composable = all(_composed(store.terms, op.terms) is not None for op in stores)
    return Copied(buffer, load, store) if composable else None


def _nested(op: Op) -> list[Op]:
    return [inner for region in regions(op) for inner in walk(region)]


def _redirected(op: Op, targets: dict[Value, Store]) -> Op:
    if isinstance(op, Store) and op.resource in targets:
        target = targets[op.resource]
        terms = _composed(target.terms, op.terms)
        assert terms is not None
        return replace(
            op, resource=target.resource, terms=terms, promised_unique=target.promised_unique, origin=target.author
        )
    return with_regions(op, lambda inner: Region(inner.args, tuple(_redirected(i, targets) for i in inner.ops)))


def _composed(outer: tuple[Term, ...], inner: tuple[Term, ...]) -> tuple[Term, ...] | None:
    """Where a part of the buffer stands in the view."""
    found: list[Term] = []
    parts = iter(inner)
    for term in outer:
        match term:
            case Point():
                found.append(term)
            case Whole():
                found.append(next(parts))
            case Along() if term.domain.domain.step.constant == 1 and term.domain.domain.begin.constant == 0:
                found.append(term if isinstance(part := next(parts), Whole) else part)
            case _:
                return None
    return tuple(found)
