"""Which operations and which stages belong to a piece of work that has a name."""

from __future__ import annotations

from collections.abc import Mapping

from intent2cuda.ir.kernel import walk
from intent2cuda.ir.ops import Broadcast, Cast, Constant, Dim, Gather, Indices, Load, Reshape, Transpose
from intent2cuda.plan.concrete import ConcretePlan
from intent2cuda.plan.identity import Identities
from intent2cuda.plan.stage import Access, Effect, Product
from intent2cuda.plan.stage_identity import StageIds, every_part

_MOVES = (Broadcast, Cast, Constant, Dim, Gather, Indices, Load, Reshape, Transpose)
"""What gives a piece of work its operands belongs to whoever asks for it."""


def names_of_routines(plan: ConcretePlan, identities: Identities) -> Mapping[str, str]:
    """For the identifier of each operation that computes or changes something, product and store, the name
    of its piece, or nothing.
    """
    ops = (op for op in walk(plan.kernel.body) if op.routine or not isinstance(op, _MOVES))
    stages = StageIds(plan.stages, identities)
    calls = (stage for stage in every_part(plan.stages) if isinstance(stage, Product | Effect | Access))
    found = {identities.op(op): op.routine for op in ops}
    return {**found, **{stages.of(call): call.op.routine for call in calls}}
