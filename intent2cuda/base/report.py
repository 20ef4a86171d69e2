"""What verification says about a product, and the step that publishes nothing unless it says yes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from typing import TypeVar

from intent2cuda.base.diagnostics import Diagnostic, InternalError

A = TypeVar("A")
B = TypeVar("B")


class Assurance(Enum):
    """What "verified" means where a report says it."""

    STRUCTURAL = "structural"  # the parts of the product fit together
    CONSERVATION = "conservation"  # nothing of what it was made from is lost, added or changed
    CROSS_CONSUMER = "cross-consumer"  # all that read it agree on what it says
    EMPIRICAL = "empirical"  # it was run, and what came out was compared


@dataclass(frozen=True)
class Report:
    """Everything that was found wrong, at one level of assurance."""

    level: Assurance
    findings: tuple[Diagnostic, ...] = ()

    @property
    def holds(self) -> bool:
        return not self.findings

    @property
    def codes(self) -> tuple[str, ...]:
        return tuple(finding.code for finding in self.findings)

    def __str__(self) -> str:
        if self.holds:
            return f"verified ({self.level.value})"
        return "\n".join(f"[{finding.code}] {finding.subject}: {finding.message}" for finding in self.findings)


def report(level: Assurance, findings: Iterable[Diagnostic]) -> Report:
    """A report of the findings, each once."""
    return Report(level, tuple(dict.fromkeys(findings)))


def step(
    source: A,
    make: Callable[[A], B],
    *,
    before: Callable[[A], Report],
    after: Callable[[B], Report],
    between: Callable[[A, B], Report],
) -> B:
    """What `make` makes of the source, when the source, the result and their relation hold.

    Raises: InternalError with every finding of the first of them that does not; nothing is published then.
    """
    require(before(source))
    made = make(source)
    require(after(made))
    require(between(source, made))
    return made


def require(found: Report) -> None:
    """Raises InternalError when a report has findings."""
    if not found.holds:
        raise InternalError(str(found))
