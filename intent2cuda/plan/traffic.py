"""Bytes that operations move between memory and values: those of distinct elements, and those asked for in all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from math import prod

from intent2cuda.analysis.effects import Access, access
from intent2cuda.analysis.expressions import Condition
from intent2cuda.base.intexpr import IntExpr
from intent2cuda.ir.op import Op
from intent2cuda.ir.ops import CompareExchange, Load, Store
from intent2cuda.ir.value import Value
from intent2cuda.plan.activity import Activity
from intent2cuda.plan.counting import Counting
from intent2cuda.plan.images import Image, distinct
from intent2cuda.plan.quantity import NOTHING, Basis, Exact, Quantity, Unknown, add, greatest, times
from intent2cuda.plan.spaces import UncountableError
from intent2cuda.plan.tables import elements
from intent2cuda.types.value_type import ViewType

DATA = "which elements are touched depends on data"
OVERLAP = "accesses touch the same elements in part"


class Traffic:
    """The accesses of a kernel's ops. Each way, of reading and of writing, is counted on its own."""

    def __init__(self, counting: Counting, activity: Activity) -> None:
        self._counting = counting
        self._activity = activity

    def distinct_bytes(self, ops: Iterable[Op], writes: bool) -> Quantity:
        """The bytes of the elements that the ops read or write, each element counted once."""
        by_resource: dict[Value, list[Access]] = {}
        for found in _accesses(ops, writes):
            by_resource.setdefault(found.resource, []).append(found)
        parts = (
            times(self._distinct(resource, found, writes), resource.resource.dtype.bytes)
            for resource, found in by_resource.items()
        )
        return reduce(add, parts, NOTHING)

    def requested_bytes(self, ops: Iterable[Op], writes: bool) -> Quantity:
        """The bytes of all elements that the ops read or write, as often as they do."""
        parts = (times(self.touched(f), f.resource.resource.dtype.bytes) for f in _accesses(ops, writes))
        return reduce(add, parts, NOTHING)

    def touched(self, found: Access) -> Quantity:
        """How often an access touches an element."""
        return self._counting.count(self._counting.places.of[found.op], found.shape, self._mask(found))

    def _mask(self, found: Access) -> Condition | None:
        return self._activity.accessed(found.op) if isinstance(found.op, Load | Store) else None

    def _distinct(self, resource: Value, found: Sequence[Access], writes: bool) -> Quantity:
        shape = [self._counting.places.resolved(extent) for extent in resource.resource.shape]
        size = prod(shape, start=IntExpr.of(1))
        images = [self._image(each) for each in found]
        known = [image for image in images if image is not None]
        sure = not any(isinstance(each.op, CompareExchange) and writes for each in found)
        counted = distinct([image for image, _ in known], shape, self._counting.places.given)
        counted = None if counted is None else self._counting.over_data(counted)
        if counted is not None and sure and (len(known) == len(images) or counted == size):
            bases = {basis for _, basis in known}
            return Exact(counted, Basis.ALL if Basis.ALL in bases and counted != size else Basis.ACTIVE)
        positions = (p for image, _ in known for p in image.positions)
        by_data = not sure or len(known) < len(images) or any(True for p in positions for _ in elements(p))
        upper = size if self._counting.places.is_known(size) else greatest(reduce(add, map(self.touched, found)))
        return Unknown(DATA if by_data else OVERLAP, upper)

    def _image(self, found: Access) -> tuple[Image, Basis] | None:
        """The positions of an access, and whether a mask that depends on data was left out."""
        places = self._counting.places
        place, mask = places.of[found.op], self._mask(found)
        variables = (*place.variables, *places.along(found.shape))
        around = all(self._counting.is_decided(condition, place.variables) for condition in place.conditions)
        positions = [places.resolved(p) for p in places.relations.coordinates(found.terms) if isinstance(p, IntExpr)]
        symbols = frozenset(variable.symbol for variable in variables)
        bounds = (*positions, *(variable.extent for variable in variables))
        if place.doubt or place.never or not around or len(positions) < len(found.terms):
            return None
        if not all(places.is_countable(expression, symbols) for expression in bounds):
            return None
        try:
            where = self._counting.where(variables, (*place.conditions, *(() if mask is None else (mask,))))
        except UncountableError:
            return None
        decided = mask is None or self._counting.is_decided(places.resolved_condition(mask), variables)
        return Image(variables, where, tuple(positions)), Basis.ACTIVE if decided else Basis.ALL


def _accesses(ops: Iterable[Op], writes: bool) -> Iterator[Access]:
    """The accesses of views that go one way."""
    for op in ops:
        found = access(op)
        if (
            found is not None
            and isinstance(found.resource.type, ViewType)
            and (found.writes if writes else found.reads)
        ):
            yield found
