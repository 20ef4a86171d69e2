"""The tasks of a portable plan: which operations of the author run together, on what, after what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce

from intent2cuda.base.codec import digest
from intent2cuda.ir.op import Op, operands, regions, results
from intent2cuda.ir.ops import Cast, Philox, Pointwise, ScatterReduce, Store, Yield
from intent2cuda.ir.value import Value
from intent2cuda.plan.covering import covered, stage_roots
from intent2cuda.plan.effects import EFFECTS
from intent2cuda.plan.identity import Identities
from intent2cuda.plan.needs import capabilities, operation, resources
from intent2cuda.plan.portable import Lineage, Origin, PlanTask, PortableAxis, TypedEffect
from intent2cuda.plan.quantity import NOTHING, Quantity, add
from intent2cuda.plan.stage import Access, Branch, Effect, Fold, Loop, Points, Product, Stage
from intent2cuda.plan.staging import Draft
from intent2cuda.plan.storages import Storages
from intent2cuda.plan.touching import Touch, Touching
from intent2cuda.plan.trees import every
from intent2cuda.plan.workload import Workload
from intent2cuda.plan.worksets import Axes, Worksets
from intent2cuda.types.value_type import ViewType


@dataclass(frozen=True)
class Author:
    """The kernel as its author wrote it, and what is known of it."""

    identities: Identities
    workload: Workload
    axes: Axes
    worksets: Worksets

    @property
    def ops(self) -> Mapping[Op, str]:
        return self.identities.ops


@dataclass(frozen=True)
class Share:
    """The part of a plan that one task is. `ops`: of the author, in program order; `again`: how often the task does
    some of them on top of what the author wrote.
    """

    stages: tuple[Stage, ...]
    touched: tuple[Touch, ...]
    running: tuple[Op, ...]
    ops: tuple[Op, ...]
    again: Mapping[Op, int]


def shares(draft: Draft, author: Author) -> tuple[Share, ...]:
    """The nests, sweeps, loops and branches of the top level, each with the operations of the author that it covers.

    What no stage covers by itself goes to the first task that reads it.
    """
    touching = Touching(draft.demand, draft.stages)
    parts = ((stages, _authors(covered(stages), author), _evaluated(stages, draft)) for stages in _groups(draft.stages))
    groups = [part for part in parts if part[1] or part[2]]
    bodies = [{*running, *_authors(evaluated, author)} for _, running, evaluated in groups]
    _give_homes(bodies, author)
    order = {op: number for number, op in enumerate(author.ops)}
    before: Counter[Op] = Counter()
    found: list[Share] = []
    for (stages, running, evaluated), body in zip(groups, bodies, strict=True):
        ops = tuple(sorted(body, key=order.__getitem__))
        again = _again(evaluated, before, author)
        found.append(Share(stages, tuple(touching.all(stages)), tuple(running), ops, again))
        before += evaluated
    return tuple(found)


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


def _authors(ops: Iterable[Op], author: Author) -> list[Op]:
    """The author's ops that ops stand for, each once."""
    return [op for op in dict.fromkeys(op.author for op in ops) if op in author.ops]


def _evaluated(stages: Sequence[Stage], draft: Draft) -> Counter[Op]:
    """How often the stages evaluate the ops of virtual values: once for each sweep and each way of reading them."""
    found: Counter[Op] = Counter()
    for root in stage_roots(stages, draft.demand):
        seen = draft.demand.seen(root)
        ends = set(seen.leaves)
        for read in seen.reads:
            op = draft.demand.producers.get(read[0])
            if op is not None and read not in ends:
                found[op] += 1
    return found


def _again(evaluated: Counter[Op], before: Counter[Op], author: Author) -> dict[Op, int]:
    """How often a task does arithmetic on tensors that it or a task before it has done already."""
    found: dict[Op, int] = {}
    for op, times in evaluated.items():
        if isinstance(op, Pointwise | Cast | Philox) and op.result.tensor.shape and op.author in author.ops:
            more = times if before[op] else times - 1
            if more > 0:
                found[op.author] = found.get(op.author, 0) + more
    return found


def _give_homes(bodies: Sequence[set[Op]], author: Author) -> None:
    """Puts every op of the author in a body: of the first task that reads it, or that has the op around it."""
    if not bodies:
        return
    home: dict[Op, int] = {}
    for number, body in enumerate(bodies):
        for op in body:
            home.setdefault(op, number)
    around = {inner: op for op in author.ops for region in regions(op) for inner in region.ops}
    readers: dict[Value, list[Op]] = {}
    for op in author.ops:
        for value in operands(op):
            readers.setdefault(value, []).append(op)
    for op in reversed(list(author.ops)):
        if op not in home:
            nearest = [home[reader] for value in results(op) for reader in readers.get(value, ()) if reader in home]
            inside = [home[inner] for region in regions(op) for inner in region.ops if inner in home]
            home[op] = min(nearest or inside, default=-1)
    for op in author.ops:
        if home[op] < 0:
            home[op] = max(home.get(around[op], 0) if op in around else 0, 0)
        bodies[home[op]].add(op)


