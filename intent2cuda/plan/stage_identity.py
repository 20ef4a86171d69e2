"""Identifiers of stages. They follow from the operations that a stage runs: neither extents, tiles, implementations nor
targets take part, so the same work has the same identifier in two plans, and an edit elsewhere keeps it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain

from intent2cuda.base.codec import digest
from intent2cuda.plan.identity import Identities
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
    Sync,
)
from intent2cuda.plan.trees import inside


class StageIds:
    """The identifiers of a tree of stages, by the stage itself: two equal ones are two. Twins are counted."""

    def __init__(self, stages: Sequence[Stage], identities: Identities) -> None:
        self._identities = identities
        self._twins: Counter[str] = Counter()
        self._of: dict[int, str] = {}
        self._stages = tuple(stages)  # an identity is good as long as its object lives
        self._add_all(self._stages, "")

    def of(self, stage: Stage) -> str:
        """The identifier; empty for a stage that is not of the tree."""
        return self._of.get(id(stage), "")

    def _add_all(self, stages: Sequence[Stage], around: str) -> None:
        before = around
        for stage in stages:
            before = self._add(stage, before)
            self._add_all(parts(stage), before)

    def _add(self, stage: Stage, before: str) -> str:
        runs = f"after {before}" if isinstance(stage, Sync) else " ".join(sorted(_work(stage, self._identities)))
        short = f"s{digest('stage', f'{type(stage).__name__}|{runs}')[:8]}"
        self._twins[short] += 1
        self._of[id(stage)] = short if self._twins[short] == 1 else f"{short}.{self._twins[short]}"
        return self._of[id(stage)]


def parts(stage: Stage) -> tuple[Stage, ...]:
    """The stages directly inside a stage, and those that it carries out on the way."""
    match stage:
        case Fold():
            return stage.keeps
        case Product(epilogue=Effect() as epilogue):
            return (epilogue,)
        case _:
            return inside(stage)


def every_part(stages: Sequence[Stage]) -> Iterator[Stage]:
    """All stages of a tree and what they carry out on the way, each before what is inside it."""
    for stage in stages:
        yield stage
        yield from every_part(parts(stage))


def own_work(stage: Stage, identities: Identities) -> tuple[str, ...]:
    """The operations that the stage itself stands for, or the values that it defines."""
    match stage:
        case Fold():
            return tuple(identities.op(op) for op in stage.ops)
        case Product() | Effect() | Access() | Loop() | Branch() | Check():
            return (identities.op(stage.op),)
        case Points():
            return () if stage.op is None else (identities.op(stage.op),)
        case Let() | Keep():
            return (identities.names.of(stage.value),)
        case Allocation():
            return (identities.names.of(stage.buffer.value),)
        case Sync():
            return ()


def _work(stage: Stage, identities: Identities) -> Iterator[str]:
    """What a stage stands for; of a loop that the plan added, what stands inside it."""
    own = own_work(stage, identities)
    return iter(own) if own else chain.from_iterable(_work(part, identities) for part in parts(stage))
