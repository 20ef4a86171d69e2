"""Where the integers of a kernel come from: the relation of every index value to domains, axes and coordinates.

The answer is exact or it is `Unknown` with the reason; nothing is concluded from names or from shapes that look alike.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import prod

from intent2cuda.analysis import expressions as ex
from intent2cuda.analysis.composition import (
    MOST_CHOICES,
    MOST_COMPARISONS,
    MOST_TERMS,
    Coordinates,
    by_axis,
    coordinate_map,
    first_axes,
    over,
    segment_map,
    under,
    within_limits,
)
from intent2cuda.analysis.expressions import (
    Choice,
    Comparison,
    Condition,
    Connective,
    Expression,
    Unknown,
    coordinate,
    opaque,
)
from intent2cuda.analysis.limits import axis_symbol, coordinate_bounds
from intent2cuda.analysis.ranges import Facts
from intent2cuda.analysis.structure import Structure, is_segment_begin
from intent2cuda.base.intexpr import IntExpr, Operation, maximum, minimum, substitute, symbols
from intent2cuda.ir.notation import mnemonic
from intent2cuda.ir.op import operands, regions
from intent2cuda.ir.ops import (
    Broadcast,
    Cast,
    Constant,
    Dim,
    Gather,
    Indices,
    Load,
    Pointwise,
    Reshape,
    Transpose,
)
from intent2cuda.ir.terms import Along, Lanes, Point, Slice, Term, Whole
from intent2cuda.ir.value import Value
from intent2cuda.types.value_type import DomainType, Shape, TensorType

COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
CONNECTIVES = ("and", "or", "not")

ARITHMETIC: Mapping[str, Callable[[IntExpr, IntExpr], IntExpr]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "floordiv": lambda a, b: a // b,
    "mod": lambda a, b: a % b,
    "maximum": maximum,
    "minimum": minimum,
}

LARGE = 1 << 31
"""A coefficient from which on products of 64-bit indices may wrap."""


class Relations:
    """Answers for the values of one kernel."""

    def __init__(self, found: Structure) -> None:
        self.structure = found
        self._known: dict[Value, Expression | Unknown] = {}
        self._conditions: dict[Value, Condition] = {}
        self._of_shape: dict[Shape, Facts] = {}

    def scalar(self, value: Value) -> IntExpr:
        """The expression of an integer scalar; the symbol of the value itself where none is known."""
        found = self.expression(value)
        return found if isinstance(found, IntExpr) else value.as_symbol

    def expression(self, value: Value) -> Expression | Unknown:
        """The integer at each result coordinate. A scalar that depends on data is its own symbol."""
        waiting = [value]
        while waiting and value not in self._known:
            last = waiting[-1]
            unknown = [used for used in self._integers_of(last) if used not in self._known]
            if unknown:
                waiting += unknown
            else:
                self._known[last] = self._found(last)
                waiting.pop()
        return self._known[value]

    def _found(self, value: Value) -> Expression | Unknown:
        found = self._expression(value)
        if isinstance(found, Unknown):
            return self._unknown(value, found.reason)
        if not any(isinstance(atom, Operation) for leaf in ex.leaves(found) for m, _ in leaf.terms for atom in m):
            return found
        simple = ex.map_leaves(found, self._facts(value).simplify)
        return simple if all(map(ex.is_short, ex.leaves(simple))) else self._unknown(value, "too many operations")

    def _unknown(self, value: Value, reason: str) -> Expression | Unknown:
        return Unknown(reason) if value.tensor.shape else value.as_symbol

    def _facts(self, value: Value) -> Facts:
        """What is known of the coordinates of a value; one for each shape, since it remembers what it has proved."""
        shape = tuple(map(self.written, value.tensor.shape))
        if shape not in self._of_shape:
            self._of_shape[shape] = Facts(self.structure, coordinate_bounds(shape))
        return self._of_shape[shape]

    def _integers_of(self, value: Value) -> list[Value]:
        """The integers that a value is computed from; asked for first, they keep long chains off the stack."""
        op = self.structure.defining.get(value)
        if op is None:
            part = self.structure.segment(value)
            used = () if part is None else (part.source,)
        else:
            used = () if regions(op) or isinstance(op, Load) else operands(op)
        return [v for v in used if isinstance(v.type, TensorType) and v.type.dtype.is_integer]

    def condition(self, value: Value) -> Condition:
        """A bool value as a condition; what depends on data stays opaque."""
        if value not in self._conditions:
            found = self._condition(value)
            self._conditions[value] = opaque(value) if found is None or ex.size(found) > MOST_COMPARISONS else found
        return self._conditions[value]

    def _condition(self, value: Value) -> Condition | None:
        op = self.structure.defining.get(value)
        match op:
            case None:
                part = self.structure.segment(value)
                return None if part is None else under(self.condition(part.source), segment_map(part))
            case Pointwise(fn=fn, args=args) if fn in COMPARISONS and args[0].tensor.dtype.is_integer:
                lhs, rhs = (self.expression(argument) for argument in args)
                return None if isinstance(lhs, Unknown) or isinstance(rhs, Unknown) else Comparison(fn, lhs, rhs)
            case Pointwise(fn=fn, args=args) if fn in CONNECTIVES:
                return Connective(fn, tuple(self.condition(argument) for argument in args))
            case Broadcast() | Transpose() | Reshape():
                return under(self.condition(op.source), self.coordinate_map(op))
            case Gather(valid=None):
                return under(self.condition(op.source), by_axis(self.coordinates(op.terms)))
            case _:
                return None

    def coordinates(self, terms: tuple[Term, ...]) -> tuple[Expression | Unknown, ...]:
        """For each term the position it selects, over the coordinates of the result of the access."""
        return tuple(self._position(term, axis) for term, axis in first_axes(terms))

    def _position(self, term: Term, axis: int) -> Expression | Unknown:
        match term:
            case Whole():
                return coordinate(axis)
            case Slice():
                return self.scalar(term.begin) + coordinate(axis)
            case Along():
                domain = self.domain(term.domain)
                return domain.begin + coordinate(axis) * domain.step
            case Point():
                return self.expression(term.index)
            case Lanes():
                return _moved(self.expression(term.index), term.index.tensor.rank, axis)

    def coordinate_map(self, op: Broadcast | Transpose | Reshape) -> Coordinates | Unknown:
        """For each coordinate of the source its expression over those of the result, with scalars written out."""
        found = coordinate_map(op)
        return found if isinstance(found, Unknown) else {symbol: self.written(at) for symbol, at in found.items()}

    def domain(self, value: Value) -> DomainType:
        """The type of a domain with the scalars of its bounds written out."""
        found = value.domain
        return DomainType(self.written(found.begin), self.written(found.extent), self.written(found.step))

    def written(self, expression: IntExpr) -> IntExpr:
        """An expression with its scalars replaced by their own expressions."""
        values = {
            symbol: self.scalar(value)
            for symbol in symbols(expression)
            if (value := self.structure.by_serial.get(symbol.serial)) is not None and not is_segment_begin(symbol)
        }
        return substitute(expression, values) if values and ex.growth(expression, values) <= MOST_TERMS else expression

    def _expression(self, value: Value) -> Expression | Unknown:
        op = self.structure.defining.get(value)
        match op:
            case None:
                return self._argument(value)
            case Constant():
                return IntExpr.of(int(op.value))
            case Dim():
                return self.written(op.expression)
            case Indices():
                domain = self.domain(op.domain)
                return domain.begin + coordinate(0) * domain.step
            case Cast():
                return self._cast(op)
            case Pointwise():
                return self._pointwise(op)
            case Broadcast() | Transpose() | Reshape():
                return over(self.expression(op.source), self.coordinate_map(op))
            case Gather():
                return self._gather(op)
            case Load():
                return Unknown("read from a view or buffer")
            case _:
                return Unknown(f"the result of {mnemonic(op)}")

    def _argument(self, value: Value) -> Expression | Unknown:
        part = self.structure.segment(value)
        if part is not None:
            return over(self.expression(part.source), segment_map(part))
        return value.as_symbol if not value.tensor.shape else Unknown("carried from turn to turn")

    def _cast(self, op: Cast) -> Expression | Unknown:
        dtype = op.source.tensor.dtype
        if not dtype.is_integer:
            return Unknown(f"cast from {dtype}")
        return self._fitting(self.expression(op.source), op.result, is_wide=not dtype.is_signed and dtype.bits == 64)

    def _pointwise(self, op: Pointwise) -> Expression | Unknown:
        if op.fn == "select":
            sides = [self.expression(argument) for argument in op.args[1:]]
            if isinstance(sides[0], Unknown) or isinstance(sides[1], Unknown):
                return next(side for side in sides if isinstance(side, Unknown))
            return within_limits(Choice(self.condition(op.args[0]), sides[0], sides[1]))
        operands = [self.expression(argument) for argument in op.args]
        unknown = next((operand for operand in operands if isinstance(operand, Unknown)), None)
        if unknown is not None:
            return unknown
        known = [operand for operand in operands if not isinstance(operand, Unknown)]
        if op.fn == "neg":
            return self._fitting(ex.apply(lambda a, b: b - a, known[0], IntExpr.of(0)), op.result)
        function = ARITHMETIC.get(op.fn)
        if function is None:
            return Unknown(f"{op.fn} has no integer expression")
        if prod(map(ex.number_of_leaves, known)) > MOST_CHOICES or prod(map(_most_terms, known)) > MOST_TERMS:
            return Unknown(f"{op.fn} of too many terms")
        return self._fitting(ex.apply(function, known[0], known[1]), op.result)

    def _fitting(self, expression: Expression | Unknown, result: Value, is_wide: bool = False) -> Expression | Unknown:
        """The expression unless the result's dtype may wrap it; sums and products of 64-bit indices do not."""
        dtype = result.tensor.dtype
        if isinstance(expression, Unknown):
            return expression
        if dtype.is_signed and dtype.bits == 64 and not is_wide and not any(map(_is_large, ex.leaves(expression))):
            return expression
        facts = self._facts(result)
        least, greatest = dtype.integer_range
        if all(facts.nonneg(leaf - least) and facts.nonneg(greatest - leaf) for leaf in ex.leaves(expression)):
            return expression
        return Unknown(f"{dtype} arithmetic may wrap")

    def _gather(self, op: Gather) -> Expression | Unknown:
        found = over(self.expression(op.source), by_axis(self.coordinates(op.terms)))
        if op.valid is None or op.fill is None or isinstance(found, Unknown):
            return found
        fill = self.expression(op.fill)
        return fill if isinstance(fill, Unknown) else within_limits(Choice(self.condition(op.valid), found, fill))


def _most_terms(expression: Expression) -> int:
    return max(len(leaf.terms) for leaf in ex.leaves(expression))


def _is_large(expression: IntExpr) -> bool:
    return any(abs(coefficient) >= LARGE for monomial, coefficient in expression.terms if monomial)


def _moved(expression: Expression | Unknown, rank: int, first: int) -> Expression | Unknown:
    """The expression of an index tensor whose axes stand at `first` of the result of an access."""
    return over(expression, {axis_symbol(axis): coordinate(first + axis) for axis in range(rank)})
