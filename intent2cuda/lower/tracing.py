"""What the statements of a kernel come from: the identifiers that the plan has for its stages and operations."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager

from intent2cuda.ir.op import Op
from intent2cuda.lower.blocks import Blocks
from intent2cuda.machine.expressions import Expression
from intent2cuda.machine.origin import of_ops
from intent2cuda.plan.concrete import ConcretePlan
from intent2cuda.plan.identity import Identities
from intent2cuda.plan.stage import Stage
from intent2cuda.plan.stage_identity import StageIds


class Tracing:
    """Marks what is written into the blocks while a stage is being lowered."""

    def __init__(self, plan: ConcretePlan, identities: Identities, blocks: Blocks) -> None:
        self.identities = identities
        self._stages = StageIds(plan.stages, identities)
        self._blocks = blocks

    @contextmanager
    def during(self, stage: Stage) -> Generator[None]:
        """What is written meanwhile belongs to the stage; one that the plan does not have belongs to that around it."""
        around = self._blocks.stage
        self._blocks.stage = self._stages.of(stage) or around
        try:
            yield
        finally:
            self._blocks.stage = around

    def computed(self, expression: Expression, ops: Sequence[Op]) -> Expression:
        """The expression as what computes the operations."""
        return of_ops(expression, tuple(self.identities.op(op) for op in ops)) if ops else expression
