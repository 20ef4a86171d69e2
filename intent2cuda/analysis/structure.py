"""Where every value and every op of a kernel stands."""

from __future__ import annotations

from dataclasses import dataclass

from intent2cuda.base.intexpr import IntExpr
from intent2cuda.ir.kernel import Kernel
from intent2cuda.ir.op import Op, Region, regions, results
from intent2cuda.ir.ops import AssumeInBounds, For, Parallel
from intent2cuda.ir.value import Value
from intent2cuda.types.value_type import DomainType


@dataclass(frozen=True)
class Frame:
    """A region that encloses an op, and the op that owns the region."""

    owner: Op
    region: Region


@dataclass(frozen=True)
class Structure:
    """`defining` has the ops of results, `arguments` the frames of region arguments; `frames` are outermost first.

    `order` numbers ops in program order, `last` gives the number of the last op inside an op (its own if it has none).
    `promises` are the extents below which the author promises a scalar to lie, by serial.
    """

    kernel: Kernel
    defining: dict[Value, Op]
    arguments: dict[Value, Frame]
    frames: dict[Op, tuple[Frame, ...]]
    order: dict[Op, int]
    last: dict[Op, int]
    by_serial: dict[int, Value]
    promises: dict[int, IntExpr]

    def loop_domain(self, value: Value) -> DomainType | None:
        """The domain that a loop variable runs over; None for any other value."""
        frame = self.arguments.get(value)
        if frame is None:
            return None
        position = frame.region.args.index(value)
        if isinstance(frame.owner, Parallel):
            return frame.owner.domains[position].domain
        return frame.owner.domain.domain if isinstance(frame.owner, For) and position == 0 else None

    def is_inside(self, value: Value, owner: Op) -> bool:
        """Whether a value is defined within a region of `owner`."""
        frame = self.arguments.get(value)
        if frame is not None:
            return frame.owner is owner or any(f.owner is owner for f in self.frames[frame.owner])
        op = self.defining.get(value)
        return op is not None and any(f.owner is owner for f in self.frames[op])


def structure(kernel: Kernel) -> Structure:
    found = Structure(kernel, {}, {}, {}, {}, {}, {p.serial: p for p in kernel.parameters}, {})
    _visit(kernel.body, (), found)
    return found


def _visit(region: Region, frames: tuple[Frame, ...], found: Structure) -> None:
    for op in region.ops:
        found.frames[op] = frames
        found.order[op] = len(found.order)
        for inner in regions(op):
            frame = Frame(op, inner)
            for argument in inner.args:
                found.arguments[argument] = frame
                found.by_serial[argument.serial] = argument
            _visit(inner, (*frames, frame), found)
        found.last[op] = len(found.order) - 1
        if isinstance(op, AssumeInBounds) and not op.index.tensor.shape:
            found.promises[op.index.serial] = op.resource.resource.shape[op.axis]
        for value in results(op):
            found.defining[value] = op
            found.by_serial[value.serial] = value
