"""Where the parts of a machine program come from, which takes no part in what they mean."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TypeVar


@dataclass(frozen=True)
class Origin:
    """`stage`: the identifier of the stage of the plan that caused a statement; empty for what serves the interface.

    `ops`: the identifiers of the operations that an expression, or a statement by itself, computes.
    """

    stage: str = ""
    ops: tuple[str, ...] = ()


@dataclass(frozen=True)
class Traced:
    """What every expression and every statement has."""

    origin: Origin | None = field(default=None, compare=False, repr=False, kw_only=True)


T = TypeVar("T", bound=Traced)


def of_stage(part: T, stage: str) -> T:
    """The part with the stage that caused it, unless another one did before."""
    origin = part.origin or Origin()
    return part if origin.stage or not stage else replace(part, origin=replace(origin, stage=stage))


def of_ops(part: T, ops: tuple[str, ...]) -> T:
    """The part as what computes these operations too."""
    origin = part.origin or Origin()
    new = tuple(op for op in ops if op not in origin.ops)
    return replace(part, origin=replace(origin, ops=(*origin.ops, *new))) if new else part
