"""What every concrete plan says in the same words: who runs which command, in which order, with which memory.

It is complete in itself: text without the kernel, and enough to run the commands in any order that it admits.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from intent2cuda.base.intexpr import IntExpr, Operation, Symbol
from intent2cuda.base.records import Records
from intent2cuda.plan.commands import BODIES, CLAUSES, Command, ImplementationRef

SCHEMA = "intent.concrete"


class QueueKind(Enum):
    """What a queue takes."""

    COMPUTE = "compute"  # launches and collective commands
    COPY = "copy"  # transfers
    HOST = "host"  # calls of host functions


@dataclass(frozen=True)
class Device:
    """`spaces` are those whose memory its commands can see. `queues`: whether its commands are issued to queues."""

    id: str
    kind: str
    spaces: tuple[str, ...]
    queues: bool


@dataclass(frozen=True)
class Queue:
    """Commands of one queue run in the order in which they are issued; nothing is known between queues."""

    id: str
    device: str
    kind: QueueKind


@dataclass(frozen=True)
class Engine:
    """A part of a device that runs one command of these queues at a time."""

    id: str
    device: str
    queues: tuple[str, ...]


class Binding(Enum):
    """Where the bytes of a region come from. None of them is allocated by a command."""

    STATIC = "static"  # part of the code: frames, registers, arrays of constant size
    KEPT = "kept"  # a thread keeps it from call to call
    CALLER = "caller"  # an argument of the call


@dataclass(frozen=True)
class MemoryRegion:
    """Consecutive bytes of one space. `per`: of what there is one each: a thread, a block, a call."""

    id: str
    space: str
    device: str
    per: str
    binding: Binding
    bytes: IntExpr


class Size(Enum):
    """How the size of a placed buffer was found."""

    EXACT = "exact"  # what the chosen implementations use
    GUARDED = "guarded"  # that, where a check at the call holds


@dataclass(frozen=True)
class PlacedBuffer:
    """A buffer at its place. `first` and `last`: the steps between which it holds something.

    Buffers of one `reuse` group may have the same bytes, one after the other. `replaces`: the buffer of the portable
    plan whose upper bound the size takes the place of, or that it stands for.
    """

    id: str
    region: str
    offset: IntExpr
    bytes: IntExpr
    alignment: int
    first: str
    last: str
    reuse: str
    size: Size
    replaces: str
    tasks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Coordination:
    """`commands` are in an order in which they can be issued; `given`: buffers that hold something at the beginning."""

    devices: tuple[Device, ...]
    queues: tuple[Queue, ...]
    engines: tuple[Engine, ...]
    tokens: tuple[str, ...]
    regions: tuple[MemoryRegion, ...]
    buffers: tuple[PlacedBuffer, ...]
    given: tuple[str, ...]
    commands: tuple[Command, ...]


COORDINATION = (
    Coordination, Device, Queue, QueueKind, Engine, MemoryRegion, Binding, PlacedBuffer, Size,
    Command, ImplementationRef, *BODIES, *CLAUSES, IntExpr, Operation, Symbol,
)  # fmt: skip

RECORDS = Records(COORDINATION)
"""The text of a coordination, and the way back."""