def tasks(found: Sequence[Share], storages: Storages, author: Author) -> tuple[PlanTask, ...]:
    """The tasks in order, each after those whose memory it reads or changes."""
    made: list[PlanTask] = []
    twins: Counter[str] = Counter()
    for number, share in enumerate(found):
        before = tuple(t.id for t, other in zip(made, found, strict=False) if _depends(share.touched, other.touched))
        name = _name(share, author)
        twins[name] += 1
        identity = name if twins[name] == 1 else f"{name}.{twins[name]}"
        made.append(_task(identity, share, before, found[:number], storages, author))
    return tuple(_with_groups(made))


def _name(share: Share, author: Author) -> str:
    running = sorted(author.ops[op] for op in (share.running or share.ops))
    return f"t{digest('task', ' '.join(running))[:8]}"


def _depends(touched: Sequence[Touch], earlier: Sequence[Touch]) -> bool:
    keys = {(touch.key, touch.write) for touch in earlier}
    return any((t.key, True) in keys or (t.write and (t.key, False) in keys) for t in touched)


def _task(
    identity: str, share: Share, before: tuple[str, ...], earlier: Sequence[Share], storages: Storages, author: Author
) -> PlanTask:
    times = {op: share.again.get(op, 0) + (not any(op in other.ops for other in earlier)) for op in share.ops}
    fetched = _sum(storages.fetched(share.touched))
    stored = _sum(storages.stored(share.touched))
    facts = author.workload.facts(times, fetched, stored)
    lineage = _lineage(share, earlier, author)
    return PlanTask(
        id=identity,
        operation=operation(share.ops),
        axes=tuple(PortableAxis(a.id, a.extent, a.role, a.source) for a in author.axes.of(share.ops)),
        parts=tuple(_parts(share.stages, author)),
        body=lineage.operations,
        inputs=_keys((touch for touch in share.touched if not touch.write), storages),
        outputs=_keys((touch for touch in share.touched if touch.write), storages),
        effects=tuple(_effects(share.ops, author)),
        dependencies=before,
        facts=facts,
        resources=tuple(resources(facts, storages.capacity(share.touched, lineage.operations), bool(before))),
        capabilities=tuple(capabilities(share.ops)),
        lineage=lineage,
    )


def _sum(parts: Iterable[Quantity]) -> Quantity:
    return reduce(add, parts, NOTHING)


def _keys(touches: Iterable[Touch], storages: Storages) -> tuple[str, ...]:
    return tuple(sorted({storages.name(touch) for touch in touches}))


def _effects(ops: Sequence[Op], author: Author) -> Iterator[TypedEffect]:
    for op in ops:
        if isinstance(op, EFFECTS):
            kind = "write" if isinstance(op, Store) else "combine" if isinstance(op, ScatterReduce) else "atomic"
            name = author.identities.names.of(op.resource)
            buffer = name if isinstance(op.resource.type, ViewType) else f"b.{name}"
            yield TypedEffect(kind, buffer, author.ops[op])


def _lineage(share: Share, earlier: Sequence[Share], author: Author) -> Lineage:
    names = tuple(author.ops[op] for op in share.ops if not isinstance(op, Yield))
    mine = set(names)
    groups = [group for group in author.worksets.groups if any(name in mine for name, _ in group.ops)]
    cloned = any(op in other.ops for other in earlier for op in share.ops)
    whole = all(name in mine for group in groups for name, _ in group.ops)
    kind = Origin.FUSED if len(names) > 1 else Origin.LOWERED
    if cloned or not whole:
        kind = Origin.CLONED if cloned else Origin.DECOMPOSED
    return Lineage(kind, names, tuple(group.id for group in groups))


def _parts(stages: Sequence[Stage], author: Author) -> Iterator[str]:
    """The sweeps of a task in order, by the operations that they run."""
    for stage in every(stages):
        match stage:
            case Fold():
                yield " ".join(["reduce", *(_author(op, author) for op in stage.ops)])
            case Product():
                yield f"contract {_author(stage.op, author)}"
            case Loop():
                yield f"in order {_author(stage.op, author)}"
            case Points():
                own = (op for inner in stage.body for op in _own(inner))
                names = dict.fromkeys(_author(op, author) for op in own)
                if names:
                    yield " ".join(["each", *names])
            case _:
                pass


def _own(stage: Stage) -> Sequence[Op]:
    match stage:
        case Fold():
            return stage.ops
        case Access() | Effect() | Product():
            return (stage.op,)
        case _:
            return ()


def _author(op: Op, author: Author) -> str:
    return author.ops.get(op.author, "")


def _with_groups(made: Sequence[PlanTask]) -> Iterator[PlanTask]:
    """Tasks that are equally far from the beginning do not wait for each other: they have a group in common."""
    depth: dict[str, int] = {}
    for task in made:
        depth[task.id] = 1 + max((depth[other] for other in task.dependencies), default=-1)
    together = Counter(depth.values())
    for task in made:
        number = depth[task.id]
        yield replace(task, group=f"g{number}") if together[number] > 1 else task
