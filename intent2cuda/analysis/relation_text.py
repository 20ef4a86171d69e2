"""Relations as text: what every named integer and predicate is, and what every access touches.

%rows: index[M]
  is #0 + 2
  along axis 0 of domain[2, M, 1] %domain
  rests on %domain
  from 2 to M + 1
store %y[lanes %rows], %value
  at (#0 + 2)
  where always
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from intent2cuda.analysis.effects import Access
from intent2cuda.analysis.expressions import (
    Choice,
    Comparison,
    Condition,
    Connective,
    Expression,
    Opaque,
    Unknown,
    coordinate_axis,
)
from intent2cuda.analysis.provenance import IndexRelation, PredicateRelation, Provenance, SourceAxis
from intent2cuda.analysis.relations import Relations
from intent2cuda.analysis.sites import Site, sites
from intent2cuda.analysis.structure import is_segment_begin, structure
from intent2cuda.base.intexpr import IntExpr, Symbol
from intent2cuda.ir.kernel import Kernel, walk
from intent2cuda.ir.notation import Names, expression_text, operation_text, type_text
from intent2cuda.ir.op import results
from intent2cuda.ir.ops import Constant
from intent2cuda.ir.printer import author_names
from intent2cuda.ir.value import Value
from intent2cuda.types.value_type import TensorType

SIGNS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}


def relations_text(kernel: Kernel) -> str:
    """The relations of a kernel in program order."""
    found = structure(kernel)
    relations = Relations(found)
    names = author_names(kernel)
    writer = RelationText(relations, RelationNames(names.by_value, names.by_serial))
    of_op = {site.op: site for site in sites(found, relations)}
    rows: list[str] = []
    for op in walk(kernel.body):
        for value in results(op):
            if value.name and not isinstance(op, Constant) and _is_integer_or_bool(value):
                rows += writer.value(value)
        if op in of_op:
            rows += writer.site(of_op[op])
    return "\n".join(rows) + "\n" if rows else ""


class RelationNames(Names):
    """Names of values, of coordinates (`#0`), and of where the slices of a region begin."""

    def symbol(self, symbol: Symbol) -> str:
        axis = coordinate_axis(symbol)
        if axis is not None:
            return f"#{axis}"
        return f"begin({super().symbol(symbol)})" if is_segment_begin(symbol) else super().symbol(symbol)


class RelationText:
    """The lines of values and accesses of one kernel."""

    def __init__(self, relations: Relations, names: RelationNames) -> None:
        self._provenance = Provenance(relations)
        self._relations = relations
        self._names = names

    def value(self, value: Value) -> Iterator[str]:
        yield f"{self._names.of(value)}: {type_text(value.type, self._names)}"
        match self._provenance.relation(value):
            case Unknown(reason=reason):
                yield f"  unknown: {reason}"
            case PredicateRelation() as found:
                yield f"  holds where {self.condition(found.condition)}"
                yield from self._listed("rests on", found.dependencies)
            case IndexRelation() as found:
                yield f"  is {self.expression(found.expression)}"
                yield from self._sources(found.sources)
                yield from self._listed("rests on", found.dependencies)
                yield from self._listed("chosen by", found.active)
                if found.bounds.lower and found.bounds.upper:
                    lower, upper = found.bounds.lower[0], found.bounds.upper[0]
                    yield f"  from {self.expression(lower)} to {self.expression(upper)}"

    def site(self, site: Site) -> Iterator[str]:
        yield operation_text(site.op, self._names)
        yield from self.access(site)

    def access(self, site: Site) -> Iterator[str]:
        """What an access touches and when, without how it is written."""
        positions = (p.reason if isinstance(p, Unknown) else self.expression(p) for p in site.positions)
        yield f"  at ({', '.join(positions)})"
        yield from self._sources(self._provenance.of_access(site.access))
        yield f"  where {self._active(site.access, site.conditions)}"

    def _active(self, access: Access, conditions: tuple[Condition, ...]) -> str:
        valid = () if access.valid is None else (self._relations.condition(access.valid),)
        return " and ".join(map(self.condition, (*conditions, *valid))) or "always"

    def _sources(self, found: Iterable[SourceAxis]) -> Iterator[str]:
        for source in found:
            place = "at a point" if source.axis is None else f"along axis {source.axis}"
            yield f"  {place} of {type_text(source.domain.type, self._names)} {self._names.of(source.domain)}"

    def _listed(self, title: str, values: tuple[Value, ...]) -> Iterator[str]:
        if values:
            yield f"  {title} {', '.join(map(self._names.of, values))}"

    def expression(self, expression: Expression) -> str:
        match expression:
            case IntExpr():
                return expression_text(expression, self._names)
            case Choice():
                sides = map(self.expression, (expression.when_true, expression.when_false))
                return f"select({self.condition(expression.condition)}, {', '.join(sides)})"

    def condition(self, condition: Condition) -> str:
        match condition:
            case Comparison():
                return f"{self.expression(condition.lhs)} {SIGNS[condition.fn]} {self.expression(condition.rhs)}"
            case Connective(fn="not"):
                return f"not ({self.condition(condition.args[0])})"
            case Connective():
                return "(" + f" {condition.fn} ".join(map(self.condition, condition.args)) + ")"
            case Opaque():
                at = ", ".join(map(self.expression, condition.at))
                return self._names.of(condition.value) + (f"[{at}]" if at else "")


def _is_integer_or_bool(value: Value) -> bool:
    return isinstance(value.type, TensorType) and (value.type.dtype.is_integer or value.type.dtype.is_bool)
