"""Which overlap of two views a kernel tolerates when a caller passes the same memory for both.

A view that is written and another that is only read may be the same memory, element for element, when every element is
read in the same turn of all loops and at the same coordinates at which it is written, before the write, and the written
value comes from that read element by element. A whole axis may also be combined on the way (the row of a softmax): then
the axis must not be divided among executions that do not wait for each other. Everything else needs disjoint memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from intent2cuda.analysis.conflicts import Conflicts
from intent2cuda.analysis.flow import Flow, Path
from intent2cuda.analysis.neighbours import Group, Neighbours
from intent2cuda.analysis.relations import Relations
from intent2cuda.analysis.separation import Meeting
from intent2cuda.analysis.sites import Site, sites
from intent2cuda.analysis.structure import Structure, structure
from intent2cuda.analysis.surroundings import Surroundings
from intent2cuda.ir.kernel import Kernel
from intent2cuda.ir.ops import If, Load, Store
from intent2cuda.ir.value import Value
from intent2cuda.types.value_type import ViewType


class Tolerance(Enum):
    DISJOINT = "disjoint"
    SAME_OR_DISJOINT = "same_or_disjoint"


@dataclass(frozen=True)
class Overlap:
    """What holds for a written view and another one; `reason` says why nothing weaker does."""

    written: Value
    other: Value
    tolerance: Tolerance
    reason: str = ""


def overlaps(kernel: Kernel) -> tuple[Overlap, ...]:
    """One answer for each pair of a written view and another view, in the order of the parameters.

    A pair of two written views is listed once, the earlier parameter as `written`.
    """
    pairs = _Pairs(structure(kernel))
    views = [parameter for parameter in kernel.parameters if isinstance(parameter.type, ViewType)]
    written = {view: place for place, view in enumerate(views) if pairs.writes(view)}
    answers: list[Overlap] = []
    for view, place in written.items():
        for other in views:
            if written.get(other, place + 1) > place:
                reason = "both are written" if other in written else pairs.obstacle(view, other)
                tolerance = Tolerance.DISJOINT if reason else Tolerance.SAME_OR_DISJOINT
                answers.append(Overlap(view, other, tolerance, reason))
    return tuple(answers)


class _Pairs:
    """Answers for the pairs of a written view and one that is only read."""

    def __init__(self, found: Structure) -> None:
        self._structure = found
        relations = Relations(found)
        all_sites = sites(found, relations)
        self._conflicts = Conflicts(Surroundings(found, relations), all_sites)
        self._neighbours = Neighbours(all_sites)
        self._sites: dict[Value, list[Site]] = {}
        for site in all_sites:
            self._sites.setdefault(site.resource, []).append(site)
        self._flows: dict[Value, Flow] = {}

    def writes(self, view: Value) -> list[Site]:
        return [site for site in self._sites.get(view, ()) if site.access.writes]

    def obstacle(self, written: Value, other: Value) -> str:
        """Why the two views may not be one memory; empty when they may."""
        reads, writes = self._sites.get(other, []), self.writes(written)
        one, two = written.resource, other.resource
        if reads and (one.shape, one.dtype) != (two.shape, two.dtype):
            return "the views differ in shape or dtype"
        if reads and not all(isinstance(s.op, Load | Store) for s in (*reads, *writes)):
            return "an access is neither a plain read nor a plain write"
        for write in writes:
            for group in self._neighbours.near(other, write):
                reason = self._of_group(write, group)
                if reason:
                    return reason
        return ""

    def _of_group(self, write: Site, group: Group) -> str:
        meeting = self._conflicts.of_instances(group.first, write)
        if meeting is Meeting.UNKNOWN:
            return "an element may be read in another turn or at another coordinate than it is written"
        reasons = (self._of_pair(write, read) for read in group.sites) if meeting is Meeting.SAME else ()
        return next((reason for reason in reasons if reason), "")

    def _of_pair(self, write: Site, read: Site) -> str:
        assert isinstance(read.op, Load) and isinstance(write.op, Store)
        if self._structure.order[read.op] > self._structure.order[write.op]:
            return "an element is read after it is written"
        stored = self._flow(write.op.value).paths(read.op.result)
        if tuple(range(read.op.result.tensor.rank)) not in stored:
            return "the written element does not come from the element that is read there"
        deciding = [frame.owner.condition for frame in write.frames if isinstance(frame.owner, If)]
        if write.op.valid is not None:
            deciding.append(write.op.valid)
        every = (path for value in deciding for path in self._flow(value).paths(read.op.result))
        if any(_is_mixed(path) for path in (*stored, *every)):
            return "the written element depends on other elements"
        return ""

    def _flow(self, value: Value) -> Flow:
        if value not in self._flows:
            self._flows[value] = Flow(self._structure, value)
        return self._flows[value]


def _is_mixed(path: Path | str) -> bool:
    """Whether elements reach other places than their own; a whole axis may be combined."""
    return isinstance(path, str) or any(axis is not None and axis != place for place, axis in enumerate(path))
