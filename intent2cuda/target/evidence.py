"""What is known of machines by measurement or calculation: records with their source, never bare numbers."""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import Enum

from intent2cuda.base.codec import Plain, canonical, digest

SCHEMA = "intent.evidence/0"


class Method(Enum):
    """How a number was found."""

    QUERIED = "queried"
    DATASHEET = "datasheet"
    MEASURED = "measured"
    DERIVED = "derived"
    STATED = "stated"


@dataclass(frozen=True)
class EvidenceRecord:
    """One number: `quantity` names it (`memory.bytes`), `source` says where it is from."""

    quantity: str
    value: int
    unit: str
    method: Method
    source: str

    @property
    def id(self) -> str:
        return digest(SCHEMA, canonical(self.plain()))[:12]

    def plain(self) -> Plain:
        shown: dict[str, Plain] = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "method"}
        return {**shown, "method": self.method.value}


@dataclass(frozen=True)
class EvidenceSnapshot:
    """Records under a name, at most one for each quantity. A quantity without one is not known; it is never zero."""

    name: str
    records: tuple[EvidenceRecord, ...]

    def of(self, quantity: str) -> EvidenceRecord | None:
        return next((record for record in self.records if record.quantity == quantity), None)

    @property
    def digest(self) -> str:
        """Of the records alone, in the order of their quantities."""
        ordered = sorted(self.records, key=lambda record: record.quantity)
        return digest(SCHEMA, canonical([record.plain() for record in ordered]))


@dataclass(frozen=True)
class PlanningEvidence:
    """The snapshot by which a plan was chosen: a part of the plan. `used`: the records that decided."""

    snapshot: str
    used: tuple[str, ...] = ()


@dataclass(frozen=True)
class EvaluationEvidence:
    """The snapshot by which a finished plan is costed: a part of the view, never of the plan."""

    snapshot: str
