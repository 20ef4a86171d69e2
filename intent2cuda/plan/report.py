"""Why a plan was bound as it was."""

from __future__ import annotations

from dataclasses import dataclass

from intent2cuda.plan.choosing import Choice
from intent2cuda.target.evidence import PlanningEvidence


@dataclass(frozen=True)
class Proof:
    """`need`: what had to hold; `rule`: by which rule it does."""

    need: str
    rule: str


@dataclass(frozen=True)
class Tried:
    """A structure of the kernel that was bound: kept when `rejected` is empty, else refused with that reason."""

    name: str
    because: str
    rejected: str = ""


@dataclass(frozen=True)
class Discharged:
    """An obligation of the portable plan, and what meets it."""

    obligation: str
    by: str


@dataclass(frozen=True)
class BindingReport:
    """`choices`: one for each stage that has an implementation, in order of the stages. `structures`: in the order in
    which they were tried; the last one is the one that was kept.
    """

    target: str
    deployment: str
    portable_digest: str
    abi: tuple[Proof, ...]
    proofs: tuple[Proof, ...]
    structures: tuple[Tried, ...]
    choices: tuple[Choice, ...]
    obligations: tuple[Discharged, ...]
    evidence: PlanningEvidence
    notes: tuple[str, ...]
