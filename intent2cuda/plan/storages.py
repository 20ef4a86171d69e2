"""The memory of a portable plan: views of the caller, and workspace with the most that it can be."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod

from intent2cuda.base.intexpr import IntExpr, Operation, minimum
from intent2cuda.ir.kernel import walk
from intent2cuda.ir.op import Op, Region, regions, results
from intent2cuda.ir.ops import Contract, RegionFold, RegionScan
from intent2cuda.ir.value import Value
from intent2cuda.plan.bounds import Bounds
from intent2cuda.plan.identity import Identities
from intent2cuda.plan.portable import BufferRole, PlanBuffer, PlanTask
from intent2cuda.plan.quantity import Exact, Quantity, Unknown, UpperBound
from intent2cuda.plan.spelling import spelled
from intent2cuda.plan.stage import Axis, Buffer, Points
from intent2cuda.plan.staging import Draft
from intent2cuda.plan.touching import Touch
from intent2cuda.plan.trees import every
from intent2cuda.plan.workload import Workload
from intent2cuda.types.dtype import DType
from intent2cuda.types.value_type import Access, BufferType, TensorType, ViewType

ROLES = {Access.IN: BufferRole.INPUT, Access.OUT: BufferRole.OUTPUT, Access.INOUT: BufferRole.STATE}
HELD, WORKING = "members x elements", "members x elements of the largest value"


@dataclass(frozen=True)
class Storage:
    """A workspace of the plan. `shared`: one for the call; otherwise each member of the loops around has its own.

    `bound` is unknown where nothing that the call knows bounds an extent.
    """

    id: str
    dtype: DType
    bound: UpperBound | Unknown
    shared: bool
    lineage: tuple[str, ...]


class Storages:
    """The workspaces of a draft, and the names of all memory that its stages touch."""

    def __init__(self, draft: Draft, identities: Identities, author: Identities, workload: Workload) -> None:
        self._draft = draft
        self._identities = identities
        self._author = author
        self._workload = workload
        self._bounds = Bounds(replace(draft.kernel, parameters=workload.kernel.parameters))
        self._defining = {value: op for op in walk(draft.kernel.body) for value in results(op)}
        self._members = {s.id: [b.axis for b in s.axes] for s in every(draft.stages) if isinstance(s, Points)}
        self.by_buffer = {buffer.id: self._storage(buffer) for buffer in draft.buffers}
        self.working = dict(self._working())
        self._names = {f"v{p.serial}": p.name for p in draft.kernel.parameters}
        self._names |= {key: storage.id for key, storage in self.by_buffer.items()}

    def name(self, touch: Touch) -> str:
        return self._names.get(touch.key, touch.name)

    def fetched(self, touches: Sequence[Touch]) -> Iterator[Quantity]:
        """The bytes of each shared workspace that is read."""
        return self._moved(touches, write=False)

    def stored(self, touches: Sequence[Touch]) -> Iterator[Quantity]:
        return self._moved(touches, write=True)

    def capacity(self, touches: Sequence[Touch], operations: Sequence[str]) -> list[tuple[UpperBound | Unknown, str]]:
        """What a task holds of the workspaces that it touches and that its operations work in, with its scope."""
        keys = dict.fromkeys(touch.key for touch in touches if touch.key in self.by_buffer)
        found = [self.by_buffer[key] for key in keys]
        found += (self.working[name] for name in operations if name in self.working)
        return [(storage.bound, "shared" if storage.shared else "per_instance") for storage in found]

    def _moved(self, touches: Sequence[Touch], write: bool) -> Iterator[Quantity]:
        ranks = {buffer.id: len(buffer.kept) for buffer in self._draft.buffers if buffer.shared_by_team}
        for key in dict.fromkeys(t.key for t in touches if t.write is write and t.key in ranks):
            mine = [t for t in touches if t.key == key and t.write is write]
            bound = self.by_buffer[key].bound
            if isinstance(bound, Unknown):
                yield bound
                continue
            size = bound.expression
            whole = any(len(t.along) == ranks[key] for t in mine)
            yield Exact(size) if whole else Unknown("a part of a workspace may be touched", size)

    def _storage(self, buffer: Buffer) -> Storage:
        kind = buffer.value.type
        assert isinstance(kind, TensorType | BufferType)
        spare = ".next" if buffer.name.startswith("next_") else ""
        op = self._defining.get(buffer.value)
        lineage = () if op is None else (self._identities.of_author(op),)
        name = self._identities.names.of(buffer.value)
        around = "" if buffer.shared_by_team else ", by all members of the loops around"
        meaning = f"every element of {name} held at once{around}"
        most = self._most(buffer)
        if most is None:
            bound = Unknown(f"data decides how many elements of {name} there are")
        else:
            bound = UpperBound(most * kind.dtype.bytes, meaning, HELD, lineage)
        return Storage(f"b.{name}{spare}", kind.dtype, bound, buffer.shared_by_team, lineage)

    def _most(self, buffer: Buffer) -> IntExpr | None:
        """How many elements all members hold at most; None where the call does not bound that."""
        loops = [axis for name in buffer.inside for axis in self._members.get(name, ())]
        found = [self._bounds.upper(e) for e in _all_pieces(loops, buffer.extents)]
        known = [self._workload.not_negative(extent) for extent in found if extent is not None]
        return prod(known, start=IntExpr.of(1)) if len(known) == len(found) else None

    def buffers(self, tasks: Sequence[PlanTask]) -> Iterator[PlanBuffer]:
        """The views in order of the parameters, then the workspaces."""
        for parameter in self._workload.kernel.parameters:
            kind = parameter.type
            if isinstance(kind, ViewType):
                size = prod((spelled(e, self._author.names) for e in kind.shape), start=IntExpr.of(kind.dtype.bytes))
                touching = tuple(
                    effect.operation for task in tasks for effect in task.effects if effect.buffer == parameter.name
                )
                yield _buffer(parameter.name, kind.dtype, ROLES[kind.access], "external", Exact(size), touching, tasks)
        for storage in self.by_buffer.values():
            yield _workspace(storage, tasks)
        for name, storage in self.working.items():
            task = next(task for task in tasks if name in task.body)
            yield _workspace(storage, [replace(task, inputs=(storage.id,), outputs=(storage.id,))])

    def _working(self) -> Iterator[tuple[str, Storage]]:
        """A workspace for each product and each region operation whose values no other workspace holds."""
        held = {name for storage in self.by_buffer.values() for name in storage.lineage}
        for op in _outermost(self._workload.kernel.body):
            name = self._author.op(op)
            inside = {self._author.op(inner) for region in regions(op) for inner in walk(region)}
            value, maker = _largest(op)
            elements = self._workload.elements(maker, value)
            if elements is not None and held.isdisjoint((name, *inside)):
                dtype, lineage = value.tensor.dtype, tuple(dict.fromkeys((name, self._author.op(maker))))
                meaning = f"every element of {self._author.names.of(value)} held at once"
                bound = UpperBound(elements * dtype.bytes, meaning, WORKING, lineage)
                yield name, Storage(f"b.{name}.working", dtype, bound, False, lineage)


def _outermost(region: Region) -> Iterator[RegionFold | RegionScan | Contract]:
    """The products and region operations that stand in none of the latter."""
    for op in region.ops:
        if isinstance(op, RegionFold | RegionScan | Contract):
            yield op
        else:
            for inner in regions(op):
                yield from _outermost(inner)


def _largest(op: RegionFold | RegionScan | Contract) -> tuple[Value, Op]:
    """The value with the most axes among those that are cut with the operation's axis, and the op that makes it."""
    if isinstance(op, Contract):
        return op.result, op
    cut = (op.summarize,) if isinstance(op, RegionFold) else (op.summarize, op.emit)
    along = [
        (value, inner)
        for region in cut
        for inner in walk(region)
        for value in results(inner)
        if isinstance(value.type, TensorType) and region.args[0].as_symbol in value.type.shape
    ]
    return max(along, key=lambda pair: pair[0].tensor.rank, default=(op.sources[0], op))


