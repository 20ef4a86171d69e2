"""Choosing from the catalogue: what serves, what fits, and a record of what was tried."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from intent2cuda.base.diagnostics import Diagnostic, IntentError
from intent2cuda.base.span import Span
from intent2cuda.plan.catalogue import Entry, Row, Situation
from intent2cuda.plan.stage import Implementation


@dataclass(frozen=True)
class Choice:
    """`rejected`: the entries tried before, with what was missing; the ones behind it were not needed."""

    stage: str
    entry: Entry
    row: Row
    rejected: tuple[tuple[str, str], ...]

    @property
    def implementation(self) -> Implementation:
        return Implementation(self.entry.name, self.row.parameters)


@dataclass(frozen=True)
class ImplementationPolicy:
    """What may be chosen. `excluded`: entries that may not; `declined`: alternatives of capabilities that may not.

    `rows`: other parameters for some entries, by name.
    """

    excluded: frozenset[str] = frozenset()
    declined: frozenset[str] = frozenset()
    rows: tuple[tuple[str, tuple[Row, ...]], ...] = ()


@dataclass
class Chooser:
    """Takes the first entry of a table whose needs are met, with its first row that fits, and keeps a record of it.

    `shared_bytes`: what a block may have. `spans`: where in the author's text each stage comes from.
    """

    policy: ImplementationPolicy
    shared_bytes: int = 0
    spans: Mapping[str, Span] = field(default_factory=dict[str, Span])
    choices: dict[str, Choice] = field(default_factory=dict[str, Choice])

    def take(self, stage: str, table: tuple[Entry, ...], situation: Situation) -> Implementation:
        """The implementation for a stage.

        Raises: IntentError when none of the table serves.
        """
        rejected: list[tuple[str, str]] = []
        for entry in table:
            refusal = "the policy excludes it" if entry.name in self.policy.excluded else entry.refusal(situation)
            if refusal:
                rejected.append((entry.name, refusal))
                continue
            for row in dict(self.policy.rows).get(entry.name, entry.rows):
                if row.shared_bytes <= self.shared_bytes:
                    self.choices[stage] = Choice(stage, entry, row, tuple(rejected))
                    return self.choices[stage].implementation
                limit = f"{row.shared_bytes} B of shared memory > {self.shared_bytes} B"
                rejected.append((f"{entry.name} {row}", limit))
        raise IntentError([self._refusal(stage, rejected)])

    def _refusal(self, stage: str, rejected: Sequence[tuple[str, str]]) -> Diagnostic:
        span = self.spans.get(stage)
        tried = tuple(f"{name}: {reason}" for name, reason in rejected)
        if rejected and all(reason.endswith(" B") for _, reason in rejected):
            message = f"no implementation of {stage} fits into shared memory"
            return Diagnostic("gate.capacity.exceeded", message, span, subject=stage, considered=tried)
        message = f"no implementation of {stage} serves"
        return Diagnostic("gate.implementation.none", message, span, subject=stage, considered=tried)
