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
from intent2cuda.analysis.flow import Flow, Paths
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
    found = structure(kernel)
    relations = Relations(found)
    all_sites = sites(found, relations)
    conflicts = Conflicts(Surroundings(found, relations), all_sites)
    flows = _Flows(found)
    views = [parameter for parameter in kernel.parameters if isinstance(parameter.type, ViewType)]
    written = [v for v in views if any(s.resource is v and s.access.writes for s in all_sites)]
    answers: list[Overlap] = []
    for view in written:
        for other in views:
            if other is view or (other in written and views.index(other) < views.index(view)):
                continue
            reason = (
                "both are written"
                if other in written
                else _obstacle(flows, conflicts, _of(all_sites, view), _of(all_sites, other))
            )
            tolerance = Tolerance.DISJOINT if reason else Tolerance.SAME_OR_DISJOINT
            answers.append(Overlap(view, other, tolerance, reason))
    return tuple(answers)


def _of(all_sites: tuple[Site, ...], view: Value) -> list[Site]:
    return [site for site in all_sites if site.resource is view]


class _Flows:
    """The flow of each read, made once."""

    def __init__(self, found: Structure) -> None:
        self.structure = found
        self._known: dict[Load, Flow] = {}

    def of(self, read: Load) -> Flow:
        if read not in self._known:
            self._known[read] = Flow(self.structure, read)
        return self._known[read]


def _obstacle(flows: _Flows, conflicts: Conflicts, of_written: list[Site], reads: list[Site]) -> str:
    """Why the two views may not be one memory; empty when they may."""
    for write in of_written:
        if not write.access.writes:
            continue
        for read in reads:
            reason = _pair(flows, conflicts, write, read)
            if reason:
                return reason
    return ""


def _pair(flows: _Flows, conflicts: Conflicts, write: Site, read: Site) -> str:
    written, other = write.resource.resource, read.resource.resource
    if (written.shape, written.dtype) != (other.shape, other.dtype):
        return "the views differ in shape or dtype"
    if not isinstance(read.op, Load) or not isinstance(write.op, Store):
        return "an access is neither a plain read nor a plain write"
    meeting = conflicts.of_instances(read, write)
    if meeting is Meeting.NEVER:
        return ""
    if meeting is Meeting.UNKNOWN:
        return "an element may be read in another turn or at another coordinate than it is written"
    if flows.structure.order[read.op] > flows.structure.order[write.op]:
        return "an element is read after it is written"
    return _flow_obstacle(flows, read.op, write)


def _flow_obstacle(flows: _Flows, read: Load, write: Site) -> str:
    assert isinstance(write.op, Store)
    flow = flows.of(read)
    deciding = [frame.owner.condition for frame in write.frames if isinstance(frame.owner, If)]
    if write.op.valid is not None:
        deciding.append(write.op.valid)
    stored = flow.paths(write.op.value)
    identity = tuple(range(read.result.tensor.rank))
    if identity not in stored:
        return "the written element does not come from the element that is read there"
    every: Paths = frozenset(path for value in deciding for path in flow.paths(value)) | stored
    for path in every:
        if isinstance(path, str) or any(axis is not None and axis != place for place, axis in enumerate(path)):
            return "the written element depends on other elements"
    return ""
