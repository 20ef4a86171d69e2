"""Where every buffer of a kernel's plan lies, with its size and its life, and the command that runs the kernel."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

from intent2cuda.base.codec import canonical, digest
from intent2cuda.base.intexpr import IntExpr, ceiling
from intent2cuda.ir.kernel import Kernel
from intent2cuda.ir.value import Value
from intent2cuda.plan.commands import Command, ImplementationRef, Launch
from intent2cuda.plan.coordination import (
    Binding,
    Coordination,
    Device,
    Engine,
    MemoryRegion,
    PlacedBuffer,
    Queue,
    QueueKind,
    Size,
)
from intent2cuda.plan.identity import Identities
from intent2cuda.plan.stage import Buffer, Points, Product, Space, Stage
from intent2cuda.plan.stage_identity import StageIds
from intent2cuda.plan.storage import aligned, element_bytes
from intent2cuda.plan.touching import Touching
from intent2cuda.plan.trees import every
from intent2cuda.types.value_type import Access, ViewType

ALIGNMENTS = {Space.SCRATCH: 64, Space.WORKSPACE: 256}
"""Of what the runtime hands out; the others are aligned as their elements are."""

DEVICES = {
    "cpu": Device("host", "cpu", ("local", "scratch", "global"), queues=False),
    "cuda": Device("gpu", "cuda", ("local", "shared", "workspace", "global", "constant"), queues=True),
}
QUEUES = {"cpu": (), "cuda": (Queue("stream", "gpu", QueueKind.COMPUTE),)}
ENGINES = {"cpu": (Engine("team", "host", ()),), "cuda": (Engine("multiprocessors", "gpu", ("stream",)),)}


@dataclass(frozen=True)
class Life:
    """The steps between which a buffer holds something."""

    first: str
    last: str


@dataclass(frozen=True)
class Placing:
    """What places are made from. `tasks`: those of the portable plan that touch each buffer, by its identifier."""

    kernel: Kernel
    target: str
    stages: tuple[Stage, ...]
    buffers: tuple[Buffer, ...]
    touching: Touching
    ids: StageIds
    identities: Identities

    def coordination(self, tasks: Sequence[str], implementation: ImplementationRef, tile_bytes: int) -> Coordination:
        """One launch that carries out the tasks, and all memory that it touches."""
        device, queues, command = DEVICES[self.target], QUEUES[self.target], command_id(tasks)
        views = [p for p in self.kernel.parameters if isinstance(p.type, ViewType)]
        placed = [*(self.view(view, command) for view in views), *self.placed(tile_bytes, command)]
        regions = [*(self.view_region(view, device.id) for view in views), *self.regions(placed, device.id)]
        launch = Command(
            id=command,
            body=Launch(implementation, queues[0].id if queues else None),
            device=device.id,
            reads=tuple(v.name for v in views if _access(v) is not Access.OUT),
            writes=tuple(v.name for v in views if _access(v) is not Access.IN),
            tasks=tuple(tasks),
        )
        given = tuple(v.name for v in views if _access(v) is not Access.OUT)
        return Coordination(
            (device,), queues, ENGINES[self.target], (), tuple(regions), tuple(placed), given, (launch,)
        )

    def view(self, view: Value, command: str) -> PlacedBuffer:
        kind = view.resource
        size = prod(kind.shape, start=IntExpr.of(kind.dtype.bytes))
        life = self.life(f"v{view.serial}", self.stages, command)
        region = f"view {view.name}"
        none = IntExpr.of(0)
        return PlacedBuffer(
            view.name, region, none, size, kind.dtype.bytes, life.first, life.last, region, Size.EXACT, view.name
        )

    def view_region(self, view: Value, device: str) -> MemoryRegion:
        kind = view.resource
        size = prod(kind.shape, start=IntExpr.of(kind.dtype.bytes))
        return MemoryRegion(f"view {view.name}", "global", device, "call", Binding.CALLER, size)

    def placed(self, tile_bytes: int, command: str) -> Iterator[PlacedBuffer]:
        """The plan's own buffers, one after the other in each region; the tiles of products come first."""
        ends: dict[str, IntExpr] = {}
        if tile_bytes:
            products = [stage for stage in self.stages if any(isinstance(s, Product) for s in every((stage,)))]
            first, last = (self.ids.of(products[n]) for n in (0, -1))
            ends["shared"] = IntExpr.of(tile_bytes)
            yield PlacedBuffer(
                "tiles", "shared", IntExpr.of(0), ends["shared"], 16, first, last, "tiles", Size.EXACT, ""
            )
        for buffer in self.buffers:
            alignment = ALIGNMENTS.get(buffer.space, element_bytes(buffer))
            size = _rounded(_bytes(buffer), alignment, buffer.space)
            region = _region(buffer)
            offset = _rounded(ends.get(region, IntExpr.of(0)), alignment, buffer.space)
            ends[region] = offset + size
            life = self.life(buffer.id, self.around(buffer), command)
            name = buffer_id(buffer, self.identities)
            guarded = buffer.space is Space.WORKSPACE
            yield PlacedBuffer(
                buffer.id, region, offset, size, alignment, life.first, life.last, buffer.id,
                Size.GUARDED if guarded else Size.EXACT, name,
            )  # fmt: skip

    def regions(self, placed: Sequence[PlacedBuffer], device: str) -> Iterator[MemoryRegion]:
        """The regions of the plan's own buffers, each as long as its last buffer reaches."""
        for buffer in dict.fromkeys(_region(buffer) for buffer in self.buffers):
            last = [p for p in placed if p.region == buffer][-1]
            space, per, binding = _kind(next(b for b in self.buffers if _region(b) == buffer))
            yield MemoryRegion(buffer, space, device, per, binding, last.offset + last.bytes)
        tiles = [p for p in placed if p.id == "tiles"]
        if tiles and not any(_region(buffer) == "shared" for buffer in self.buffers):
            yield MemoryRegion("shared", "shared", device, "block", Binding.STATIC, tiles[0].bytes)

    def around(self, buffer: Buffer) -> Sequence[Stage]:
        """The stages of the loop body to a member of which the buffer belongs; the outermost ones where to none."""
        if not buffer.inside:
            return self.stages
        return next(s.body for s in every(self.stages) if isinstance(s, Points) and s.id == buffer.inside[-1])

    def life(self, key: str, stages: Sequence[Stage], command: str) -> Life:
        """From the first to the last of the stages that touch it; the whole command where none does."""
        touching = [s for s in stages if any(touch.key == key for touch in self.touching.all((s,)))]
        return Life(self.ids.of(touching[0]), self.ids.of(touching[-1])) if touching else Life(command, command)


