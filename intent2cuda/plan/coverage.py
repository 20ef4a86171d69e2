"""What the compiled targets do not cover yet, and its refusal.

The reference target executes every construct, so this is asked before planning only.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from intent2cuda.base.diagnostics import Diagnostic, IntentError
from intent2cuda.base.span import Span
from intent2cuda.ir.kernel import Kernel, walk
from intent2cuda.ir.op import Op, operands, results
from intent2cuda.ir.ops import (
    AtomicUpdate,
    Update,
)
from intent2cuda.ir.value import Value
from intent2cuda.types.dtype import DType
from intent2cuda.types.value_type import DomainType

COMPILED = frozenset({"cpu", "cuda", "cuda-sim"})

HELP = 'use target="reference", which executes the whole language, or write it with constructs that the target covers'


@dataclass(frozen=True)
class OpGap:
    """An op that the targets lack. `names`: what authors write to get one; the first is also for other spellings."""

    op: type[Op]
    names: tuple[str, ...]
    targets: frozenset[str] = COMPILED


@dataclass(frozen=True)
class DTypeGap:
    """An element type that the targets lack."""

    dtype: DType
    targets: frozenset[str] = COMPILED


OPS: tuple[OpGap, ...] = ()
"""A row goes when the targets learn the op; a target leaves a row when it alone does."""

DTYPES: tuple[DTypeGap, ...] = ()


def refuse_uncovered(kernel: Kernel, target: str) -> None:
    """Raises IntentError with every place of the kernel that needs what the target does not cover."""
    found: dict[Diagnostic, None] = {}
    for name, span in _uncovered(kernel, target):
        message = f"`{name}` is not covered by the target `{target}`"
        found[Diagnostic("target.unsupported", message, span, HELP, subject=name)] = None
    if found:
        raise IntentError(found)


def _uncovered(kernel: Kernel, target: str) -> Iterator[tuple[str, Span | None]]:
    """Each construct with its place, in program order. A dtype counts where values begin to have it."""
    lacking = {gap.op: gap for gap in OPS if target in gap.targets}
    dtypes = [gap.dtype for gap in DTYPES if target in gap.targets]
    for parameter in kernel.parameters:
        if (dtype := _dtype(parameter)) in dtypes:
            yield f"I.{dtype}", parameter.span or kernel.span
    for op in walk(kernel.body):
        place = op.span or op.statement
        if type(op) in lacking:
            yield _spelled(op, lacking[type(op)], place), place
        made, read = map(_dtype, results(op)), set(map(_dtype, operands(op)))
        for dtype in dict.fromkeys(made):
            if dtype in dtypes and dtype not in read:
                yield f"I.{dtype}", place


def _dtype(value: Value) -> DType | None:
    return None if isinstance(value.type, DomainType) else value.type.dtype


def _spelled(op: Op, gap: OpGap, place: Span | None) -> str:
    """The construct as its author called it."""
    if isinstance(op, AtomicUpdate):
        return f"{gap.names[0]}.{op.update.value}{'_' if op.update in (Update.AND, Update.OR) else ''}"
    text = place.text if place else ""
    written = (name for name in gap.names if f"{name.rpartition('.')[2]}(" in text)
    return next(written, gap.names[0])
