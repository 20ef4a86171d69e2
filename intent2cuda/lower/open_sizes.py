"""The numbers of members that the gate chose, by names: `kSegment` where a loop takes that many members in a round."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from intent2cuda.base.intexpr import IntExpr, Operation, Symbol, minimum
from intent2cuda.ir.kernel import walk
from intent2cuda.ir.ops import Constant, Domain, For, Parallel
from intent2cuda.ir.value import Value
from intent2cuda.lower.constexprs import Constexprs
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

Number: TypeAlias = Open | Symbol
"""One that the gate chose, or a Constexpr of the author."""

Constants = Callable[[str, int, str], str]
"""Makes a constant of the file of a name, a value and a reason; gives the name that it has."""


class OpenSizes:
    """Where in a kernel such a number stands: as the step of a loop, and in how many members a round of it has."""

    def __init__(
        self, plan: ConcretePlan, definitions: Definitions, constants: Constants, constexprs: Constexprs
    ) -> None:
        self._constants = constants
        self._constexprs = constexprs
        self._values = dict(_values(plan))
        self._steps: dict[Value, Number] = {}
        self._ends: dict[Value, Number] = {}
        self._operations: dict[Operation, Number] = {}
        for op in walk(plan.kernel.body):
            if isinstance(op, For | Parallel):
                domains = (op.domain,) if isinstance(op, For) else op.domains
                for domain, turn in zip(domains, op.body.args, strict=False):
                    self._add(definitions, domain, turn)

    def _add(self, definitions: Definitions, domain: Value, turn: Value) -> None:
        made = definitions.op(domain)
        if not isinstance(made, Domain):
            return
        if domain.domain.step.constant == 1 and (end := self._number(definitions, made.end)) is not None:
            self._ends[turn] = end
        size = self._number(definitions, made.step)
        if size is None:
            return
        self._steps[turn] = size
        begin, number, rounds = domain.domain.begin, domain.domain.step, domain.domain.extent
        for whole in _wholes(rounds):
            for expression in (rounds, minimum(number, whole), minimum(number, begin + whole - turn.as_symbol)):
                self._operations.update((operation, size) for operation in _operations(expression))

    def _number(self, definitions: Definitions, value: Value) -> Number | None:
        """What a bound of a domain is called."""
        op = definitions.op(value)
        if not isinstance(op, Constant):
            return None
        symbol = op.named.as_symbol
        return symbol if symbol in self._constexprs.integers else Open(op.meaning) if op.meaning else None

    def is_turn(self, value: Value) -> bool:
        """Whether a value is the variable of a loop over rounds that the gate has sized."""
        return isinstance(self._steps.get(value), Open)

    def step(self, axis: Axis) -> Expression | None:
        """The step of a loop, where it is such a number."""
        return self._name(self._steps.get(axis.point)) if axis.point is not None else None

    def end(self, axis: Axis) -> Expression | None:
        """Where a loop ends, where it is such a number."""
        return self._name(self._ends.get(axis.point)) if axis.point is not None else None

    def inside(self, operation: Operation) -> Expression | None:
        """The number in an operation, where it is one of these."""
        return self._name(self._operations.get(operation))

    def _name(self, size: Number | None) -> Expression | None:
        if size is None:
            return None
        if isinstance(size, Symbol):
            return self._constexprs.name(size)
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
