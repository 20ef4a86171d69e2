"""What a plan promises of its program, read from its stages alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from intent2cuda.ir.kernel import walk
from intent2cuda.ir.ops import Load
from intent2cuda.lower.interface import parameter_names
from intent2cuda.machine.promise import Promise, Write
from intent2cuda.plan.concrete import ConcretePlan
from intent2cuda.plan.identity import Identities
from intent2cuda.plan.stage import Access, Effect, Fold, Keep, Level, Points, Product, Stage, Sync
from intent2cuda.plan.stage_identity import StageIds, every_part, parts
from intent2cuda.types.value_type import ViewType


def promise_of(plan: ConcretePlan, identities: Identities) -> Promise:
    """What the stages of a plan say of the program."""
    ids = StageIds(plan.stages, identities)
    names = parameter_names(plan.kernel)
    loads = (op for op in walk(plan.kernel.body) if isinstance(op, Load) and isinstance(op.resource.type, ViewType))
    return Promise(
        stages=frozenset(ids.of(stage) for stage in every_part(plan.stages)),
        barriers=tuple(ids.of(stage) for stage in every_part(plan.stages) if isinstance(stage, Sync)),
        writes=tuple(_writes(plan, plan.stages, ids, "")),
        loads=tuple((identities.op(op), names[op.resource]) for op in loads),
        team=tuple(ids.of(stage) for stage in every_part(plan.stages) if _is_shared(stage)),
    )


def _writes(plan: ConcretePlan, stages: Sequence[Stage], ids: StageIds, carrier: str) -> Iterator[Write]:
    names = parameter_names(plan.kernel)
    for stage in stages:
        own = ids.of(stage)
        match stage:
            case Effect() | Access():
                yield Write(own, carrier, names.get(stage.op.resource, ""), isinstance(stage, Access))
            case Keep():
                yield Write(own, carrier, "", False)
            case _:
                pass
        yield from _writes(plan, parts(stage), ids, own)


def _is_shared(stage: Stage) -> bool:
    if isinstance(stage, Points):
        return any(bound.level is Level.TEAM for bound in stage.axes)
    return isinstance(stage, Fold | Product) and stage.level is Level.TEAM
