"""Which buffers change places at the end of a round: they are reached through pointers that are swapped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from intent2cuda.plan.stage import Buffer, Loop, Stage
from intent2cuda.plan.trees import every


def exchanges(stages: Sequence[Stage]) -> Iterator[tuple[Buffer, Buffer]]:
    """Both buffers of every carry that has a spare one, the spare one last."""
    for stage in every(stages):
        if isinstance(stage, Loop):
            yield from ((carry.buffer, carry.spare) for carry in stage.carries if carry.buffer and carry.spare)
