"""What a portable plan decides of a kernel, and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from intent2cuda.base.codec import canonical, digest
from intent2cuda.base.intexpr import IntExpr
from intent2cuda.ir.op import Op
from intent2cuda.ir.ops import For, RegionFold, RegionScan, Scan, ScanBy, While
from intent2cuda.plan.portable import Decision, DecisionKind, PlanTask, Work
from intent2cuda.plan.stage import Fold
from intent2cuda.plan.staging import Draft
from intent2cuda.plan.storages import Storages
from intent2cuda.plan.tasks import Author, Share
from intent2cuda.plan.trees import every
from intent2cuda.plan.writing_out import Open, WrittenOut

ORDERS: Mapping[type[Op], str] = {
    For: "rounds keep the author's order",
    While: "rounds keep the author's order",
    Scan: "every prefix in order, grouped in any way",
    ScanBy: "every prefix in order, grouped in any way",
    RegionFold: "segments in source order, merged with any parentheses",
    RegionScan: "segments in source order",
}
"""The orders that a plan keeps."""


def decisions(
    draft: Draft, found: Sequence[Share], tasks: Sequence[PlanTask], storages: Storages, author: Author, out: WrittenOut
) -> Iterator[Decision]:
    yield from _written(out, author)
    yield from _blocks(out, author)
    for task in tasks:
        if len(task.body) > 1:
            yield _decision(DecisionKind.FUSE, task.body, "the members of the axes are independent of each other")
    for stage in every(draft.stages):
        if isinstance(stage, Fold) and stage.beside:
            names = tuple(author.ops.get(op.author, "") for op in stage.ops)
            yield _decision(DecisionKind.FUSE, names, "they reduce the same members: one sweep serves them all")
    for buffer in draft.buffers:
        name = storages.by_buffer[buffer.id].id
        other = ("recompute",) if buffer.value in draft.by_cost else ()
        yield _decision(DecisionKind.MATERIALIZE, (name,), buffer.reason, other)
        whose = "one for the call" if buffer.shared_by_team else "one for each member of the loop around"
        yield _decision(
            DecisionKind.RESOURCE, (name, "transient", "call" if buffer.shared_by_team else "member"), whose
        )
    for storage in storages.working.values():
        yield _decision(
            DecisionKind.RESOURCE, (storage.id, "transient", "member"), "one for each member of the loop around"
        )
    yield from _recomputed(found, author)
    for op, name in author.ops.items():
        if type(op) in ORDERS:
            yield _decision(DecisionKind.ORDER, (name,), ORDERS[type(op)])


def _written(out: WrittenOut, author: Author) -> Iterator[Decision]:
    for written in out.written:
        name = author.ops[written.op]
        yield _decision(DecisionKind.WRITE_OUT, (name, written.parameter), written.form)
        if isinstance(written.op, RegionFold | RegionScan):
            (axis,) = (a.id for a in author.axes.of([written.op]) if a.role.value == "segment")
            yield _segments(written.op, name, axis, written.parameter, author)


def _blocks(out: WrittenOut, author: Author) -> Iterator[Decision]:
    parameter = next((value.name for each, value in out.left if each is Open.ROWS), "")
    for rows in out.cuts:
        reason = f"blocks of {parameter} rows in any order: what slices leave for them stays small, and many can work"
        subject = (author.ops[rows.op], author.axes.id(rows.axis_class), parameter)
        yield _decision(DecisionKind.SEGMENT, subject, reason, ("all rows at once",))


def _segments(op: RegionFold | RegionScan, name: str, axis: str, parameter: str, author: Author) -> Decision:
    if not parameter:
        return _decision(DecisionKind.SEGMENT, (name, axis), "one segment: nothing in it is larger than the sources")
    extra = author.workload.merges(op, IntExpr.symbol(parameter))
    reason = f"segments of {parameter} members, one after the other, so that what they leave stays small"
    return _decision(DecisionKind.SEGMENT, (name, axis, parameter), reason, ("spread over instances",), extra)


def _recomputed(found: Sequence[Share], author: Author) -> Iterator[Decision]:
    """One for each operation that is done more often than the author wrote it."""
    again: dict[Op, int] = {}
    for share in found:
        for op, times in share.again.items():
            again[op] = again.get(op, 0) + times
    for op, name in author.ops.items():
        if again.get(op, 0):
            extra = author.workload.done({op: again[op]})
            reason = f"cheaper to compute in each of {again[op] + 1} sweeps than to store and read"
            yield _decision(DecisionKind.RECOMPUTE, (name,), reason, ("materialize",), extra)


def _decision(
    kind: DecisionKind,
    subject: tuple[str, ...],
    reason: str,
    alternatives: tuple[str, ...] = (),
    extra: tuple[Work, ...] = (),
) -> Decision:
    named = tuple(name for name in subject if name)
    identity = f"d{digest('decision', canonical([kind.value, list(named)]))[:8]}"
    return Decision(identity, kind, named, reason, alternatives, extra)
