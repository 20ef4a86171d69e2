"""Inspections as C++: calls that record the rule that was broken, and the launcher's end, which throws for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from intent2cuda.ir.inspections import Sentence, sentence, sentences
from intent2cuda.ir.kernel import Kernel
from intent2cuda.ir.ops import Inspect, Rule
from intent2cuda.machine.expressions import Call, Expression, Integer, Name, Text, Unary
from intent2cuda.machine.statements import Declare, Evaluate, Statement
from intent2cuda.machine.types import Named
from intent2cuda.machine.unit import Parameter

FAULTS = Parameter(Named("intent::Faults*"), "faults")
"""What a kernel with inspections takes besides its own parameters."""

FOUND = "found"
FAILURES: Mapping[Rule, str] = {
    Rule.BOUNDS: "intent::BoundsError",
    Rule.REGION: "intent::RegionError",
    Rule.PROMISE: "intent::PromiseError",
    Rule.DUPLICATE: "intent::DuplicateError",
    Rule.RACE: "intent::RaceError",
    Rule.UNINITIALISED: "intent::UninitialisedError",
}


def inspected(known: Mapping[Sentence, int], op: Inspect, args: Sequence[Expression]) -> Expression:
    """The call; `args` are what holds and the numbers to tell."""
    return Call("intent::holds", (Name(FAULTS.name), Integer(known[sentence(op)]), *args))


def reserved(kernel: Kernel) -> tuple[str, ...]:
    """Names that nothing else may have in a program with inspections."""
    return (FAULTS.name, FOUND) if sentences(kernel) else ()


def begin(kernel: Kernel) -> tuple[Statement, ...]:
    """What stands before the kernel is called."""
    return (Declare(Named("intent::Faults"), FOUND, None, const=False),) if sentences(kernel) else ()


def argument(parameter: Parameter) -> Expression:
    """What the launcher hands to the kernel for a parameter."""
    return Unary("&", Name(FOUND)) if parameter == FAULTS else Name(parameter.name)


def end(kernel: Kernel) -> tuple[Statement, ...]:
    """What stands behind the call: at most one of these throws."""
    return tuple(
        Evaluate(
            Call(
                "intent::require_kept",
                (Name(FOUND), Integer(number), Text(f"{kernel.name}: {said}")),
                (Named(FAILURES[said.rule]),),
            )
        )
        for said, number in sentences(kernel).items()
    )
