"""The relation of a value as a whole: expression, source domains, dependencies, predicates, bounds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from intent2cuda.analysis import expressions as ex
from intent2cuda.analysis.composition import first_axes
from intent2cuda.analysis.effects import Access
from intent2cuda.analysis.expressions import Condition, Expression, Unknown
from intent2cuda.analysis.limits import Bounds, axis_symbol, coordinate_bounds
from intent2cuda.analysis.ranges import Facts
from intent2cuda.analysis.relations import Relations
from intent2cuda.base.intexpr import IntExpr, symbols
from intent2cuda.ir.op import operands, regions
from intent2cuda.ir.ops import (
    Broadcast,
    Dim,
    For,
    Gather,
    Indices,
    Load,
    Parallel,
    Pointwise,
    Reshape,
    Subregion,
    Transpose,
)
from intent2cuda.ir.terms import Along, Lanes, Point
from intent2cuda.ir.value import Value
from intent2cuda.types.dtype import DType
from intent2cuda.types.value_type import Shape, TensorType


@dataclass(frozen=True)
class SourceAxis:
    """A root domain whose coordinates a value holds; `axis` is the result axis along it (None: a fixed point)."""

    domain: Value
    axis: int | None


@dataclass(frozen=True)
class IndexRelation:
    """`expression` gives the integer at each result coordinate; `dependencies` are the SSA values it rests on.

    `active` are the predicates that choose between expressions; `bounds` hold at every coordinate.
    """

    dtype: DType
    shape: Shape
    sources: tuple[SourceAxis, ...]
    expression: Expression
    dependencies: tuple[Value, ...]
    active: tuple[Value, ...]
    bounds: Bounds

    @property
    def rank(self) -> int:
        return len(self.shape)


@dataclass(frozen=True)
class PredicateRelation:
    """A bool value as a condition on its coordinates."""

    shape: Shape
    condition: Condition
    dependencies: tuple[Value, ...]


Relation: TypeAlias = IndexRelation | PredicateRelation | Unknown


def relation(relations: Relations, value: Value) -> Relation:
    """The relation of an integer or bool scalar or tensor."""
    return Provenance(relations).relation(value)


class Provenance:
    """Answers for the values of one kernel."""

    def __init__(self, relations: Relations) -> None:
        self._relations = relations
        self._structure = relations.structure
        self._sources: dict[Value, tuple[SourceAxis, ...]] = {}
        self._dependencies: dict[Value, tuple[Value, ...]] = {}
        self._active: dict[Value, tuple[Value, ...]] = {}

    def relation(self, value: Value) -> Relation:
        """The relation of an integer or bool scalar or tensor."""
        if not isinstance(value.type, TensorType):
            return Unknown("the value is no scalar or tensor")
        shape, dtype = value.type.shape, value.type.dtype
        if dtype.is_bool:
            return PredicateRelation(shape, self._relations.condition(value), self.dependencies(value))
        if not dtype.is_integer:
            return Unknown(f"{dtype} is no integer type")
        found = self._relations.expression(value)
        if isinstance(found, Unknown):
            return found
        sources, dependencies, active = self.sources(value), self.dependencies(value), self.active(value)
        return IndexRelation(dtype, shape, sources, found, dependencies, active, self._bounds(shape, found))

    def sources(self, value: Value) -> tuple[SourceAxis, ...]:
        """Which domains the integers come from, and along which axes."""
        if value not in self._sources:
            self._sources[value] = tuple(dict.fromkeys(self._found_sources(value)))
        return self._sources[value]

    def dependencies(self, value: Value) -> tuple[Value, ...]:
        """The parameters, loop variables, domains, and values read or computed from data that a value rests on."""
        if value not in self._dependencies:
            self._dependencies[value] = tuple(dict.fromkeys(self._found_dependencies(value)))
        return self._dependencies[value]

    def active(self, value: Value) -> tuple[Value, ...]:
        """The predicates that choose which integers a value holds."""
        if value not in self._active:
            self._active[value] = tuple(dict.fromkeys(self._found_active(value)))
        return self._active[value]

    def of_access(self, access: Access) -> tuple[SourceAxis, ...]:
        """Which domains the positions of an access come from, and along which axes of what it selects."""
        found: list[SourceAxis] = []
        for term, first in first_axes(access.terms):
            if isinstance(term, Along):
                found.append(SourceAxis(self.root(term.domain), first))
            elif isinstance(term, Point | Lanes):
                found += (
                    SourceAxis(s.domain, None if s.axis is None else first + s.axis) for s in self.sources(term.index)
                )
        return tuple(dict.fromkeys(found))

    def root(self, domain: Value) -> Value:
        """The domain that a chain of subregions was cut from."""
        op = self._structure.defining.get(domain)
        return self.root(op.source) if isinstance(op, Subregion) else domain

    def _found_sources(self, value: Value) -> Iterator[SourceAxis]:
        op = self._structure.defining.get(value)
        match op:
            case None:
                yield from self._of_argument(value)
            case Indices():
                yield SourceAxis(self.root(op.domain), 0)
            case Broadcast() | Transpose() | Reshape():
                moved = self._relations.coordinate_map(op)
                if not isinstance(moved, Unknown):
                    yield from self._placed(op.source, [moved[axis_symbol(k)] for k in range(op.source.tensor.rank)])
            case Gather():
                yield from self._placed(op.source, self._relations.coordinates(op.terms))
            case Dim():
                yield from (s for scalar in self._mentioned([op.expression]) for s in self.sources(scalar))
            case _:
                used = () if self._is_own(value) else operands(op)
                yield from (s for operand in used for s in self.sources(operand))

    def _of_argument(self, value: Value) -> Iterator[SourceAxis]:
        """The domain of a loop variable; what a slice of a source comes from."""
        frame = self._structure.arguments.get(value)
        part = self._structure.segment(value)
        if part is not None:
            yield from self.sources(part.source)
        elif frame is not None and isinstance(frame.owner, Parallel | For):
            position = frame.region.args.index(value)
            domains = frame.owner.domains if isinstance(frame.owner, Parallel) else (frame.owner.domain,)
            if position < len(domains):
                yield SourceAxis(self.root(domains[position]), None)

    def _placed(self, source: Value, positions: Iterable[Expression | Unknown]) -> Iterator[SourceAxis]:
        """The sources of a value with the result axes that each of its axes has become."""
        of_axis = tuple(positions)
        for found in self.sources(source):
            position = None if found.axis is None else of_axis[found.axis]
            exact = () if position is None or isinstance(position, Unknown) else tuple(ex.leaves(position))
            axes = {axis for leaf in exact for s in symbols(leaf) if (axis := ex.coordinate_axis(s)) is not None}
            yield from (SourceAxis(found.domain, axis) for axis in sorted(axes) or [None])

    def _found_dependencies(self, value: Value) -> Iterator[Value]:
        op = self._structure.defining.get(value)
        match op:
            case None:
                part = self._structure.segment(value)
                yield from (value,) if part is None else (*self.dependencies(part.source), part.extent)
            case Load():
                yield value
            case Indices():
                yield op.domain
                bounds = self._relations.domain(op.domain)
                yield from self._below([bounds.begin, bounds.step])
            case Dim():
                yield from self._below([op.expression])
            case _ if self._is_own(value):
                yield value
            case _:
                yield from (v for operand in operands(op) for v in self.dependencies(operand))

    def _below(self, found: list[IntExpr]) -> Iterator[Value]:
        return (v for scalar in self._mentioned(found) for v in self.dependencies(scalar))

    def _mentioned(self, found: list[IntExpr]) -> Iterator[Value]:
        scalars = (self._structure.by_serial.get(s.serial) for expression in found for s in symbols(expression))
        return (scalar for scalar in scalars if scalar is not None)

    def _is_own(self, value: Value) -> bool:
        """Whether nothing is known of a value but that it is itself: what regions compute, integers made from data."""
        op = self._structure.defining.get(value)
        if op is not None and regions(op):
            return True
        if not isinstance(value.type, TensorType) or not value.type.dtype.is_integer:
            return False
        found = self._relations.expression(value)
        return isinstance(found, Unknown) or found == value.as_symbol

    def _found_active(self, value: Value) -> Iterator[Value]:
        op = self._structure.defining.get(value)
        if op is None or isinstance(op, Load | Indices | Dim) or self._is_own(value):
            return
        if isinstance(op, Pointwise) and op.fn == "select":
            yield op.args[0]
        elif isinstance(op, Gather) and op.valid is not None:
            yield op.valid
        for operand in operands(op):
            if isinstance(operand.type, TensorType) and operand.type.dtype.is_integer:
                yield from self.active(operand)

    def _bounds(self, shape: Shape, expression: Expression) -> Bounds:
        if not isinstance(expression, IntExpr):
            return Bounds()
        found = Facts(self._structure, coordinate_bounds(shape)).extremes(expression)
        lower, upper = (
            tuple(e for e in side if all(ex.coordinate_axis(s) is None for s in symbols(e)))
            for side in (found.lower, found.upper)
        )
        return Bounds(lower, upper)
