"""Where every value and every op of a kernel stands."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from intent2cuda.base.intexpr import IntExpr, Symbol
from intent2cuda.ir.kernel import Kernel
from intent2cuda.ir.op import Op, Region, regions, results
from intent2cuda.ir.ops import AssumeInBounds, For, Parallel, RegionFold, RegionScan
from intent2cuda.ir.value import Value
from intent2cuda.types.value_type import DomainType


@dataclass(frozen=True)
class Frame:
    """A region that encloses an op, and the op that owns the region."""

    owner: Op
    region: Region


@dataclass(frozen=True)
class Segment:
    """A slice of `source` along `axis` that a region operation hands to a region; `extent` is the region's argument."""

    source: Value
    axis: int
    extent: Value


def segment_begin(extent: Value) -> Symbol:
    """The symbol of the position at which the slices of a region begin; no value of the kernel has it."""
    return Symbol("@", extent.serial)


def is_segment_begin(symbol: Symbol) -> bool:
    return symbol.name == "@"


@dataclass(frozen=True)
class Structure:
    """`defining` has the ops of results, `arguments` the frames of region arguments; `frames` are outermost first.

    `order` numbers ops in program order, `last` gives the number of the last op inside an op (its own if it has none).
    `promises` are the extents below which the author promises a scalar to lie, by serial: those that stand where the
    scalar is made, since one in a branch or a loop says nothing of other places.
    """

    kernel: Kernel
    defining: dict[Value, Op]
    arguments: dict[Value, Frame]
    frames: dict[Op, tuple[Frame, ...]]
    order: dict[Op, int]
    last: dict[Op, int]
    by_serial: dict[int, Value]
    promises: dict[int, IntExpr]

    @cached_property
    def ops(self) -> tuple[Op, ...]:
        """Every op at its number."""
        return tuple(self.order)

    def loop_domain(self, value: Value) -> DomainType | None:
        """The domain that a loop variable runs over; None for any other value."""
        frame = self.arguments.get(value)
        if frame is None:
            return None
        position = frame.region.args.index(value)
        if isinstance(frame.owner, Parallel):
            return frame.owner.domains[position].domain
        return frame.owner.domain.domain if isinstance(frame.owner, For) and position == 0 else None

    def segment(self, value: Value) -> Segment | None:
        """What the value is a slice of, if it is an argument that a region operation cuts from a source."""
        frame = self.arguments.get(value)
        if frame is None or (found := _cut(frame)) is None:
            return None
        position = frame.region.args.index(value) - 1
        within = 0 <= position < len(found.sources)
        return Segment(found.sources[position], found.axis, frame.region.args[0]) if within else None

    def segment_whole(self, value: Value) -> IntExpr | None:
        """The extent of the axis that is cut, if the value is the extent of the slices."""
        frame = self.arguments.get(value)
        if frame is None or (found := _cut(frame)) is None or frame.region.args[0] is not value:
            return None
        return found.sources[0].tensor.shape[found.axis]

    def is_inside(self, value: Value, owner: Op) -> bool:
        """Whether a value is defined within a region of `owner`."""
        frame = self.arguments.get(value)
        if frame is not None:
            return frame.owner is owner or any(f.owner is owner for f in self.frames[frame.owner])
        op = self.defining.get(value)
        return op is not None and any(f.owner is owner for f in self.frames[op])


def _cut(frame: Frame) -> RegionFold | RegionScan | None:
    """The operation that hands slices to a region."""
    owner = frame.owner
    if isinstance(owner, RegionFold | RegionScan) and frame.region is owner.summarize:
        return owner
    return owner if isinstance(owner, RegionScan) and frame.region is owner.emit else None


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
        if isinstance(op, AssumeInBounds) and not op.index.tensor.shape and _is_made_in(region, op.index, found):
            found.promises[op.index.serial] = op.resource.resource.shape[op.axis]
        for value in results(op):
            found.defining[value] = op
            found.by_serial[value.serial] = value


def _is_made_in(region: Region, value: Value, found: Structure) -> bool:
    """Whether a value is defined in a region itself, so that whatever happens there happens whenever it exists."""
    frame = found.arguments.get(value)
    op = found.defining.get(value)
    if op is not None:
        frame = found.frames[op][-1] if found.frames[op] else None
    return region is (frame.region if frame is not None else found.kernel.body)
