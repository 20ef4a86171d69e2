"""Inspections as C++: calls that record the rule that was broken, and the launcher's end, which throws for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from intent2cuda.ir.kernel import Kernel, walk
from intent2cuda.ir.op import Op
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


@dataclass(frozen=True)
class Sentence:
    """What is said when a rule is broken, at its place in the author's file."""

    rule: Rule
    text: str


def sentences(kernel: Kernel) -> dict[Sentence, int]:
    """Every sentence with its number."""
    found = (_sentence(op) for op in walk(kernel.body) if isinstance(op, Inspect))
    return {sentence: number for number, sentence in enumerate(dict.fromkeys(found))}


def inspected(known: Mapping[Sentence, int], op: Inspect, args: Sequence[Expression]) -> Expression:
    """The call; `args` are what holds and the numbers to tell."""
    return Call("intent::holds", (Name(FAULTS.name), Integer(known[_sentence(op)]), *args))


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
                (Name(FOUND), Integer(number), Text(f"{kernel.name}: {sentence.text}")),
                (Named(FAILURES[sentence.rule]),),
            )
        )
        for sentence, number in sentences(kernel).items()
    )


def _sentence(op: Inspect) -> Sentence:
    return Sentence(op.rule, f"{_place(op)}{op.text}")


def _place(op: Op) -> str:
    span = op.span or op.statement
    return f"{PurePosixPath(span.file.name).name}:{span.line}: " if span is not None and span.file.name else ""
