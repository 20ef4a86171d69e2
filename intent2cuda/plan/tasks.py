"""From a stage tree to the tasks, buffers and decisions of a portable plan."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import prod

from intent2cuda.base.codec import canonical, digest
from intent2cuda.base.intexpr import IntExpr
from intent2cuda.ir.op import Op, results
from intent2cuda.ir.ops import ArgReduce, Contract, For, Pointwise, Reduce
from intent2cuda.plan.counts import Counts, add
from intent2cuda.plan.covering import covered, stage_roots
from intent2cuda.plan.identity import Identities
from intent2cuda.plan.plain import plain
from intent2cuda.plan.portable import (
    SCHEMA,
    BufferRole,
    Capability,
    Count,
    Decision,
    DecisionKind,
    Parameter,
    PlanBuffer,
    PlanTask,
    PortableAxis,
    PortablePlan,
    Resource,
    WorkloadFacts,
)
from intent2cuda.plan.stage import Axis, Branch, Buffer, Fold, Loop, Points, Product, Role, Stage
from intent2cuda.plan.staging import Draft
from intent2cuda.plan.touching import Touch, Touching
from intent2cuda.plan.trees import every, inside
from intent2cuda.plan.writing_out import WrittenOut
from intent2cuda.types.dtype import DType
from intent2cuda.types.value_type import Access, BufferType, TensorType, ViewType

OBJECTIVES = (("latency", "minimise", 1),)
ROLES = {Access.IN: BufferRole.INPUT, Access.OUT: BufferRole.OUTPUT, Access.INOUT: BufferRole.STATE}


def portable_plan(draft: Draft, identities: Identities, parent: str, out: WrittenOut) -> PortablePlan:
    """The portable plan of a draft of what was written out. `parent` is the digest of the author's kernel."""
    builder = _Builder(draft, identities)
    tasks = builder.tasks()
    made = PortablePlan(
        kernel=draft.kernel.name,
        parent=parent,
        strategy="fused",
        tasks=tasks,
        buffers=tuple(builder.buffers(tasks)),
        decisions=(*_written(out, identities), *builder.decisions(tasks)),
        parameters=tuple(_parameters(out)),
        objectives=OBJECTIVES,
        obligations=tuple(f"give storage to {builder.buffer_id(buffer)}" for buffer in draft.buffers),
        digest="",
    )
    return replace(made, digest=digest(SCHEMA, canonical(plain(made, identities))))


def _written(out: WrittenOut, identities: Identities) -> Iterator[Decision]:
    for written in out.written:
        yield Decision(DecisionKind.WRITE_OUT, (identities.of_author(written.op),), written.form)


def _parameters(out: WrittenOut) -> Iterator[Parameter]:
    if out.segment is not None:
        yield Parameter(out.segment.name, 1, "members of a segment")


