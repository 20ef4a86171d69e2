"""How two accesses of one memory meet, asked of a kernel: for points of a loop, or for the elements of one access."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product

from intent2cuda.analysis.expressions import Comparison, Condition, Connective, leaves
from intent2cuda.analysis.ranges import Bounds, Facts, axis_symbol, coordinate_bounds
from intent2cuda.analysis.relations import Relations, Unknown
from intent2cuda.analysis.separation import Meeting, Separation, mentioned
from intent2cuda.analysis.sites import Site
from intent2cuda.analysis.structure import Structure
from intent2cuda.base.intexpr import IntExpr, Symbol, substitute
from intent2cuda.ir.op import Op
from intent2cuda.ir.ops import For, Parallel
from intent2cuda.ir.value import Value
from intent2cuda.types.value_type import DomainType

MOST_CHOICES = 16
"""Combinations of chosen positions that are looked at; more count as unknown."""

INVERSE = {"eq": "ne", "ne": "eq", "lt": "ge", "le": "gt", "gt": "le", "ge": "lt"}


def symbol_of(value: Value) -> Symbol:
    return Symbol(value.name, value.serial)


class Conflicts:
    """Questions about the accesses of one kernel."""

    def __init__(self, found: Structure, relations: Relations) -> None:
        self._structure = found
        self._relations = relations

    def of_points(self, loop: Parallel, first: Site, second: Site) -> Meeting:
        """SAME: only executions at one point of the loop touch one element."""
        return self.meeting(first, second, loop, [symbol_of(point) for point in loop.body.args])

    def of_elements(self, site: Site) -> Meeting:
        """SAME: no two coordinates of the access touch one element."""
        return self.meeting(site, site, None, [axis_symbol(axis) for axis in range(len(site.access.shape))])

    def of_instances(self, first: Site, second: Site) -> Meeting:
        """SAME: one element is touched only in the same turn of all loops around and at the same coordinate."""
        loops = first.loops
        if loops != second.loops or any(not isinstance(loop, Parallel | For) for loop in loops):
            return Meeting.UNKNOWN
        turns = [symbol_of(value) for loop in loops for value in self._loop_variables(loop)]
        axes = [axis_symbol(axis) for axis in range(max(len(first.access.shape), len(second.access.shape)))]
        return self.meeting(first, second, loops[0] if loops else None, [*turns, *axes])

    def meeting(self, first: Site, second: Site, scope: Op | None, goal: list[Symbol]) -> Meeting:
        """How the sites meet when all that is defined inside `scope`, and the coordinates, may differ."""
        steps = self._ordinals(first, second, scope)
        facts = Facts(self._structure, self._loop_bounds(steps, first, second))
        found = Meeting.NEVER
        for pairs in self._alternatives(first, second, steps):
            varying = self._varying(first, scope, facts, [mine for mine, _ in pairs])
            others = self._varying(second, scope, facts, [other for _, other in pairs])
            holds = [[substitute(e, steps) for e in self._holding(site)] for site in (first, second)]
            answer = Separation(facts, varying, others).meeting(pairs, goal, (holds[0], holds[1]))
            if answer is Meeting.UNKNOWN:
                return answer
            found = answer if answer is Meeting.SAME else found
        return found

    def _alternatives(
        self, first: Site, second: Site, steps: dict[Symbol, IntExpr]
    ) -> Iterator[list[tuple[IntExpr, IntExpr]]]:
        """Positions of both sites, axis by axis, for each combination of choices; unknown axes are left out."""
        axes: list[list[tuple[IntExpr, IntExpr]]] = []
        for mine, other in zip(first.positions, second.positions, strict=True):
            if not isinstance(mine, Unknown) and not isinstance(other, Unknown):
                axes.append(list(product(leaves(mine), leaves(other))))
        for chosen in _equalities(first, second):
            axes.append([chosen])
        for number, combination in enumerate(product(*axes)):
            if number == MOST_CHOICES:
                yield []
                return
            yield [(substitute(mine, steps), substitute(other, steps)) for mine, other in combination]

    def _varying(self, site: Site, scope: Op | None, facts: Facts, positions: list[IntExpr]) -> dict[Symbol, Bounds]:
        """The symbols that may differ between two executions of a site, and their bounds, and what these mention."""
        shape = tuple(self._relations.written(extent) for extent in site.access.shape)
        found = coordinate_bounds(shape)
        wanted = list(mentioned([*positions, *self._holding(site), *_of_bounds(found.values())]))
        wanted.sort()
        while wanted:
            symbol = wanted.pop()
            value = self._structure.by_serial.get(symbol.serial)
            if symbol in found or value is None or scope is None or not self._structure.is_inside(value, scope):
                continue
            found[symbol] = facts.bounds(symbol)
            wanted += sorted(mentioned(_of_bounds([found[symbol]])))
        return found

    def _holding(self, site: Site) -> list[IntExpr]:
        """Expressions that are positive wherever the access happens: extents, and what its conditions say."""
        extents = [self._relations.written(extent) for extent in site.access.shape]
        for loop in site.loops:
            extents += [domain.extent for _, domain in self._loop_domains(loop)]
        for condition in site.conditions:
            extents += _positive(condition, True)
        return extents

    def _loop_domains(self, loop: Op) -> Iterator[tuple[Value, DomainType]]:
        if isinstance(loop, Parallel):
            yield from zip(loop.body.args, map(self._relations.domain, loop.domains), strict=True)
        elif isinstance(loop, For):
            yield loop.body.args[0], self._relations.domain(loop.domain)

    def _loop_variables(self, loop: Op) -> tuple[Value, ...]:
        return tuple(value for value, _ in self._loop_domains(loop))

    def _ordinals(self, first: Site, second: Site, scope: Op | None) -> dict[Symbol, IntExpr]:
        """Loop variables with a step, written by their ordinals; the symbol then stands for the ordinal."""
        found: dict[Symbol, IntExpr] = {}
        for loop in dict.fromkeys((*first.loops, *second.loops)):
            for value, domain in self._loop_domains(loop):
                if domain.step.constant != 1 and scope is not None and self._structure.is_inside(value, scope):
                    begin, step = substitute(domain.begin, found), substitute(domain.step, found)
                    found[symbol_of(value)] = begin + step * value.as_symbol
        return found

    def _loop_bounds(self, steps: dict[Symbol, IntExpr], first: Site, second: Site) -> dict[Symbol, Bounds]:
        found: dict[Symbol, Bounds] = {}
        for loop in dict.fromkeys((*first.loops, *second.loops)):
            for value, domain in self._loop_domains(loop):
                symbol = symbol_of(value)
                begin, step, extent = (substitute(e, steps) for e in (domain.begin, domain.step, domain.extent))
                if symbol in steps:
                    found[symbol] = Bounds((IntExpr.of(0),), (extent - 1,))
                else:
                    found[symbol] = Bounds((begin,), (begin + (extent - 1) * step,))
        return found


def _of_bounds(found: Iterable[Bounds]) -> Iterator[IntExpr]:
    for bounds in found:
        yield from (*bounds.lower, *bounds.upper)


def _equalities(first: Site, second: Site) -> Iterator[tuple[IntExpr, IntExpr]]:
    """Expressions that are zero in both executions because both stand under one condition."""
    for condition in first.conditions:
        if condition in second.conditions:
            yield from ((zero, zero) for zero in _zeros(condition, True))


def _zeros(condition: Condition, holds: bool) -> Iterator[IntExpr]:
    match condition:
        case Comparison(fn=fn, lhs=IntExpr() as lhs, rhs=IntExpr() as rhs) if fn == ("eq" if holds else "ne"):
            yield lhs - rhs
        case Connective(fn="not", args=(inner,)):
            yield from _zeros(inner, not holds)
        case Connective(fn=fn, args=args) if fn == ("and" if holds else "or"):
            for part in args:
                yield from _zeros(part, holds)
        case _:
            return


def _positive(condition: Condition, holds: bool) -> Iterator[IntExpr]:
    """Expressions that are at least 1 when the condition is as said."""
    match condition:
        case Comparison(fn=fn, lhs=IntExpr() as lhs, rhs=IntExpr() as rhs):
            relation = fn if holds else INVERSE[fn]
            if relation in ("lt", "le", "eq"):
                yield rhs - lhs + (0 if relation == "lt" else 1)
            if relation in ("gt", "ge", "eq"):
                yield lhs - rhs + (0 if relation == "gt" else 1)
        case Connective(fn="not", args=(inner,)):
            yield from _positive(inner, not holds)
        case Connective(fn=fn, args=args) if fn == ("and" if holds else "or"):
            for part in args:
                yield from _positive(part, holds)
        case _:
            return
