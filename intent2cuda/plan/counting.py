"""How many elements, rounds and members there are: exact numbers over extents and scalars of the call and over data."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from itertools import product

from intent2cuda.analysis.expressions import Comparison, Condition, Connective, Opaque, condition_parts, of_atom
from intent2cuda.analysis.ranges import factor
from intent2cuda.base.intexpr import IntExpr, Operation, symbols
from intent2cuda.plan.bounds import Bounds
from intent2cuda.plan.places import Place, Places
from intent2cuda.plan.quantity import NOTHING, Basis, DataSymbol, Exact, Quantity, Unknown
from intent2cuda.plan.spaces import ALWAYS, Cases, UncountableError, Variables, both, cases, points, proofs_of
from intent2cuda.plan.sums import replaced
from intent2cuda.plan.tables import elements
from intent2cuda.types.value_type import Shape

DATA = "an extent depends on data"
FORM = "no closed form was found"


class Counting:
    """Counts points of places and shapes."""

    def __init__(self, places: Places) -> None:
        self.places = places
        self.data: dict[str, DataSymbol] = {}
        self._bounds = Bounds(places.structure.kernel)
        self._known: dict[tuple[Place, tuple[IntExpr, ...], Condition | None], Quantity] = {}

    def count(self, place: Place, shape: Shape = (), active: Condition | None = None) -> Quantity:
        """How often something happens that happens at each active element of a shape whenever the place runs."""
        key = (place, tuple(map(self.places.resolved, shape)), active)
        if key not in self._known:
            self._known[key] = self._count(place, shape, active)
        return self._known[key]

    def _count(self, place: Place, shape: Shape, active: Condition | None) -> Quantity:
        if place.never:
            return NOTHING
        variables = (*place.variables, *self.places.along(shape))
        reason = self._doubt(place, variables)
        expression, basis = self._with_mask(place, variables, active)
        if not reason and expression is not None:
            return Exact(expression, basis)
        upper = None
        if place.bounded:
            upper = self._box(variables) if expression is None else expression
        return Unknown(reason or self._obstacle(variables), upper)

    def _obstacle(self, variables: Variables) -> str:
        """Why no closed form was found."""
        return DATA if any(True for variable in variables for _ in elements(variable.extent)) else FORM

    def _doubt(self, place: Place, variables: Variables) -> str:
        """Why no expression can give the number; empty where one may."""
        if place.doubt:
            return place.doubt
        mine = frozenset(variable.symbol for variable in variables)
        if not all(self.places.is_countable(variable.extent, mine) for variable in variables):
            return DATA
        if not all(self.is_decided(condition, place.variables) for condition in place.conditions):
            return "a branch depends on data"
        return ""

    def is_decided(self, condition: Condition, variables: Variables) -> bool:
        """Whether the call and the variables decide a resolved condition."""
        match condition:
            case Opaque():
                return False
            case Connective():
                return all(self.is_decided(part, variables) for part in condition.args)
            case Comparison():
                return all(self.places.is_known(part, variables) for part in condition_parts(condition))

    def _with_mask(self, place: Place, variables: Variables, active: Condition | None) -> tuple[IntExpr | None, Basis]:
        """The number of points, all of them where the active ones cannot be counted."""
        if active is not None:
            resolved = self.places.resolved_condition(active)
            found = self._points(variables, (*place.conditions, resolved))
            if found is not None:
                return found, Basis.ACTIVE if self.is_decided(resolved, variables) else Basis.ALL
        return self._points(variables, place.conditions), Basis.ACTIVE if active is None else Basis.ALL

    def _points(self, variables: Variables, conditions: Sequence[Condition]) -> IntExpr | None:
        try:
            counted = points(variables, self.where(variables, conditions), self.places.given)
        except UncountableError:
            return None
        return None if counted is None else self.over_data(counted)

    def where(self, variables: Variables, conditions: Sequence[Condition]) -> Cases:
        """When conditions hold; what data decides counts as always being so. Raises: UncountableError."""
        resolved = map(self.places.resolved_condition, conditions)
        found = (cases(c, lambda part: self.is_decided(part, variables)) for c in resolved)
        return reduce(both, found, ALWAYS)

    def over_data(self, expression: IntExpr) -> IntExpr | None:
        """The expression with data symbols in place of differences of table elements; None where others are left."""
        while found := list(dict.fromkeys(elements(expression))):
            pair = next(((a, b) for a, b in product(found, found) if _is_difference(expression, a, b)), None)
            if pair is None:
                return None
            made = self._data_symbol(*pair)
            expression = replaced(expression, pair[0], of_atom(pair[1]) + of_atom(made.symbol))
        return expression if self.places.is_known(expression) else None

    def _data_symbol(self, last: Operation, first: Operation) -> DataSymbol:
        (table,) = symbols(last.lhs)
        for known in self.data.values():
            if (known.table, known.first, known.last) == (table.name, first.rhs, last.rhs):
                return known
        of_table = sum(known.table == table.name for known in self.data.values())
        name = f"data.{table.name}" + (f".{of_table + 1}" if of_table else "")
        self.data[name] = DataSymbol(name, table.name, first.rhs, last.rhs, self.places.tables.get(table))
        return self.data[name]

    def _box(self, variables: Variables) -> IntExpr | None:
        """The product of the greatest extents."""
        result = IntExpr.of(1)
        for number, variable in enumerate(variables):
            upper = self.upper(variable.extent, variables[:number])
            if upper is None:
                return None
            result = result * upper
        return result

    def upper(self, expression: IntExpr, variables: Variables) -> IntExpr | None:
        """What a resolved expression is at most, and 0 where it is less; None where the call does not bound it."""
        for last, first in product(list(elements(expression)), list(elements(expression))):
            (table,) = symbols(last.lhs)
            apart = self.places.tables.get(table)
            if apart is not None and _is_difference(expression, last, first):
                expression = replaced(expression, last, of_atom(first) + apart)
        proofs = proofs_of(variables, (), self.places.given)
        found = next((e for e in proofs.uppers(expression) if self.places.is_known(e)), None)
        return None if found is None else proofs.larger(found, IntExpr.of(0))


def _is_difference(expression: IntExpr, last: Operation, first: Operation) -> bool:
    """Whether an expression is linear in two elements of one table, which only their difference decides."""
    share = factor(expression, last)
    if last == first or last.lhs != first.lhs or share == IntExpr.of(0) or factor(expression, first) != share * -1:
        return False
    rest = expression - share * (of_atom(last) - of_atom(first))
    return not any(atom in (last, first) for part in (share, rest) for atom in elements(part)) and _leads(share)


def _leads(share: IntExpr) -> bool:
    return share.terms[0][1] > 0
