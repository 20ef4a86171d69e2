"""The shape of a stage tree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import assert_never

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


def inside(stage: Stage) -> tuple[Stage, ...]:
    """The stages directly inside a stage, in order."""
    match stage:
        case Points():
            return stage.body
        case Loop():
            return (*stage.start, *stage.test, *stage.body)
        case Branch():
            return (*stage.then_body, *stage.else_body)
        case Fold() | Product() | Let() | Effect() | Access() | Keep() | Allocation() | Sync() | Check():
            return ()
        case _:
            assert_never(stage)


def every(stages: Sequence[Stage]) -> Iterator[Stage]:
    """All stages of a tree, each before what is inside it."""
    for stage in stages:
        yield stage
        yield from every(inside(stage))


def goes_past_caches(stage: Stage) -> bool:
    """Whether a loop stores past the caches, so that its thread waits for these stores at the end."""
    return (isinstance(stage, Points) and stage.stream) or (
        isinstance(stage, Loop) and stage.scans is not None and stage.scans.stream
    )
