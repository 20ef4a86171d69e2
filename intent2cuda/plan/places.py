"""How often each region of a kernel runs: the loops around it as variables, and the conditions it stands under."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from intent2cuda.analysis.expressions import Condition, Connective, replace_in_condition
from intent2cuda.analysis.limits import axis_symbol
from intent2cuda.analysis.relations import Relations
from intent2cuda.analysis.structure import Structure, segment_begin, structure
from intent2cuda.analysis.surroundings import symbol_of
from intent2cuda.base.intexpr import IntExpr, Symbol, substitute, symbols
from intent2cuda.ir.kernel import Kernel
from intent2cuda.ir.op import Op, Region, regions
from intent2cuda.ir.ops import (
    Domain,
    For,
    If,
    Load,
    Parallel,
    ReduceBy,
    RegionFold,
    RegionScan,
    ScanBy,
    Subregion,
    While,
    Yield,
)
from intent2cuda.ir.terms import Point
from intent2cuda.ir.value import Value
from intent2cuda.plan.effects import EFFECTS
from intent2cuda.plan.spaces import Variable, Variables
from intent2cuda.plan.tables import Given, element, elements
from intent2cuda.types.value_type import DomainType, Shape, ViewType

ZERO = IntExpr.of(0)


@dataclass(frozen=True, eq=False)
class Place:
    """Where an op stands: it runs once for each point of `variables` at which the conditions hold.

    doubt: why it may run less often, or (not `bounded`) any number of times. never: it does not run, where every
    region operation has one segment.
    """

    variables: Variables = ()
    conditions: tuple[Condition, ...] = ()
    doubt: str = ""
    bounded: bool = True
    never: bool = False


class Places:
    """The places of a kernel's ops, and its scalars over the variables of the loops around.

    A scalar that a loop reads from a table which the kernel does not write is an element of that table. `tables`: for
    each of them what its elements are at most apart, where that is known.
    """

    def __init__(self, kernel: Kernel) -> None:
        self.structure: Structure = structure(kernel)
        self.relations = Relations(self.structure)
        self.of: dict[Op, Place] = {}
        self.tables: dict[Symbol, IntExpr | None] = {}
        self._values: dict[Symbol, IntExpr] = {}
        self._forward: set[IntExpr] = set()
        self._parameters = {parameter.serial for parameter in kernel.parameters}
        self._written = {op.resource for op in self.structure.order if isinstance(op, EFFECTS)}
        self._steps: dict[IntExpr, None] = {}
        self._region(kernel.body, Place())
        self.given = Given(self.structure, tuple(self._steps))

    def resolved(self, expression: IntExpr) -> IntExpr:
        """An expression over extents and scalars of the call, variables, and elements of tables."""
        return substitute(self.relations.written(expression), self._values)

    def resolved_condition(self, condition: Condition) -> Condition:
        return replace_in_condition(condition, self._values)

    def is_known(self, expression: IntExpr, variables: Variables = ()) -> bool:
        """Whether the call and the variables decide a resolved expression."""
        mine = {variable.symbol for variable in variables}
        return not any(elements(expression)) and self.is_countable(expression, frozenset(mine))

    def is_countable(self, expression: IntExpr, variables: frozenset[Symbol]) -> bool:
        """Whether the call, the variables and tables decide a resolved expression."""
        return all(
            s in variables or s in self.tables or not s.serial or s.serial in self._parameters
            for s in symbols(expression)
        )

    def along(self, shape: Shape) -> Variables:
        """A variable for each axis of a shape."""
        extents = map(self.resolved, shape)
        return tuple(Variable(axis_symbol(axis), e, e in self._forward) for axis, e in enumerate(extents))

    def _region(self, region: Region, place: Place) -> None:
        for op in region.ops:
            self.of[op] = place
            match op:
                case Load():
                    self._element(op)
                case Subregion():
                    self._part(op)
                case Domain():
                    self._steps[self.resolved(op.result.domain.step)] = None
                case _:
                    pass
            for inner in regions(op):
                self._region(inner, self._inside(op, inner, place))

    def _element(self, op: Load) -> None:
        """A scalar that is read from a table."""
        shape, result = op.resource.resource.shape, op.result.tensor
        if result.shape or not result.dtype.is_integer or op.valid is not None or len(shape) != 1:
            return
        if op.resource in self._written or not isinstance(op.resource.type, ViewType):
            return
        (term,) = op.terms
        if isinstance(term, Point):
            table = symbol_of(op.resource)
            self.tables.setdefault(table, None)
            self._values[symbol_of(op.result)] = element(table, self.resolved(self.relations.scalar(term.index)))

    def _part(self, op: Subregion) -> None:
        """A part of a domain by elements of a table, which is promised to lie in it and not to end before it begins."""
        extent, whole = (self.resolved(domain.domain.extent) for domain in (op.result, op.source))
        for found in elements(extent):
            self._forward.add(extent)
            self.tables |= dict.fromkeys(symbols(found.lhs), whole)

    def _inside(self, op: Op, region: Region, place: Place) -> Place:
        match op:
            case For() | Parallel():
                return self._loop(op, place)
            case While():
                return replace(place, doubt="the rounds of a while loop depend on data", bounded=False)
            case If():
                condition = self.resolved_condition(self.relations.condition(op.condition))
                holds = condition if region is op.then_body else Connective("not", (condition,))
                return replace(place, conditions=(*place.conditions, holds))
            case ReduceBy() | ScanBy():
                return replace(place, variables=(*place.variables, *self._members(op)))
            case RegionFold() | RegionScan():
                return self._segment(op, region, place)
            case _:
                return place

    def _loop(self, op: For | Parallel, place: Place) -> Place:
        domains = op.domains if isinstance(op, Parallel) else (op.domain,)
        added = [self._variable(*pair) for pair in zip(op.body.args, domains, strict=False)]
        found = replace(place, variables=(*place.variables, *added))
        last = op.body.ops[-1] if op.body.ops else None
        if isinstance(last, Yield) and last.stop is not None and not place.doubt:
            return replace(found, doubt="a loop may be left before its end")
        return found

    def _variable(self, value: Value, domain: Value) -> Variable:
        """The ordinal of a loop's round; the loop's own value where the two are the same."""
        bounds = self._bounds(domain)
        mine = symbol_of(value)
        if bounds.begin.constant != 0 or bounds.step.constant != 1:
            mine = Symbol(f"{value.name}'", value.serial)
            self._values[symbol_of(value)] = bounds.begin + bounds.step * IntExpr((((mine,), 1),))
        return Variable(mine, bounds.extent, bounds.extent in self._forward)

    def _bounds(self, domain: Value) -> DomainType:
        found = domain.domain
        return DomainType(*map(self.resolved, (found.begin, found.extent, found.step)))

    def _members(self, op: ReduceBy | ScanBy) -> Iterator[Variable]:
        """A variable for each axis along which members are combined: all axes where the region combines elements."""
        source, first = op.sources[0], op.combine.args[0]
        axes = op.axes if isinstance(op, ReduceBy) else (op.axis,)
        slices = any(identity.tensor.shape for identity in op.identity)
        for axis, variable in enumerate(self.along(source.tensor.shape)):
            if axis in axes or not slices:
                yield replace(variable, symbol=Symbol(f"member {axis}", first.serial))

    def _segment(self, op: RegionFold | RegionScan, region: Region, place: Place) -> Place:
        """One segment is the whole axis; summaries are merged where there are several."""
        emits = isinstance(op, RegionScan) and region is op.emit
        if emits or region is op.summarize:
            extent = region.args[0]
            self._values[segment_begin(extent)] = ZERO
            self._values[symbol_of(extent)] = self.resolved(op.sources[0].tensor.shape[op.axis])
            return place
        return replace(place, never=region is op.combine)
