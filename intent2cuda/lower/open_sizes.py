"""The numbers of members that the gate chose, by names: `kSegment` where a loop takes that many members in a round."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from intent2cuda.base.intexpr import IntExpr, Operation, minimum
from intent2cuda.ir.kernel import walk
from intent2cuda.ir.ops import Constant, Domain, For, Parallel
from intent2cuda.ir.value import Value
from intent2cuda.lower.definitions import Definitions
from intent2cuda.machine.expressions import Expression, Name
from intent2cuda.plan.catalogue import CPU_SIZES, CUDA_SIZES
from intent2cuda.plan.concrete import ConcretePlan
from intent2cuda.plan.stage import Axis
from intent2cuda.plan.writing_out import Open

NAMES: Mapping[Open, tuple[str, str]] = {
    Open.FOLD: ("kSegment", "members of a segment"),
    Open.SCAN: ("kScanSegment", "members of a segment"),
    Open.ROWS: ("kRows", "rows of a block"),
}
"""The constant of a number, and what it counts."""

Constants = Callable[[str, int, str], str]
"""Makes a constant of the file of a name, a value and a reason; gives the name that it has."""


class OpenSizes:
    """Where in a kernel such a number stands: as the step of a loop, and in how many members a round of it has."""

    def __init__(self, plan: ConcretePlan, definitions: Definitions, constants: Constants) -> None:
        self._constants = constants
        self._values = dict(_values(plan))
        self._steps: dict[Value, Open] = {}
        self._operations: dict[Operation, Open] = {}
        for op in walk(plan.kernel.body):
            if isinstance(op, For | Parallel):
                domains = (op.domain,) if isinstance(op, For) else op.domains
                for domain, turn in zip(domains, op.body.args, strict=False):
                    self._add(definitions, domain, turn)

    def _add(self, definitions: Definitions, domain: Value, turn: Value) -> None:
        made = definitions.op(domain)
        step = definitions.op(made.step) if isinstance(made, Domain) else None
        if not isinstance(step, Constant) or not step.meaning:
            return
        size = Open(step.meaning)
        self._steps[turn] = size
        begin, number, rounds = domain.domain.begin, domain.domain.step, domain.domain.extent
        for whole in _wholes(rounds):
            for expression in (rounds, minimum(number, whole), minimum(number, begin + whole - turn.as_symbol)):
                self._operations.update((operation, size) for operation in _operations(expression))

    def is_turn(self, value: Value) -> bool:
        """Whether a value is the variable of a loop that takes so many members in a round."""
        return value in self._steps

    def step(self, axis: Axis) -> Expression | None:
        """The step of a loop, where it is such a number."""
        return self._name(self._steps.get(axis.point)) if axis.point is not None else None

    def inside(self, operation: Operation) -> Expression | None:
        """The number in an operation, where it is one of these."""
        return self._name(self._operations.get(operation))

    def _name(self, size: Open | None) -> Expression | None:
        if size is None:
            return None
        (name, counted), (value, reason) = NAMES[size], self._values[size]
        return Name(self._constants(name, value, f"{counted}: {reason}"))


def _values(plan: ConcretePlan) -> Iterator[tuple[Open, tuple[int, str]]]:
    for sizes in (CPU_SIZES, CUDA_SIZES):
        for size, entries in sizes.items():
            for bound in plan.parameters:
                if bound.implementation.name in {entry.name for entry in entries}:
                    yield size, (bound.value, bound.reason)


def _wholes(rounds: IntExpr) -> Iterator[IntExpr]:
    """The members of all rounds together, where they are no known number."""
    return (operation.lhs for operation in _operations(rounds) if operation.kind == "ceildiv")


def _operations(expression: IntExpr) -> Iterator[Operation]:
    return (atom for monomial, _ in expression.terms for atom in monomial if isinstance(atom, Operation))