def command_id(tasks: Sequence[str]) -> str:
    """The identifier of the launch that runs these tasks."""
    return f"c{digest('command', canonical(['launch', sorted(tasks)]))[:8]}"


def buffer_id(buffer: Buffer, identities: Identities) -> str:
    """The name of a buffer in portable plans, after the value that it holds; of a carry the second is told apart."""
    spare = ".next" if buffer.name.startswith("next_") else ""
    return f"b.{identities.names.of(buffer.value)}{spare}"


def _access(view: Value) -> Access:
    assert isinstance(view.type, ViewType)
    return view.type.access


def _region(buffer: Buffer) -> str:
    """Scratch is a region for each buffer; of other spaces there is one."""
    return f"scratch {buffer.id}" if buffer.space is Space.SCRATCH else buffer.space.value


def _kind(buffer: Buffer) -> tuple[str, str, Binding]:
    """Space of a buffer, of what there is one each, and who provides it."""
    match buffer.space:
        case Space.LOCAL:
            return "local", "thread", Binding.STATIC
        case Space.SCRATCH:
            return "scratch", "call" if buffer.shared_by_team else "thread", Binding.KEPT
        case Space.SHARED:
            return "shared", "block", Binding.STATIC
        case Space.WORKSPACE:
            return "workspace", "block", Binding.CALLER


def _bytes(buffer: Buffer) -> IntExpr:
    """Of all elements; arrays of constant size have at least one."""
    count = prod(buffer.extents, start=IntExpr.of(1))
    least = 1 if buffer.space in (Space.LOCAL, Space.SHARED) else 0
    known = count if count.constant is None else IntExpr.of(max(count.constant, least))
    return known * element_bytes(buffer)


def _rounded(size: IntExpr, alignment: int, space: Space) -> IntExpr:
    constant = size.constant
    if constant is not None:
        return IntExpr.of(aligned(constant, alignment))
    return ceiling(size, alignment) * alignment if space is Space.WORKSPACE else size
