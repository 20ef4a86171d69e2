"""How two accesses of one memory meet, asked of a kernel: for points of a loop, or for the elements of one access."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from itertools import product

from intent2cuda.analysis.expressions import Unknown, leaves
from intent2cuda.analysis.limits import Bounds, axis_symbol, coordinate_bounds
from intent2cuda.analysis.monotone import consecutive
from intent2cuda.analysis.ranges import Facts
from intent2cuda.analysis.separation import Meeting, Separation, mentioned
from intent2cuda.analysis.sites import Site
from intent2cuda.analysis.surroundings import Surroundings, implied_zeros, symbol_of
from intent2cuda.analysis.tickets import tickets
from intent2cuda.base.intexpr import IntExpr, Symbol, substitute
from intent2cuda.ir.op import Op
from intent2cuda.ir.ops import For, Parallel
from intent2cuda.ir.terms import Lanes

MOST_CHOICES = 16
"""Combinations of chosen positions that are looked at; more count as unknown."""


class Conflicts:
    """Questions about the accesses of one kernel."""

    def __init__(self, surroundings: Surroundings, all_sites: tuple[Site, ...]) -> None:
        self._around = surroundings
        self._sites = all_sites
        self._known: dict[Hashable, Meeting] = {}
        self._questions: dict[Hashable, int] = {}
        self._number_of: dict[Op, int] = {}
        self._offsets: dict[Parallel, tuple[tuple[IntExpr, IntExpr], ...]] = {}
        self._tickets: dict[Parallel, tuple[Symbol, ...]] = {}

    def of_points(self, loop: Parallel, first: Site, second: Site) -> Meeting:
        """SAME: only executions at one point of the loop touch one element."""
        found = self._meeting(first, second, loop, [symbol_of(point) for point in loop.body.args])
        if found is not Meeting.UNKNOWN:
            return found
        offsets = self._offsets_of(loop)
        if offsets and all(
            self._meeting(earlier, later, loop, None, offsets) is Meeting.NEVER
            for earlier, later in ((first, second), (second, first))
        ):
            return Meeting.SAME
        by_ticket = (self._meeting(first, second, loop, [ticket]) for ticket in self._tickets_of(loop))
        return Meeting.SAME if any(answer is not Meeting.UNKNOWN for answer in by_ticket) else found

    def of_elements(self, site: Site) -> Meeting:
        """SAME: no two coordinates of the access touch one element."""
        if not any(isinstance(term, Lanes) for term in site.access.terms):
            return Meeting.SAME
        return self._meeting(site, site, None, [axis_symbol(axis) for axis in range(len(site.access.shape))])

    def of_instances(self, first: Site, second: Site) -> Meeting:
        """SAME: one element is touched only in the same turn of all loops around and at the same coordinate."""
        loops = first.loops
        if loops != second.loops or any(not isinstance(loop, Parallel | For) for loop in loops):
            return Meeting.UNKNOWN
        turns = [symbol_of(value) for loop in loops for value, _ in self._around.loop_domains(loop)]
        axes = [axis_symbol(axis) for axis in range(max(len(first.access.shape), len(second.access.shape)))]
        return self._meeting(first, second, loops[0] if loops else None, [*turns, *axes])

    def _offsets_of(self, loop: Parallel) -> tuple[tuple[IntExpr, IntExpr], ...]:
        if loop not in self._offsets:
            self._offsets[loop] = consecutive(self._around, self._sites, loop)
        return self._offsets[loop]

    def _tickets_of(self, loop: Parallel) -> tuple[Symbol, ...]:
        if loop not in self._tickets:
            self._tickets[loop] = tickets(self._around, self._sites, loop)
        return self._tickets[loop]

    def _meeting(
        self,
        first: Site,
        second: Site,
        scope: Op | None,
        goal: list[Symbol] | None,
        offsets: tuple[tuple[IntExpr, IntExpr], ...] = (),
    ) -> Meeting:
        """How the sites meet when all that is defined inside `scope`, and the coordinates, may differ.

        `offsets` are (begin, end) such that the second execution begins where the first one ends, or behind it.
        """
        key = (self._number(first), self._number(second), scope, None if goal is None else tuple(goal), offsets)
        if key not in self._known:
            self._known[key] = self._answer(first, second, scope, goal, offsets)
        return self._known[key]

    def _number(self, site: Site) -> int:
        """A number for all that an answer about a site depends on."""
        if site.op not in self._number_of:
            question = (site.positions, site.access.shape, site.loops, site.conditions)
            self._number_of[site.op] = self._questions.setdefault(question, len(self._questions))
        return self._number_of[site.op]

    def _answer(
        self,
        first: Site,
        second: Site,
        scope: Op | None,
        goal: list[Symbol] | None,
        offsets: tuple[tuple[IntExpr, IntExpr], ...],
    ) -> Meeting:
        loops = tuple(dict.fromkeys((*first.loops, *second.loops)))
        steps = self._ordinals(loops, scope)
        facts = Facts(self._around.structure, self._bounds(loops, steps))
        found = Meeting.NEVER
        for pairs in _alternatives(first, second):
            stepped = [(substitute(mine, steps), substitute(other, steps)) for mine, other in pairs]
            varying = self._varying(first, scope, facts, [*(mine for mine, _ in stepped), *(end for _, end in offsets)])
            others = self._varying(second, scope, facts, [*(other for _, other in stepped), *(b for b, _ in offsets)])
            question = Separation(facts, varying, others)
            question.assume(*([substitute(e, steps) for e in self._around.positive(site)] for site in (first, second)))
            question.assume_order((end, begin) for begin, end in offsets)
            answer = question.meeting(stepped, goal)
            if answer is Meeting.UNKNOWN:
                return answer
            found = answer if answer is Meeting.SAME else found
        return found

    def _varying(self, site: Site, scope: Op | None, facts: Facts, positions: list[IntExpr]) -> dict[Symbol, Bounds]:
        """The symbols that may differ between two executions of a site, and their bounds, and what these mention."""
        found = coordinate_bounds(self._around.shape(site))
        wanted = sorted(mentioned([*positions, *self._around.positive(site), *_of_bounds(found.values())]))
        while wanted:
            symbol = wanted.pop()
            value = self._around.structure.by_serial.get(symbol.serial)
            if symbol in found or value is None or scope is None:
                continue
            if self._around.structure.is_inside(value, scope):
                found[symbol] = facts.bounds(symbol)
                wanted += sorted(mentioned(_of_bounds([found[symbol]])))
        return found

    def _ordinals(self, loops: tuple[Op, ...], scope: Op | None) -> dict[Symbol, IntExpr]:
        """Loop variables with a step, written by their ordinals; the symbol then stands for the ordinal."""
        found: dict[Symbol, IntExpr] = {}
        for loop in loops:
            for value, domain in self._around.loop_domains(loop):
                if domain.step.constant != 1 and scope is not None and self._around.structure.is_inside(value, scope):
                    begin, step = substitute(domain.begin, found), substitute(domain.step, found)
                    found[symbol_of(value)] = begin + step * value.as_symbol
        return found

    def _bounds(self, loops: tuple[Op, ...], steps: dict[Symbol, IntExpr]) -> dict[Symbol, Bounds]:
        found: dict[Symbol, Bounds] = {}
        for symbol, bounds in self._around.loop_bounds(loops).items():
            lower, upper = (substitute(side[0], steps) for side in (bounds.lower, bounds.upper))
            found[symbol] = Bounds((lower,), (upper,))
        for loop in loops:
            for value, domain in self._around.loop_domains(loop):
                if symbol_of(value) in steps:
                    found[symbol_of(value)] = Bounds((IntExpr.of(0),), (substitute(domain.extent, steps) - 1,))
        return found


def _alternatives(first: Site, second: Site) -> Iterator[list[tuple[IntExpr, IntExpr]]]:
    """Positions of both sites, axis by axis, for each combination of choices; unknown axes are left out."""
    axes: list[list[tuple[IntExpr, IntExpr]]] = []
    for mine, other in zip(first.positions, second.positions, strict=True):
        if not isinstance(mine, Unknown) and not isinstance(other, Unknown):
            axes.append(list(product(leaves(mine), leaves(other))))
    for condition in first.conditions:
        if condition in second.conditions:
            axes += [[(zero, zero)] for zero in implied_zeros(condition)]
    for number, combination in enumerate(product(*axes)):
        yield list(combination) if number < MOST_CHOICES else []
        if number == MOST_CHOICES:
            return


def _of_bounds(found: Iterable[Bounds]) -> Iterator[IntExpr]:
    for bounds in found:
        yield from (*bounds.lower, *bounds.upper)
