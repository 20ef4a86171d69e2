"""Concrete collisions: small sizes are tried, and two executions that touch one element are looked for.

Where a collision shows for every size that was tried (and that runs at least two points), the conflict is proved by its
examples; where it shows for none or only some, nothing is said.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice, product

from intent2cuda.analysis.expressions import (
    Choice,
    Comparison,
    Condition,
    Connective,
    Expression,
    Opaque,
    Unknown,
    condition_parts,
    coordinate_axis,
    parts,
)
from intent2cuda.analysis.limits import axis_symbol
from intent2cuda.analysis.separation import mentioned
from intent2cuda.analysis.sites import Site, runs_to_its_end
from intent2cuda.analysis.surroundings import Surroundings, symbol_of
from intent2cuda.base.intexpr import IntExpr, Operation, Symbol, evaluate
from intent2cuda.ir.op import Op
from intent2cuda.ir.ops import Load, Parallel, Pointwise, While
from intent2cuda.ir.value import Value
from intent2cuda.types.value_type import Access, DomainType, ViewType

MOST_EXECUTIONS = 1200
MOST_MEMBERS = 12

Values = dict[Symbol, int]


class UndecidedError(Exception):
    """Something that no size decides: data, or a loop that may end early."""


@dataclass(frozen=True)
class Collision:
    """Two executions, told apart by `first` and `second` (values of the loop's variables, or coordinates)."""

    first: tuple[int, ...]
    second: tuple[int, ...]
    position: tuple[int, ...]


class Witness:
    """Looks for collisions in one kernel."""

    def __init__(self, surroundings: Surroundings) -> None:
        self._around = surroundings
        self._structure = surroundings.structure
        self._relations = surroundings.relations

    def of_points(self, loop: Parallel, first: Site, second: Site) -> Collision | None:
        """A collision of two points of a loop that occurs at all sizes tried; None when there is none or not always."""
        return self._search(first, second, loop, [symbol_of(point) for point in loop.body.args])

    def of_elements(self, site: Site) -> Collision | None:
        """Two coordinates of one access that touch one element."""
        return self._search(site, site, None, [axis_symbol(axis) for axis in range(len(site.access.shape))])

    def _search(self, first: Site, second: Site, scope: Op | None, told_apart: list[Symbol]) -> Collision | None:
        free = sorted(self._free(first, scope) | self._free(second, scope))
        example: Collision | None = None
        for values in _valuations(free, self._constants((first, second))):
            try:
                found = self._collision(first, second, scope, told_apart, values)
            except (UndecidedError, KeyError, ZeroDivisionError):
                return None
            if found is None:
                return None
            if isinstance(found, Collision):
                example = example or found
        return example

    def _collision(
        self, first: Site, second: Site, scope: Op | None, told_apart: list[Symbol], values: Values
    ) -> Collision | bool | None:
        """A collision, None when there is none, False when the size does not count (less than two points run)."""
        seen: dict[tuple[int, ...], list[tuple[int, ...]]] = {}
        points: set[tuple[int, ...]] = set()
        for execution in self._executions(first, scope, values):
            point = tuple(execution[symbol] for symbol in told_apart)
            points.add(point)
            places = seen.setdefault(self._position(first, execution), [])
            if len(places) < 2 and point not in places:
                places.append(point)
        for execution in self._executions(second, scope, values):
            point = tuple(execution[symbol] for symbol in told_apart)
            points.add(point)
            position = self._position(second, execution)
            other = next((p for p in seen.get(position, []) if p != point), None)
            if other is not None:
                return Collision(min(other, point), max(other, point), position)
        return None if len(points) > 1 else False

    def _position(self, site: Site, execution: Values) -> tuple[int, ...]:
        return tuple(_value(position, execution) for position in site.positions)

    def _executions(self, site: Site, scope: Op | None, values: Values) -> Iterator[Values]:
        """Executions of the access inside its bounds and under its conditions, up to a limit."""
        shape = [self._relations.written(extent) for extent in site.resource.resource.shape]
        constants = self._constants((site,))
        return islice(
            (
                execution
                for execution in islice(self._turns(site, scope, values, constants), MOST_EXECUTIONS * 4)
                if self._happens(site, execution)
                if all(
                    0 <= at < evaluate(extent, execution)
                    for at, extent in zip(self._position(site, execution), shape, strict=True)
                )
            ),
            MOST_EXECUTIONS,
        )

    def _turns(self, site: Site, scope: Op | None, values: Values, constants: tuple[int, ...]) -> Iterator[Values]:
        """Every combination of members of the loops around (outside `scope`: their first) and of coordinates."""
        turns: Iterator[Values] = iter((values,))
        inside = False
        for loop in site.loops:
            inside = inside or loop is scope
            if isinstance(loop, While):
                raise UndecidedError
            most = MOST_MEMBERS if inside and runs_to_its_end(loop) else 1
            for point, domain in self._around.loop_domains(loop):
                turns = _extended(turns, symbol_of(point), domain, constants, most)
        for turn in turns:
            extents = [evaluate(self._relations.written(extent), turn) for extent in site.access.shape]
            for at in product(*(_members(extent, constants, MOST_MEMBERS) for extent in extents)):
                yield {**turn, **{axis_symbol(axis): place for axis, place in enumerate(at)}}

    def _happens(self, site: Site, execution: Values) -> bool:
        """Whether the conditions hold, data deciding freely at most once."""
        conditions = list(site.conditions)
        if site.access.valid is not None:
            conditions.append(self._relations.condition(site.access.valid))
        free = 0
        for condition in conditions:
            if isinstance(condition, Opaque) and self._is_free(condition.value):
                free += 1
            elif isinstance(condition, Connective) and condition.fn == "not" and isinstance(condition.args[0], Opaque):
                free += 1 if self._is_free(condition.args[0].value) else 2
            elif not _truth(condition, execution):
                return False
        if free > 1:
            raise UndecidedError
        return True

    def _is_free(self, value: Value) -> bool:
        """Whether input data can make a bool true at any point: a comparison of floats, or a read of an input."""
        op = self._structure.defining.get(value)
        if isinstance(op, Load):
            view = op.resource.type
            return isinstance(view, ViewType) and view.access is Access.IN
        return isinstance(op, Pointwise) and op.args[0].tensor.dtype.is_float

    def _free(self, site: Site, scope: Op | None) -> set[Symbol]:
        """Symbols that get a value from outside: extents of the signature and scalars defined outside of the loops."""
        expressions = [*self._relations_of(site), *(self._relations.written(e) for e in site.resource.resource.shape)]
        expressions += [self._relations.written(extent) for extent in site.access.shape]
        variables: set[Symbol] = set()
        for loop in site.loops:
            for point, domain in self._around.loop_domains(loop):
                variables.add(symbol_of(point))
                expressions += [domain.begin, domain.extent, domain.step]
        found = {s for s in mentioned(expressions) if coordinate_axis(s) is None} - variables
        return {s for s in found if not s.serial or self._is_outside(s, scope)}

    def _is_outside(self, symbol: Symbol, scope: Op | None) -> bool:
        value = self._structure.by_serial.get(symbol.serial)
        return value is not None and (scope is None or not self._structure.is_inside(value, scope))

    def _relations_of(self, site: Site) -> list[IntExpr]:
        found = [part for position in site.positions if not isinstance(position, Unknown) for part in parts(position)]
        conditions = list(site.conditions)
        if site.access.valid is not None:
            conditions.append(self._relations.condition(site.access.valid))
        return [*found, *(part for condition in conditions for part in condition_parts(condition))]

    def _constants(self, of_sites: tuple[Site, ...]) -> tuple[int, ...]:
        """Numbers in the positions (divisors, offsets) near which collisions lie."""
        found: set[int] = set()
        for site in of_sites:
            for expression in self._relations_of(site):
                found |= set(_numbers(expression))
        return tuple(sorted(found))


def _extended(
    turns: Iterator[Values], point: Symbol, domain: DomainType, constants: tuple[int, ...], most: int
) -> Iterator[Values]:
    for turn in turns:
        begin, step = evaluate(domain.begin, turn), evaluate(domain.step, turn)
        for ordinal in _members(evaluate(domain.extent, turn), constants, most):
            yield {**turn, point: begin + ordinal * step}


def _members(extent: int, constants: tuple[int, ...], most: int) -> list[int]:
    """All ordinals of a short axis; of a long one the first, the last and those next to given numbers."""
    if extent <= most:
        return list(range(extent))
    chosen = {*range(min(6, most)), extent - 1} if most > 1 else {0}
    if most > 1:
        chosen |= {number + offset for number in constants for offset in (-1, 0, 1)}
    return sorted(ordinal for ordinal in chosen if 0 <= ordinal < extent)


def _valuations(free: list[Symbol], constants: tuple[int, ...]) -> Iterator[Values]:
    """Sizes to try: equal, rising and falling ones, and each symbol once at 1."""
    if not free:
        yield {}
        return
    large = max([4, *(c + 2 for c in constants if c <= 64)])
    yield dict.fromkeys(free, large)
    yield {symbol: 3 + place for place, symbol in enumerate(free)}
    yield {symbol: 2 + len(free) - place for place, symbol in enumerate(free)}
    for one in free:
        yield {symbol: 1 if symbol == one else 4 for symbol in free}


def _value(expression: Expression | Unknown, execution: Mapping[Symbol, int]) -> int:
    match expression:
        case IntExpr():
            return evaluate(expression, execution)
        case Choice():
            chosen = expression.when_true if _truth(expression.condition, execution) else expression.when_false
            return _value(chosen, execution)
        case Unknown():
            raise UndecidedError


def _truth(condition: Condition, execution: Mapping[Symbol, int]) -> bool:
    match condition:
        case Comparison():
            lhs, rhs = _value(condition.lhs, execution), _value(condition.rhs, execution)
            order = {
                "eq": lhs == rhs,
                "ne": lhs != rhs,
                "lt": lhs < rhs,
                "le": lhs <= rhs,
                "gt": lhs > rhs,
                "ge": lhs >= rhs,
            }
            return order[condition.fn]
        case Connective(fn="not"):
            return not _truth(condition.args[0], execution)
        case Connective(fn=fn):
            truths = [_truth(part, execution) for part in condition.args]
            return all(truths) if fn == "and" else any(truths)
        case Opaque():
            raise UndecidedError


def _numbers(expression: IntExpr) -> Iterator[int]:
    for monomial, coefficient in expression.terms:
        yield abs(coefficient)
        for atom in monomial:
            if isinstance(atom, Operation):
                yield from (*_numbers(atom.lhs), *_numbers(atom.rhs))
