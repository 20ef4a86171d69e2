"""Reads that may be made before a loop that asks for them: the loop may have no members, and then nothing is read."""

from __future__ import annotations

from intent2cuda.analysis.limits import Bounds
from intent2cuda.analysis.ranges import Facts
from intent2cuda.ir.value import Value
from intent2cuda.lower.coordinates import Coordinates
from intent2cuda.lower.writer import Writer
from intent2cuda.types.value_type import BufferType, ViewType


def no_sooner(writer: Writer, resource: Value, at: Coordinates, depth: int) -> int:
    """The outermost block, at `depth` or inside, in which an element of memory may be read."""
    certain = writer.blocks.certain_depth()
    return depth if depth >= certain or _exists(writer, resource, at) else certain


def _exists(writer: Writer, resource: Value, at: Coordinates) -> bool:
    """Whether the element is proved to exist, by the loops that choose it alone: others may have no members."""
    assert isinstance(resource.type, ViewType | BufferType)
    axes = (axis for block in writer.blocks.open for axis in block.axes)
    ends = {writer.axis_symbol(a): Bounds((a.begin,), (a.begin + (a.extent - 1) * a.step,)) for a in axes}
    facts = Facts(writer.structure, ends)
    return all(facts.within(place, extent) for place, extent in zip(at, resource.type.shape, strict=True))
