"""Invariants of a kernel: single definition before use, regions that agree with their ops, and each op by itself.

A violation is a fault of this compiler, never of an author, and names an op in the text form.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import cast

from intent2cuda.base.diagnostics import InternalError
from intent2cuda.base.intexpr import IntExpr, Symbol, symbols
from intent2cuda.ir.kernel import Kernel
from intent2cuda.ir.notation import READER_FIELDS, Names, operation_text
from intent2cuda.ir.op import Op, Region, operands, own_fields, regions, results
from intent2cuda.ir.ops import AnyOp, For, If, Parallel, RequireEqual, While, Yield
from intent2cuda.ir.printer import author_names
from intent2cuda.ir.terms import Slice
from intent2cuda.ir.value import Value
from intent2cuda.ir.verify_checks import Equalities, is_scalar_of
from intent2cuda.ir.verify_ops import complaints
from intent2cuda.types.dtype import BOOL, INDEX
from intent2cuda.types.value_type import DomainType, TensorType, ValueType


@dataclass(frozen=True)
class Violation:
    """A broken invariant: its code, the op in text form, and what is wrong."""

    code: str
    op: str
    sentence: str

    def __str__(self) -> str:
        return f"{self.code}: {self.sentence} in `{self.op}`"


def verify(kernel: Kernel, stage: str = "") -> Kernel:
    """The kernel itself when every invariant holds. Raises InternalError with all violations otherwise."""
    found = violations(kernel)
    if found:
        after = f" after {stage}" if stage else ""
        raise InternalError("\n".join([f"kernel {kernel.name} is malformed{after}", *(str(v) for v in found)]))
    return kernel


def violations(kernel: Kernel) -> tuple[Violation, ...]:
    """Every broken invariant, in program order."""
    return tuple(_Verifier(kernel).run())


class _Scope:
    """What is visible: values, and serials of integer scalars. Regions are entered and left."""

    def __init__(self) -> None:
        self.values: set[Value] = set()
        self.scalars: set[int] = set()

    def add(self, value: Value) -> None:
        self.values.add(value)
        if is_scalar_of(value):
            self.scalars.add(value.serial)

    def leave(self, values: Iterable[Value]) -> None:
        for value in values:
            self.values.discard(value)
            self.scalars.discard(value.serial)


class _Verifier:
    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.serials: set[int] = set()
        self.dims = frozenset(s for p in kernel.parameters for e in extents(p.type) for s in symbols(e) if not s.serial)
        self.scope = _Scope()
        self.known = Equalities()

    @cached_property
    def names(self) -> Names:
        return author_names(self.kernel)

    def run(self) -> Iterator[Violation]:
        for parameter in self.kernel.parameters:
            yield from self.define(parameter, f"parameter {parameter.name}")
        yield from self.region(self.kernel.body, "kernel")

    def violation(self, code: str, op: Op | str, sentence: str) -> Violation:
        return Violation(code, op if isinstance(op, str) else operation_text(op, self.names), sentence)

    def define(self, value: Value, op: Op | str) -> Iterator[Violation]:
        if value.serial in self.serials or value.serial < 1:
            yield self.violation("kir.ssa.serial", op, f"the serial of {value!r} is not unique")
        self.serials.add(value.serial)
        yield from self.expressions(extents(value.type), op)
        self.scope.add(value)

    def expressions(self, found: Iterable[IntExpr], op: Op | str) -> Iterator[Violation]:
        """Symbols must be extents of the signature or visible integer scalars."""
        for symbol in (s for expression in found for s in symbols(expression)):
            if symbol not in self.dims if not symbol.serial else symbol.serial not in self.scope.scalars:
                yield self.violation("kir.dim.anonymous", op, f"{_shown(symbol)} is no known integer here")

    def region(self, region: Region, owner: Op | str) -> Iterator[Violation]:
        for argument in region.args:
            yield from self.define(argument, owner)
        for position, op in enumerate(region.ops):
            if isinstance(op, Yield) and position != len(region.ops) - 1:
                yield self.violation("kir.region.yield", op, "a yield stands before the end of its region")
            yield from self.op(op)
        self.scope.leave((*region.args, *(value for op in region.ops for value in results(op))))

    def op(self, op: Op) -> Iterator[Violation]:
        missing = [value for value in operands(op) if value not in self.scope.values]
        for value in missing:
            yield self.violation("kir.ssa.dominance", op, f"{value!r} is not defined before it is used")
        yield from self.expressions(attributes(op), op)
        if not missing:
            for code, sentence in complaints(cast(AnyOp, op), self.known):
                yield self.violation(code, op, sentence)
            yield from self.control(cast(AnyOp, op))
        if isinstance(op, RequireEqual):
            self.known.require(op.lhs, op.rhs)
        for inner in regions(op):
            yield from self.region(inner, op)
        for value in results(op):
            yield from self.define(value, op)

    def control(self, op: AnyOp) -> Iterator[Violation]:
        match op:
            case Parallel():
                if not all(isinstance(d.type, DomainType) for d in op.domains):
                    yield self.violation("kir.parallel.domain", op, "a source is no domain")
                yield from self.arguments(op, op.body, [TensorType(INDEX, (), True)] * len(op.domains))
                if isinstance(last := _last(op.body), Yield) and (last.values or last.stop):
                    yield self.violation("kir.parallel.carry", op, "the body yields values")
            case For():
                carried = [value.type for value in op.initial]
                yield from self.arguments(op, op.body, [TensorType(INDEX, (), True), *carried])
                yield from self.yields(op, op.body, [*carried], "kir.loop.carry_type")
                yield from self.carries(op, op.initial, op.results)
            case While():
                carried = [value.type for value in op.initial]
                yield from self.arguments(op, op.test, carried)
                yield from self.arguments(op, op.body, carried)
                yield from self.yields(op, op.test, [TensorType(BOOL, (), True)], "kir.while.condition")
                yield from self.yields(op, op.body, [*carried], "kir.loop.carry_type")
                yield from self.carries(op, op.initial, op.results)
            case If():
                if not is_scalar_of(op.condition, BOOL):
                    yield self.violation("kir.if.condition", op, "the condition is no bool scalar")
                merged = [value.type for value in op.results]
                for body in (op.then_body, op.else_body):
                    yield from self.arguments(op, body, [])
                    yield from self.yields(op, body, [*merged], "kir.if.yield_type")
            case _:
                return

    def arguments(self, op: Op, region: Region, expected: list[TensorType] | list[ValueType]) -> Iterator[Violation]:
        found = [argument.type for argument in region.args]
        if not _agree(found, [*expected]):
            yield self.violation("kir.region.args", op, "the arguments of a region do not match its op")

    def yields(self, op: Op, region: Region, expected: list[ValueType], code: str) -> Iterator[Violation]:
        last = _last(region)
        if not isinstance(last, Yield):
            if expected:
                yield self.violation("kir.region.yield", op, "a region does not end in a yield")
            return
        if not _agree([value.type for value in last.values], expected):
            yield self.violation(code, op, "a region yields other types than its op expects")
        if last.stop is not None and not (isinstance(op, For | While) and is_scalar_of(last.stop, BOOL)):
            yield self.violation("kir.region.yield", op, "a stop must be a bool scalar in the body of a loop")

    def carries(self, op: Op, initial: tuple[Value, ...], found: tuple[Value, ...]) -> Iterator[Violation]:
        if not _agree([value.type for value in found], [value.type for value in initial]):
            yield self.violation("kir.loop.carry_type", op, "results and carries have different types")


def extents(value_type: ValueType) -> tuple[IntExpr, ...]:
    """Every integer expression of a type."""
    if isinstance(value_type, DomainType):
        return (value_type.begin, value_type.extent, value_type.step)
    return value_type.shape


def attributes(op: Op) -> Iterator[IntExpr]:
    """Every integer expression among the fields of an op, those of its terms included."""
    for name in own_fields(type(op)):
        found = getattr(op, name)
        if isinstance(found, IntExpr) and name not in READER_FIELDS:
            yield found
        elif isinstance(found, tuple):
            yield from (term.extent for term in cast(tuple[object, ...], found) if isinstance(term, Slice))


def _last(region: Region) -> Op | None:
    return region.ops[-1] if region.ops else None


def _agree(found: list[ValueType], expected: list[ValueType]) -> bool:
    """Types are equal; a scalar and a tensor of rank 0 agree."""
    return len(found) == len(expected) and all(_same_type(a, b) for a, b in zip(found, expected, strict=True))


def _same_type(lhs: ValueType, rhs: ValueType) -> bool:
    if isinstance(lhs, TensorType) and isinstance(rhs, TensorType):
        return lhs.dtype == rhs.dtype and lhs.shape == rhs.shape
    return lhs == rhs


def _shown(symbol: Symbol) -> str:
    return symbol.name or f"%{symbol.serial}"
