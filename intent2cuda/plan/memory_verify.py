"""Invariants of a memory layout: bounds, alignment, lives, and that no two buffers that are alive share a byte."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations

from intent2cuda.base.diagnostics import Diagnostic
from intent2cuda.base.intexpr import IntExpr
from intent2cuda.plan.coordination import Coordination, PlacedBuffer

Steps = Mapping[str, tuple[int, int]]
"""When each step begins and when the last thing in it ends."""


EndsBefore = Callable[[str, str, str], bool]
"""Whether one step surely ends before another begins, for those who share memory of which there is one each: a thread,
a block, a call."""


def positions(steps: Sequence[str]) -> Steps:
    """Steps one after another."""
    return {step: (place, place) for place, step in enumerate(steps)}


def memory_findings(plan: Coordination, steps: Steps, ends_before: EndsBefore) -> Iterator[Diagnostic]:
    """What is wrong with the places of buffers."""
    sizes = {region.id: region.bytes for region in plan.regions}
    whose = {region.id: region.per for region in plan.regions}
    for buffer in plan.buffers:
        if buffer.alignment < 1 or (buffer.offset % max(buffer.alignment, 1)).constant != 0:
            message = f"its offset {buffer.offset} is no multiple of {buffer.alignment}"
            yield Diagnostic("concrete.buffer.alignment", message, subject=buffer.id)
        if buffer.region in sizes and not _within(buffer, sizes[buffer.region]):
            room = f"the {sizes[buffer.region]} bytes of {buffer.region}"
            message = f"{buffer.bytes} bytes at offset {buffer.offset} reach beyond {room}"
            yield Diagnostic("concrete.buffer.out_of_bounds", message, subject=buffer.id)
        if not {buffer.first, buffer.last} <= steps.keys():
            message = f"it lives from {buffer.first} to {buffer.last}, which are no steps of the plan"
            yield Diagnostic("concrete.buffer.lifetime", message, subject=buffer.id)
        elif steps[buffer.first][0] > steps[buffer.last][1]:
            message = f"it ends with {buffer.last} before it begins with {buffer.first}"
            yield Diagnostic("concrete.buffer.lifetime", message, subject=buffer.id)
    known = [buffer for buffer in plan.buffers if {buffer.first, buffer.last} <= steps.keys()]
    for one, other in combinations(known, 2):
        if not _share(one, other):
            continue
        per = whose.get(one.region, "")
        apart = ends_before(one.last, other.first, per) or ends_before(other.last, one.first, per)
        if _alive_together(one, other, steps) or one.reuse != other.reuse or not apart:
            message = f"it shares bytes of {one.region} with {one.id}, and both may hold something"
            yield Diagnostic("concrete.buffer.overlap", message, subject=other.id)


def share_bytes(plan: Coordination, one: str, other: str) -> bool:
    """Whether two buffers may have a byte in common."""
    by_id = {buffer.id: buffer for buffer in plan.buffers}
    return one in by_id and other in by_id and _share(by_id[one], by_id[other])


def not_negative(expression: IntExpr) -> bool:
    """Whether it is clear from the form that the value is never negative, where no symbol is."""
    return all(coefficient >= 0 for _, coefficient in expression.terms)


def _within(buffer: PlacedBuffer, size: IntExpr) -> bool:
    return not_negative(buffer.offset) and not_negative(size - buffer.offset - buffer.bytes)


def _share(one: PlacedBuffer, other: PlacedBuffer) -> bool:
    if one.region != other.region or 0 in (one.bytes.constant, other.bytes.constant):
        return False
    before = not_negative(other.offset - one.offset - one.bytes)
    return not before and not not_negative(one.offset - other.offset - other.bytes)


def _alive_together(one: PlacedBuffer, other: PlacedBuffer, steps: Steps) -> bool:
    return steps[one.first][0] <= steps[other.last][1] and steps[other.first][0] <= steps[one.last][1]
