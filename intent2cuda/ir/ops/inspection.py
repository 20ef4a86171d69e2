"""What checked builds look at while they run."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from intent2cuda.ir.op import Op
from intent2cuda.ir.value import Value


class Rule(Enum):
    """A rule of the language that a run can break."""

    BOUNDS = "bounds"
    REGION = "region"
    PROMISE = "promise"
    DUPLICATE = "duplicate"
    RACE = "race"
    UNINITIALISED = "uninitialised"


@dataclass(frozen=True, eq=False)
class Inspect(Op):
    """Whether a rule is kept: `holds` itself, element by element. Where it is not, the run is reported as broken.

    `text` says it of the first element that breaks it, with `{}` for each of `numbers`: integers that are scalars or
    have the shape of `holds`. An inspection may run more often than the program says, and not at all where nothing
    depends on its result.
    """

    holds: Value
    rule: Rule
    numbers: tuple[Value, ...]
    text: str
    result: Value
