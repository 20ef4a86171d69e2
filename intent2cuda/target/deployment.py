"""Deployment profiles: one machine, or all machines of a target. Each is a data file beside this module."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from intent2cuda.base.codec import canonical, digest
from intent2cuda.base.diagnostics import Diagnostic, IntentError
from intent2cuda.target.evidence import EvidenceRecord, EvidenceSnapshot
from intent2cuda.target.files import named, plain, record

SCHEMA = "intent.deployment/0"


@dataclass(frozen=True)
class Deployment:
    """`target`: the family whose profiles run there. `calls`: how many calls of a kernel may run at once.

    `records` are the facts of the machine; a generic deployment has none, and what needs one becomes a check at the
    call or is not costed.
    """

    name: str
    target: str
    calls: int
    records: tuple[EvidenceRecord, ...]

    @property
    def evidence(self) -> EvidenceSnapshot:
        return EvidenceSnapshot(self.name, self.records)

    def fact(self, quantity: str) -> int | None:
        """The number of a quantity, or None where it is not known."""
        found = self.evidence.of(quantity)
        return None if found is None else found.value

    @property
    def fingerprint(self) -> str:
        return digest(SCHEMA, canonical(plain(self)))


def deployment_names() -> tuple[str, ...]:
    return named("deployments")


@cache
def deployment(name: str) -> Deployment:
    """The deployment of a name.

    Raises: IntentError when there is none.
    """
    if name not in deployment_names():
        known = f"known: {', '.join(deployment_names())}"
        raise IntentError([Diagnostic("gate.deployment.unknown", f"there is no deployment `{name}`", help=known)])
    return record({"deployment": Deployment}, "deployments", name)


def generic(target: str) -> Deployment:
    """All machines of a family of targets."""
    return deployment(f"generic-{target}")
