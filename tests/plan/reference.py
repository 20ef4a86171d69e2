"""The simplest binding there is: a command for each task, in their order, and buffers one after the other in memory.

It chooses nothing, so what the gate makes of the same portable plan can be compared with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from intent2cuda.base.intexpr import IntExpr, ceiling
from intent2cuda.plan.commands import Command, ImplementationRef, Launch
from intent2cuda.plan.coordination import (
    Binding,
    Coordination,
    Device,
    MemoryRegion,
    PlacedBuffer,
    Queue,
    QueueKind,
    Size,
)
from intent2cuda.plan.portable import BufferRole, PlanBuffer, PortablePlan
from intent2cuda.plan.schedules import Slot, VirtualSlotSchedule

ALIGNMENT = 64


@dataclass(frozen=True)
class Reference:
    """`queued`: commands are issued to one queue; otherwise they run where they stand, each after the one before."""

    queued: bool

    def coordination(self, plan: PortablePlan) -> Coordination:
        queue = Queue("q", "device", QueueKind.COMPUTE)
        tasks = [task.id for task in plan.tasks]
        buffers, end = self.buffers(plan, tasks)
        given = tuple(b.id for b in plan.buffers if b.role in (BufferRole.INPUT, BufferRole.STATE))
        commands: list[Command] = []
        for task in plan.tasks:
            held = {*given, *(name for command in commands for name in command.writes)}
            code = ImplementationRef("reference", task.operation, "1", "reference", "any")
            before = () if self.queued else tuple(command.id for command in commands[-1:])
            commands.append(
                Command(
                    id=f"c.{task.id}",
                    body=Launch(code, queue.id if self.queued else None),
                    device="device",
                    dependencies=before,
                    reads=tuple(name for name in task.inputs if name in held),  # the rest is its own, filled before
                    writes=task.outputs,
                    tasks=(task.id,),
                )
            )
        return Coordination(
            devices=(Device("device", "virtual", ("memory",), self.queued),),
            queues=(queue,) if self.queued else (),
            engines=(),
            tokens=(),
            regions=(MemoryRegion("memory", "memory", "device", "call", Binding.CALLER, end),),
            buffers=buffers,
            given=given,
            commands=tuple(commands),
        )

    def buffers(self, plan: PortablePlan, tasks: Sequence[str]) -> tuple[tuple[PlacedBuffer, ...], IntExpr]:
        """The buffers in their order, each aligned, and where the last one ends."""
        placed: list[PlacedBuffer] = []
        end = IntExpr.of(0)
        for buffer in plan.buffers:
            size = ceiling(_bytes(buffer), ALIGNMENT) * ALIGNMENT
            uses = [f"c.{task.id}" for task in plan.tasks if buffer.id in (*task.inputs, *task.outputs)]
            first, last = (uses[0], uses[-1]) if uses else (f"c.{tasks[0]}", f"c.{tasks[-1]}")
            placed.append(
                PlacedBuffer(buffer.id, "memory", end, size, ALIGNMENT, first, last, buffer.id, Size.EXACT, buffer.id)
            )
            end = end + size
        return tuple(placed), end

    def slots(self, plan: PortablePlan) -> VirtualSlotSchedule:
        """One cycle after another."""
        names = tuple(f"c.{task.id}" for task in plan.tasks)
        return VirtualSlotSchedule(names, tuple(Slot(name, n) for n, name in enumerate(names)), "cycles", "stop")


def _bytes(buffer: PlanBuffer) -> IntExpr:
    return buffer.size.expression
