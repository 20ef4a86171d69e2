"""Which operations and which stages belong to a piece of work that has a name."""

from __future__ import annotations

from collections.abc import Mapping

from intent2cuda.ir.kernel import walk
from intent2cuda.ir.ops import Broadcast, Cast, Constant, Dim, Gather, Indices, Load, Parallel, Reshape, Transpose
from intent2cuda.plan.concrete import ConcretePlan
from intent2cuda.plan.identity import Identities
from intent2cuda.plan.stage import Access, Loop, Points, Product
from intent2cuda.plan.stage_identity import StageIds, every_part

_MOVES = (Broadcast, Cast, Constant, Dim, Gather, Indices, Load, Reshape, Transpose)
"""What gives a piece of work its operands belongs to whoever asks for it."""


def names_of_routines(plan: ConcretePlan, identities: Identities) -> Mapping[str, str]:
    """By the identifier of what computes something, an operation or a stage, the name of its piece, or nothing.

    A store only says where a piece puts what it computes.
    """
    stages = StageIds(plan.stages, identities)
    found = {identities.op(op): op.routine for op in walk(plan.kernel.body) if op.routine or not isinstance(op, _MOVES)}
    for stage in every_part(plan.stages):
        match stage:
            case Product() | Access() | Loop() | Points(op=Parallel()):
                found[stages.of(stage)] = stage.op.routine if stage.op is not None else ""
            case _:
                pass
    return found
