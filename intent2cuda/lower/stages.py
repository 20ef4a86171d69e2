"""Stages in order: runs of elements that are computed and stored, and the stages that are loops or calls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from intent2cuda.lower import lengths, storage
from intent2cuda.lower.atomics import atomic
from intent2cuda.lower.branches import branch
from intent2cuda.lower.checks import check
from intent2cuda.lower.folds import fold
from intent2cuda.lower.loops import loop
from intent2cuda.lower.points import points
from intent2cuda.lower.products import product
from intent2cuda.lower.runs import Computed, Run
from intent2cuda.lower.writer import Writer
from intent2cuda.machine.statements import Barrier
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


def lower_stages(writer: Writer, stages: Sequence[Stage]) -> None:
    """Writes the stages into the current block, in order; neighbours that only compute and store are one run."""
    run: list[Computed] = []
    for place, stage in enumerate(stages):
        if isinstance(stage, Let | Effect | Keep):
            run.append(stage)
            continue
        _write_run(writer, run)
        if any(isinstance(before, Let) for before in run):
            lengths.of_parts(writer, stages[place:])
        run = []
        with writer.tracing.during(stage):
            _lower_stage(writer, stage)
    _write_run(writer, run)


def _write_run(writer: Writer, run: Sequence[Computed]) -> None:
    if run:
        Run(writer, run).write()


def _lower_stage(
    writer: Writer, stage: Points | Fold | Product | Access | Loop | Branch | Allocation | Sync | Check
) -> None:
    def body(stages: Sequence[Stage]) -> None:
        lower_stages(writer, stages)

    match stage:
        case Points():
            points(writer, stage, body)
        case Fold():
            fold(writer, stage)
        case Product():
            product(writer, stage)
        case Access():
            atomic(writer, stage)
        case Loop():
            loop(writer, stage, body)
        case Branch():
            branch(writer, stage, body)
        case Allocation():
            storage.require(writer, stage.buffer, here=True)
            writer.stored[stage.buffer.value] = stage.buffer
        case Sync():
            writer.blocks.append(Barrier(storage.in_emitted_names(writer, stage.reason)))
        case Check():
            check(writer, stage)
        case _:
            assert_never(stage)
