"""Scans whose prefixes go into the next values of a carried row: the row is made while the line is scanned.

above = I.cummax(entered(above)) - gaps    the prefixes less the gaps go to a second row; the two rows change places

The memory that would have held the prefixes is that second row: members may read the old one anywhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from intent2cuda.ir.op import Op
from intent2cuda.ir.ops import For, Load
from intent2cuda.ir.terms import Whole
from intent2cuda.ir.value import Value
from intent2cuda.plan.demand import Demand
from intent2cuda.plan.prefixes import store_of
from intent2cuda.plan.stage import (
    CHANGES_PLACES,
    ONE,
    ZERO,
    Allocation,
    Branch,
    Buffer,
    Carry,
    Keep,
    Let,
    Loop,
    Points,
    Stage,
    Tail,
    rounds_of,
)
from intent2cuda.plan.touching import Touching
from intent2cuda.plan.trees import every
from intent2cuda.types.dtype import DType
from intent2cuda.types.value_type import BufferType, TensorType

LINES = ("cpu.scan.row", "cpu.scan.line")


@dataclass(frozen=True)
class _Found:
    """Consecutive stages of a round: a scan, and the nest that makes the next values of `carry` of its prefixes."""

    scan: Loop
    nest: Points
    carry: Carry
    prefixes: Buffer
    loads: tuple[Value, ...]


class PrefixTails:
    def __init__(self, demand: Demand, stages: Sequence[Stage]) -> None:
        self._demand = demand
        self._stages = stages
        self._touching = Touching(demand, stages)

    def joined(self) -> tuple[Stage, ...]:
        """The stages, with each nest that reads nothing but prefixes at its own member as part of their scan."""
        return self._all(self._stages)

    def _all(self, stages: Sequence[Stage]) -> tuple[Stage, ...]:
        return tuple(self._of(stage) for stage in stages)

    def _of(self, stage: Stage) -> Stage:
        match stage:
            case Points():
                return replace(stage, body=self._all(stage.body))
            case Branch():
                return replace(stage, then_body=self._all(stage.then_body), else_body=self._all(stage.else_body))
            case Loop():
                found = self._found(stage)
                inside = stage if found is None else _joined(stage, found)
                return replace(inside, start=self._all(inside.start), body=self._all(inside.body))
            case _:
                return stage

    def _found(self, rounds: Loop) -> _Found | None:
        for scan, nest in zip(rounds.body, rounds.body[1:], strict=False):
            if isinstance(scan, Loop) and isinstance(nest, Points) and _same_members(scan, nest):
                for carry in self._candidates(rounds, scan, nest):
                    found = self._into(rounds, scan, nest, carry)
                    if found is not None and self._is_legal(rounds, found):
                        return found
        return None

    def _candidates(self, rounds: Loop, scan: Loop, nest: Points) -> Iterator[Carry]:
        """The carries whose next values the nest makes in place; the one that the scan reads comes first."""
        kept = [stage.buffer.id for stage in nest.body if isinstance(stage, Keep)]
        read = {touch.key for touch in self._touching.all((scan,))}
        carries = [c for c in rounds.carries if c.buffer and c.spare is None and kept.count(c.buffer.id) == 1]
        yield from sorted(carries, key=lambda c: c.buffer is None or c.buffer.id not in read)

    def _into(self, rounds: Loop, scan: Loop, nest: Points, carry: Carry) -> _Found | None:
        """The scan and the nest, if what holds the prefixes can also hold the values of the carry."""
        resource = store_of(scan).op.resource
        held = [s.buffer for s in rounds.body if isinstance(s, Allocation) and s.buffer.value is resource]
        if len(held) != 1 or carry.buffer is None or not _alike(held[0], carry.buffer):
            return None
        producers = self._demand.producers.items()
        loads = tuple(value for value, op in producers if isinstance(op, Load) and op.resource is resource)
        if any(not _is_whole(self._demand.producers[value]) for value in loads):
            return None
        return _Found(scan, nest, carry, held[0], loads)

    def _is_legal(self, rounds: Loop, found: _Found) -> bool:
        """Whether the nest alone reads the prefixes, each at its own member, the members read nothing that it writes
        but the old values of the carry, and what follows touches neither of the two rows.
        """
        assert found.carry.buffer is not None
        axis, old, new = found.nest.axes[0].axis, found.carry.buffer.id, found.prefixes.id
        inside = (*found.scan.body, *found.nest.body)
        others = (stage for stage in every(self._stages) if all(stage is not mine for mine in inside))
        if any(touch.key == new for stage in others for touch in self._touching.own(stage)):
            return False
        for touch in self._touching.all(found.nest.body):
            if touch.key == new and touch.along != ((0, axis),):
                return False
        written = {touch.key for touch in self._touching.all(found.nest.body) if touch.write} - {old}
        if any(touch.key in written for touch in self._touching.all((found.scan,))):
            return False
        later = rounds.body[rounds.body.index(found.nest) + 1 :]
        touched = (*self._touching.all(later), *self._touching.own(rounds))
        return all(touch.key not in (old, new) for touch in touched)


def with_reasons(buffers: Sequence[Buffer], stages: Sequence[Stage]) -> tuple[Buffer, ...]:
    """The buffers; what held prefixes and now is the second row of a carry says so."""
    rows = {c.spare.id for stage in every(stages) if isinstance(stage, Loop) for c in stage.carries if c.spare}
    return tuple(replace(buffer, reason=CHANGES_PLACES) if buffer.id in rows else buffer for buffer in buffers)


def _same_members(scan: Loop, nest: Points) -> bool:
    """Whether a line is scanned, and the nest has the same members and makes values of them one by one."""
    if scan.scans is None or scan.implementation is None or scan.implementation.name not in LINES:
        return False
    if len(nest.axes) != 1 or nest.op is not None or nest.draw is not None or nest.offsets is not None:
        return False
    if not isinstance(scan.op, For) or not all(isinstance(stage, Let | Keep) for stage in nest.body):
        return False
    mine, members = nest.axes[0].axis, rounds_of(scan.op)
    return all((axis.extent, axis.begin, axis.step) == (mine.extent, ZERO, ONE) for axis in (mine, members))


def _is_whole(op: Op) -> bool:
    return isinstance(op, Load) and op.valid is None and all(isinstance(term, Whole) for term in op.terms)


def _alike(one: Buffer, other: Buffer) -> bool:
    """Whether two buffers are rows of the same kind, in the same place."""
    kinds = [(b.extents, b.space, b.shared_by_team, b.inside, _dtype(b.value)) for b in (one, other)]
    return len(one.extents) == 1 and kinds[0] == kinds[1]


def _dtype(value: Value) -> DType:
    assert isinstance(value.type, TensorType | BufferType)
    return value.type.dtype


def _joined(rounds: Loop, found: _Found) -> Loop:
    """The loop with the nest behind the store of each prefix, and with the two rows that change places."""
    assert found.scan.scans is not None and found.carry.buffer is not None
    second = replace(found.prefixes, reason=CHANGES_PLACES)
    behind = [
        replace(stage, buffer=second) if isinstance(stage, Keep) and stage.buffer.id == found.carry.buffer.id else stage
        for stage in found.nest.body
    ]
    tail = Tail(found.nest.axes[0].axis, found.loads)
    scan = replace(found.scan, body=(*found.scan.body, *behind), scans=replace(found.scan.scans, tail=tail))
    body = tuple(scan if stage is found.scan else stage for stage in rounds.body if stage is not found.nest)
    carries = tuple(replace(c, spare=second) if c is found.carry else c for c in rounds.carries)
    return replace(rounds, body=body, carries=carries)