def _workspace(storage: Storage, tasks: Sequence[PlanTask]) -> PlanBuffer:
    return _buffer(storage.id, storage.dtype, BufferRole.WORKSPACE, "transient", storage.bound, storage.lineage, tasks)


def _buffer(
    name: str,
    dtype: DType,
    role: BufferRole,
    storage: str,
    size: Exact | UpperBound | Unknown,
    lineage: tuple[str, ...],
    tasks: Sequence[PlanTask],
) -> PlanBuffer:
    producer = next((task.id for task in tasks if name in task.outputs), "")
    consumers = tuple(task.id for task in tasks if name in task.inputs)
    using = [task.id for task in tasks if name in task.inputs or name in task.outputs]
    lifetime = (using[0], using[-1]) if using else ("", "")
    return PlanBuffer(name, dtype, role, storage, size, producer, consumers, lifetime, lineage)


def _all_pieces(loops: Sequence[Axis], extents: Sequence[IntExpr]) -> list[IntExpr]:
    """The members of the loops, and the extents inside them; all pieces that a loop takes of an axis are the axis."""
    members, inside = [axis.extent for axis in loops], list(extents)
    for axis in loops:
        whole = _in_pieces(axis)
        if whole is not None and axis.point is not None:
            piece = minimum(axis.step, whole - axis.point.as_symbol)
            if piece in inside:
                members.remove(axis.extent)
                inside[inside.index(piece)] = whole
    return [*members, *inside]


def _in_pieces(axis: Axis) -> IntExpr | None:
    """The extent that a loop takes in pieces of its step; None for other loops."""
    match axis.extent.terms:
        case (((Operation(kind="ceildiv", lhs=whole, rhs=step),), 1),) if step == axis.step:
            return whole
        case _:
            return None
