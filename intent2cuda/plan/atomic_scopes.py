"""Among whom an atomic access must be indivisible: the threads that can reach its memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from intent2cuda.ir.value import Value
from intent2cuda.plan.stage import Access, Branch, Buffer, Loop, Points, Scope, Space, Stage
from intent2cuda.types.value_type import BufferType

REASONS: Mapping[Scope, str] = {
    Scope.THREAD: "only one thread reaches the memory",
    Scope.BLOCK: "the memory belongs to one block",
    Scope.DEVICE: "every thread that runs the kernel may reach the memory",
}


def with_scopes(stages: Sequence[Stage], buffers: Sequence[Buffer], on_gpu: bool) -> tuple[Stage, ...]:
    """The stages with the scope of each atomic access."""
    homes = {buffer.value: buffer for buffer in buffers if isinstance(buffer.value.type, BufferType)}
    return tuple(_scoped(stage, homes, on_gpu) for stage in stages)


def _scoped(stage: Stage, homes: Mapping[Value, Buffer], on_gpu: bool) -> Stage:
    def inner(stages: Sequence[Stage]) -> tuple[Stage, ...]:
        return tuple(_scoped(part, homes, on_gpu) for part in stages)

    match stage:
        case Access():
            scope = _scope(homes.get(stage.op.resource), on_gpu)
            return replace(stage, scope=scope, reason=REASONS[scope])
        case Points():
            return replace(stage, body=inner(stage.body))
        case Loop():
            return replace(stage, start=inner(stage.start), test=inner(stage.test), body=inner(stage.body))
        case Branch():
            return replace(stage, then_body=inner(stage.then_body), else_body=inner(stage.else_body))
        case _:
            return stage


def _scope(home: Buffer | None, on_gpu: bool) -> Scope:
    """Memory of the caller is everybody's; a buffer of the kernel is of who has it."""
    if home is None:
        return Scope.DEVICE
    if on_gpu:
        return Scope.THREAD if home.space is Space.LOCAL else Scope.BLOCK
    return Scope.DEVICE if home.shared_by_team else Scope.THREAD
