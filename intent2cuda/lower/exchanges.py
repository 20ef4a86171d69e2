"""Which buffers change places at the end of a round: they are reached through pointers that are swapped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from intent2cuda.plan.stage import Branch, Loop, Points, Stage


def moving_buffers(stages: Sequence[Stage]) -> frozenset[str]:
    """The ids of both buffers of every carry that has a spare one."""
    return frozenset(_moving(stages))


def _moving(stages: Sequence[Stage]) -> Iterator[str]:
    for stage in stages:
        match stage:
            case Loop():
                for carry in stage.carries:
                    if carry.buffer is not None and carry.spare is not None:
                        yield from (carry.buffer.id, carry.spare.id)
                yield from _moving((*stage.start, *stage.body, *stage.test))
            case Points():
                yield from _moving(stage.body)
            case Branch():
                yield from _moving((*stage.then_body, *stage.else_body))
            case _:
                pass
