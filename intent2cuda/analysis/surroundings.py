"""What holds where an access stands: ranges of the loop variables around it, extents that are not empty, conditions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from intent2cuda.analysis.expressions import Comparison, Condition, Connective
from intent2cuda.analysis.limits import Bounds, coordinate_bounds
from intent2cuda.analysis.ranges import Facts
from intent2cuda.analysis.relations import Relations
from intent2cuda.analysis.sites import Site
from intent2cuda.analysis.structure import Structure
from intent2cuda.base.intexpr import IntExpr, Symbol
from intent2cuda.ir.op import Op
from intent2cuda.ir.ops import For, Parallel
from intent2cuda.ir.terms import Along
from intent2cuda.ir.value import Value
from intent2cuda.types.value_type import DomainType, Shape

INVERSE = {"eq": "ne", "ne": "eq", "lt": "ge", "le": "gt", "gt": "le", "ge": "lt"}


def symbol_of(value: Value) -> Symbol:
    return Symbol(value.name, value.serial)


class Surroundings:
    """Facts about the places of one kernel."""

    def __init__(self, found: Structure, relations: Relations) -> None:
        self.structure = found
        self.relations = relations

    def shape(self, site: Site) -> Shape:
        """The extents of an access with their scalars written out."""
        return tuple(self.relations.written(extent) for extent in site.access.shape)

    def loop_domains(self, loop: Op) -> tuple[tuple[Value, DomainType], ...]:
        """The variables of a loop with their domains; none for a while."""
        if isinstance(loop, Parallel):
            return tuple(zip(loop.body.args, map(self.relations.domain, loop.domains), strict=True))
        return ((loop.body.args[0], self.relations.domain(loop.domain)),) if isinstance(loop, For) else ()

    def loop_bounds(self, loops: Iterable[Op]) -> dict[Symbol, Bounds]:
        return {
            symbol_of(value): Bounds((domain.begin,), (domain.begin + (domain.extent - 1) * domain.step,))
            for loop in loops
            for value, domain in self.loop_domains(loop)
        }

    def positive(self, site: Site) -> list[IntExpr]:
        """Expressions that are at least 1 whenever the access happens: extents, steps, and what its conditions say."""
        found = list(self.shape(site))
        found += [self.relations.domain(t.domain).step for t in site.access.terms if isinstance(t, Along)]
        for loop in site.loops:
            found += [size for _, domain in self.loop_domains(loop) for size in (domain.extent, domain.step)]
        for condition in site.conditions:
            found += implied(condition)
        return found

    def facts(self, site: Site) -> Facts:
        """Everything that is known of the symbols of an access's positions when it happens."""
        given = {**self.loop_bounds(site.loops), **coordinate_bounds(self.shape(site))}
        return Facts(self.structure, given, self.positive(site))


def implied(condition: Condition, holds: bool = True) -> Iterator[IntExpr]:
    """Expressions that are at least 1 when the condition is as said."""
    match condition:
        case Comparison(fn=fn, lhs=IntExpr() as lhs, rhs=IntExpr() as rhs):
            relation = fn if holds else INVERSE[fn]
            if relation in ("lt", "le", "eq"):
                yield rhs - lhs + (0 if relation == "lt" else 1)
            if relation in ("gt", "ge", "eq"):
                yield lhs - rhs + (0 if relation == "gt" else 1)
        case Connective(fn="not", args=(inner,)):
            yield from implied(inner, not holds)
        case Connective(fn=fn, args=args) if fn == ("and" if holds else "or"):
            for part in args:
                yield from implied(part, holds)
        case _:
            return


def implied_zeros(condition: Condition, holds: bool = True) -> Iterator[IntExpr]:
    """Expressions that are zero when the condition is as said."""
    match condition:
        case Comparison(fn=fn, lhs=IntExpr() as lhs, rhs=IntExpr() as rhs) if fn == ("eq" if holds else "ne"):
            yield lhs - rhs
        case Connective(fn="not", args=(inner,)):
            yield from implied_zeros(inner, not holds)
        case Connective(fn=fn, args=args) if fn == ("and" if holds else "or"):
            for part in args:
                yield from implied_zeros(part, holds)
        case _:
            return
