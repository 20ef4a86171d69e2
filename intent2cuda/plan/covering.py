"""Which operations a stage tree runs, and the roots that it evaluates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from intent2cuda.ir.op import Op
from intent2cuda.ir.ops import For
from intent2cuda.plan.axes import yielded
from intent2cuda.plan.demand import Demand
from intent2cuda.plan.roots import Root, define_root, domain_root, reduction, roots_of
from intent2cuda.plan.stage import (
    Access,
    Allocation,
    Branch,
    Check,
    Effect,
    Fold,
    Keep,
    Let,
    Loop,
    Points,
    Product,
    Stage,
)
from intent2cuda.plan.trees import every, inside


def covered(stages: Sequence[Stage]) -> Iterator[Op]:
    """The ops that stages stand for, in the order in which they run; virtual values are not among them."""
    for stage in stages:
        match stage:
            case Points():
                if stage.op is not None:
                    yield stage.op
            case Effect() | Access() | Loop() | Branch() | Check():
                yield stage.op
            case Fold():
                yield from stage.ops
            case Product():
                yield stage.op
                if stage.epilogue is not None:
                    yield stage.epilogue.op
            case _:
                pass
        yield from covered(inside(stage))


def stage_roots(stages: Sequence[Stage], demand: Demand) -> Iterator[Root]:
    """A root for each evaluation that the stages, and those inside them, make."""
    for stage in every(stages):
        yield from own_roots(stage, demand)


def own_roots(stage: Stage, demand: Demand) -> Iterator[Root]:
    """A root for each evaluation that a stage makes by itself."""
    match stage:
        case Effect() | Access():
            yield next(roots_of(stage.op, demand.classes))
        case Fold():
            yield reduction(stage.ops, demand.classes)
            for keep in stage.keeps:
                yield from own_roots(keep, demand)
        case Product():
            yield next(roots_of(stage.op, demand.classes))
            if stage.epilogue is not None:
                yield next(roots_of(stage.epilogue.op, demand.classes))
        case Let() | Keep():
            op = demand.producers.get(stage.value)
            if op is not None:
                own = isinstance(stage, Let) or stage.fills
                yield define_root(op, stage.value, demand.classes, own, stage.at)
        case Loop():
            if isinstance(stage.op, For):
                yield domain_root(stage.op)
            end = yielded(stage.op.body)
            locals_ = [end.values[carry.index] for carry in stage.carries if carry.buffer is None]
            stop = [end.stop] if end.stop is not None else []
            yield from (define_root(end, value, demand.classes) for value in (*locals_, *stop))
        case Branch():
            yield define_root(stage.op, stage.op.condition, demand.classes)
            for body in (stage.op.then_body, stage.op.else_body):
                merged = [yielded(body).values[merge.index] for merge in stage.merges if merge.buffer is None]
                yield from (define_root(yielded(body), value, demand.classes) for value in merged)
        case Points() | Allocation() | Check():
            pass
        case _:
            pass