class _Builder:
    def __init__(self, draft: Draft, identities: Identities) -> None:
        self.draft = draft
        self.identities = identities
        self.counts = Counts(draft.kernel)
        self.touching = Touching(draft.demand, draft.stages)
        self.names = {buffer.id: self.buffer_id(buffer) for buffer in draft.buffers}
        self.names |= {f"v{p.serial}": p.name for p in draft.kernel.parameters}

    def buffer_id(self, buffer: Buffer) -> str:
        """Named after the value it holds; the second buffer of a carry is told apart."""
        spare = ".next" if buffer.name.startswith("next_") else ""
        return f"b.{self.identities.names.of(buffer.value)}{spare}"

    def tasks(self) -> tuple[PlanTask, ...]:
        made: list[PlanTask] = []
        touches: list[list[Touch]] = []
        for stages in _groups(self.draft.stages):
            if not any(covered(stages)) and not self.virtual(stages):
                continue
            touched = list(self.touching.all(stages))
            before = [task.id for task, other in zip(made, touches, strict=True) if _depends(touched, other)]
            made.append(self.task(stages, touched, tuple(before)))
            touches.append(touched)
        return tuple(made)

    def task(self, stages: Sequence[Stage], touched: Sequence[Touch], before: tuple[str, ...]) -> PlanTask:
        own = list(covered(stages))
        virtual = self.virtual(stages)
        ops = [op for op in self.identities.ops if op in own or op in virtual]
        body = tuple(self.identities.op(op) for op in ops)
        running = sorted(self.identities.op(op) for op in own) or sorted(body)
        facts = self.counts.facts(ops)
        return PlanTask(
            id=f"t{digest('task', ' '.join(running))[:8]}",
            operation=_operation(stages),
            axes=tuple(_axes(stages)),
            parts=tuple(_parts(stages)),
            body=body,
            inputs=self.keys(touch for touch in touched if not touch.write),
            outputs=self.keys(touch for touch in touched if touch.write),
            effects=self.keys(touch for touch in touched if touch.write and touch.of_view),
            dependencies=before,
            facts=facts,
            resources=tuple(_resources(facts)),
            capabilities=tuple(_capabilities(ops)),
        )

    def keys(self, touches: Iterator[Touch]) -> tuple[str, ...]:
        return tuple(sorted({self.names.get(touch.key, touch.name) for touch in touches}))

    def virtual(self, stages: Sequence[Stage]) -> set[Op]:
        demand = self.draft.demand
        values = {value for root in stage_roots(stages, demand) for value in demand.seen(root).values}
        return {demand.producers[value] for value in values if value in demand.producers}

    def buffers(self, tasks: Sequence[PlanTask]) -> Iterator[PlanBuffer]:
        for parameter in self.draft.kernel.parameters:
            if isinstance(parameter.type, ViewType):
                size = prod(parameter.type.shape, start=IntExpr.of(1))
                role = ROLES[parameter.type.access]
                yield self.buffer(parameter.name, parameter.type.dtype, role, "external", size, "all elements", tasks)
        for buffer in self.draft.buffers:
            kind = buffer.value.type
            assert isinstance(kind, TensorType | BufferType)
            size = prod(buffer.extents, start=IntExpr.of(1))
            name = self.buffer_id(buffer)
            yield self.buffer(name, kind.dtype, BufferRole.WORKSPACE, "transient", size, buffer.reason, tasks)

    def buffer(
        self,
        name: str,
        dtype: DType,
        role: BufferRole,
        storage: str,
        bound: IntExpr,
        meaning: str,
        tasks: Sequence[PlanTask],
    ) -> PlanBuffer:
        producer = next((task.id for task in tasks if name in task.outputs), "")
        consumers = tuple(task.id for task in tasks if name in task.inputs)
        return PlanBuffer(name, dtype, role, storage, bound, meaning, producer, consumers)

    def decisions(self, tasks: Sequence[PlanTask]) -> Iterator[Decision]:
        for task in tasks:
            if len(task.body) > 1:
                yield Decision(DecisionKind.FUSE, task.body, "the members of the axes are independent of each other")
        for buffer in self.draft.buffers:
            other = ("recompute",) if buffer.value in self.draft.by_cost else ()
            yield Decision(DecisionKind.MATERIALIZE, (self.buffer_id(buffer),), buffer.reason, other)
            whose = "one for the call" if buffer.shared_by_team else "one for each member of the loop around"
            yield Decision(DecisionKind.RESOURCE, (self.buffer_id(buffer), "transient"), whose)
        yield from self.recomputed()
        yield from self.ordered(self.draft.stages)

    def recomputed(self) -> Iterator[Decision]:
        demand = self.draft.demand
        sweeps: dict[Op, int] = {}
        for root in stage_roots(self.draft.stages, demand):
            for value in demand.seen(root).values:
                op = demand.producers.get(value)
                if isinstance(op, Pointwise) and op.result.tensor.shape and op.result not in demand.defined:
                    sweeps[op] = sweeps.get(op, 0) + 1
        for op in self.identities.ops:
            if sweeps.get(op, 0) > 1:
                reason = f"cheaper to compute in each of {sweeps[op]} sweeps than to store and read"
                yield Decision(DecisionKind.RECOMPUTE, (self.identities.op(op),), reason, ("materialize",))

    def ordered(self, stages: Sequence[Stage]) -> Iterator[Decision]:
        for stage in stages:
            if isinstance(stage, Loop):
                yield Decision(DecisionKind.ORDER, (self.identities.op(stage.op),), "rounds keep the author's order")
            yield from self.ordered(inside(stage))


