"""Why a plan was bound as it was."""

from __future__ import annotations

from dataclasses import dataclass

from intent2cuda.plan.catalogue import Choice


@dataclass(frozen=True)
class Proof:
    """`need`: what had to hold; `rule`: by which rule it does."""

    need: str
    rule: str


@dataclass(frozen=True)
class BindingReport:
    """`choices`: one for each stage that has an implementation, in order of the stages."""

    target: str
    portable_digest: str
    proofs: tuple[Proof, ...]
    choices: tuple[Choice, ...]
    notes: tuple[str, ...]
