"""What the gate is told beside the plan and the profiles: which evidence may decide, and what a machine must have."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from intent2cuda.base.diagnostics import Diagnostic, IntentError
from intent2cuda.target.evidence import EvidenceSnapshot
from intent2cuda.target.files import record
from intent2cuda.types.dtype import BY_NAME

COLLECTIVES = ("all_gather", "all_reduce", "all_to_all", "broadcast", "reduce_scatter")


@dataclass(frozen=True)
class EvidencePolicy:
    """`snapshot` decides between plans of which none is better in all exact quantities.

    `fallback`: whether the first of them is taken where it has no record; otherwise the kernel is refused.
    """

    snapshot: EvidenceSnapshot
    fallback: bool = True


@dataclass(frozen=True)
class TargetRequirements:
    """What a machine must have. The words fit any machine: what names a maker, an architecture, a runtime or one
    machine is none of them.

    Raises: IntentError for other words.
    """

    devices: int = 1
    memory_bytes: int = 0
    dtypes: tuple[str, ...] = ()
    collectives: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        unknown = [*(set(self.dtypes) - set(BY_NAME)), *(set(self.collectives) - set(COLLECTIVES))]
        if unknown:
            message = f"{', '.join(sorted(unknown))} is nothing that a machine can be asked for"
            raise IntentError([Diagnostic("portable.requirements.identity", message)])


@cache
def planning_evidence(target: str) -> EvidencePolicy:
    """The evidence that comes with the product for a family of targets."""
    return EvidencePolicy(record({"evidence": EvidenceSnapshot}, "planning", target))