def _groups(stages: Sequence[Stage]) -> Iterator[tuple[Stage, ...]]:
    """Each nest, sweep, loop and branch of the top level is a task; scalars in a row are one."""
    run: list[Stage] = []
    for stage in stages:
        if isinstance(stage, Points | Fold | Product | Loop | Branch):
            if run:
                yield tuple(run)
            run = []
            yield (stage,)
        else:
            run.append(stage)
    if run:
        yield tuple(run)


def _depends(touched: Sequence[Touch], earlier: Sequence[Touch]) -> bool:
    return any(one.key == other.key and (one.write or other.write) for one in touched for other in earlier)


def _operation(stages: Sequence[Stage]) -> str:
    """The most structured thing that a task does."""
    found = [type(stage) for stage in every(stages)]
    for kind, name in ((Product, "intent.contract"), (Fold, "intent.reduce"), (Loop, "intent.serial")):
        if kind in found:
            return name
    return "intent.pointwise"


def _axes(stages: Sequence[Stage]) -> Iterator[PortableAxis]:
    for stage in every(stages):
        axes: tuple[Axis, ...] = ()
        if isinstance(stage, Points):
            axes = tuple(bound.axis for bound in stage.axes)
        elif isinstance(stage, Fold):
            axes = (*stage.over, *stage.axes)
        elif isinstance(stage, Product):
            axes = (stage.rows, stage.columns, stage.depth)
        for axis in axes:
            yield PortableAxis(axis.id, axis.extent, axis.role)
        if isinstance(stage, Loop) and isinstance(stage.op, For):
            yield PortableAxis(stage.id, stage.op.domain.domain.extent, Role.ORDERED)


def _parts(stages: Sequence[Stage]) -> Iterator[str]:
    """The sweeps of a task in order, by what they do and along which axes."""
    for stage in every(stages):
        match stage:
            case Fold():
                yield f"reduce {' '.join(axis.id for axis in stage.axes)}"
            case Product():
                yield f"contract {stage.depth.id}"
            case Points():
                yield f"each {' '.join(bound.axis.id for bound in stage.axes)}"
            case Loop():
                yield f"in order {stage.id}"
            case _:
                pass


def _resources(facts: WorkloadFacts) -> Iterator[Resource]:
    arithmetic = Count(IntExpr.of(0))
    for _, _, count in facts.operations:
        arithmetic = add(arithmetic, count)
    yield Resource("arithmetic", arithmetic, "per_task")
    yield Resource("memory_bandwidth", add(facts.read_bytes, facts.write_bytes), "per_task")


def _capabilities(ops: Sequence[Op]) -> Iterator[Capability]:
    needs: dict[str, tuple[str, ...]] = {}
    for op in ops:
        match op:
            case Contract():
                kinds = f"{op.lhs.tensor.dtype}*{op.rhs.tensor.dtype}->{op.result.tensor.dtype}"
                needs[f"contract {kinds}"] = ("matrix product", "scalar multiply-add")
            case Reduce():
                needs[f"reduce {op.combiner.value} {op.result.tensor.dtype}"] = ("any order",)
            case ArgReduce():
                needs[f"greatest {op.source.tensor.dtype}"] = ("first of equals",)
            case _:
                pass
        for value in results(op):
            if isinstance(value.type, TensorType):
                needs.setdefault(f"arithmetic {value.type.dtype}", ("native", "by conversion"))
    yield from (Capability(need, needs[need]) for need in sorted(needs))
