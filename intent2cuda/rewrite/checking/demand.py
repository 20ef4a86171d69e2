"""Which values of a kernel are computed for all of their elements, whatever the extents.

Values are computed where something needs them: one that only stands beside an axis without members, or in a branch that
is not taken, is not computed at all, and nor are the inspections it depends on.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cache

from intent2cuda.ir.kernel import Kernel, walk
from intent2cuda.ir.op import Op, Region, operands, regions
from intent2cuda.ir.ops import (
    AtomicStore,
    AtomicUpdate,
    Bitcast,
    Broadcast,
    Cast,
    Contract,
    For,
    Gather,
    If,
    Load,
    Parallel,
    Pointwise,
    Reduce,
    Reshape,
    Scan,
    ScatterReduce,
    Store,
    Transpose,
    While,
    Yield,
)
from intent2cuda.ir.value import Value
from intent2cuda.types.value_type import Shape

_LAZY = ("select", "and", "or")
"""Functions that may leave all but their first argument alone."""


class Demand:
    """`owners`: the op that each region belongs to; the kernel's own body has none."""

    def __init__(self, kernel: Kernel) -> None:
        self.owners: dict[Region, Op] = {}
        self._users: dict[Value, list[Op]] = defaultdict(list)
        self._homes: dict[Op, Region] = dict.fromkeys(kernel.body.ops, kernel.body)
        for op in walk(kernel.body):
            for value in dict.fromkeys(operands(op)):
                self._users[value].append(op)
            for region in regions(op):
                self.owners[region] = op
                self._homes |= dict.fromkeys(region.ops, region)
        self._sure = cache(self._is_sure)

    def is_sure(self, value: Value, made_by: Op) -> bool:
        """Whether what `made_by` gives is computed wherever that op stands."""
        return self._sure(value, self._homes[made_by])

    def _is_sure(self, value: Value, home: Region) -> bool:
        return any(self._takes_all(user, value, home) for user in self._users[value] if self._homes[user] is home)

    def _takes_all(self, user: Op, value: Value, home: Region) -> bool:
        match user:
            case Store(valid=None, value=stored) | AtomicStore(value=stored) | ScatterReduce(value=stored):
                return value is stored
            case AtomicUpdate():
                return value is user.value
            case Yield():
                return not value.tensor.shape and self.loop(home) is not None
            case Pointwise():
                given = user.args[:1] if user.fn in _LAZY else user.args
                return value in given and self._sure(user.result, home)
            case Cast() | Bitcast() | Reshape() | Transpose() | Reduce() | Scan():
                return self._sure(user.result, home)
            case Broadcast():
                pairs = zip(user.axes, user.result.tensor.shape, strict=True)
                given = value.tensor.shape
                more = tuple(extent for axis, extent in pairs if axis is None or given[axis] != extent)
                return _has_members(more) and self._sure(user.result, home)
            case Contract():
                return _has_members(user.result.tensor.shape) and self._sure(user.result, home)
            case Load(valid=None) | Gather(valid=None):
                selected = user.result.tensor.shape
                return len(value.tensor.shape) == len(selected) and self._sure(user.result, home)
            case _:
                return False

    def loop(self, region: Region) -> For | While | None:
        """The ordered loop whose body a region is."""
        owner = self.owners.get(region)
        return owner if isinstance(owner, For | While) and owner.body is region else None

    def runs_on_its_own(self, region: Region) -> bool:
        """Whether a region does something, rather than to say how a value is computed."""
        match self.owners.get(region):
            case None | Parallel():
                return True
            case If(results=results):
                return not results
            case _:
                return self.loop(region) is not None


def _has_members(extents: Shape) -> bool:
    return all(extent.constant is not None and extent.constant > 0 for extent in extents)
