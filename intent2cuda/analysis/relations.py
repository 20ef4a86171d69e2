"""Where the integers of a kernel come from: the relation of every index value to domains, axes and coordinates.

The answer is exact or it is `Unknown` with the reason; nothing is concluded from names or from shapes that look alike.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import assert_never

from intent2cuda.analysis import expressions as ex
from intent2cuda.analysis.expressions import Choice, Comparison, Condition, Connective, Expression, Opaque, coordinate
from intent2cuda.analysis.limits import axis_symbol, coordinate_bounds
from intent2cuda.analysis.ranges import Facts
from intent2cuda.analysis.structure import Structure
from intent2cuda.base.intexpr import IntExpr, Symbol, maximum, minimum, substitute, symbols
from intent2cuda.ir.infer import count
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


@dataclass(frozen=True)
class Unknown:
    """No exact expression exists."""

    reason: str


class Relations:
    """Answers for the values of one kernel."""

    def __init__(self, found: Structure) -> None:
        self.structure = found
        self._known: dict[Value, Expression | Unknown] = {}

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
        return value.as_symbol if isinstance(found, Unknown) and not value.tensor.shape else found

    def _integers_of(self, value: Value) -> list[Value]:
        """The integers that a value is computed from; asked for first, they keep long chains off the stack."""
        op = self.structure.defining.get(value)
        if op is None or regions(op) or isinstance(op, Load):
            return []
        return [v for v in operands(op) if isinstance(v.type, TensorType) and v.type.dtype.is_integer]

    def condition(self, value: Value) -> Condition:
        """A bool value as a condition; what depends on data stays opaque."""
        op = self.structure.defining.get(value)
        match op:
            case Pointwise(fn=fn, args=args) if fn in COMPARISONS and args[0].tensor.dtype.is_integer:
                lhs, rhs = (self.expression(argument) for argument in args)
                if isinstance(lhs, Unknown) or isinstance(rhs, Unknown):
                    return Opaque(value)
                return Comparison(fn, lhs, rhs)
            case Pointwise(fn=fn, args=args) if fn in CONNECTIVES:
                return Connective(fn, tuple(self.condition(argument) for argument in args))
            case Broadcast() | Transpose() | Reshape():
                moved = coordinate_map(op)
                condition = self.condition(op.source)
                if isinstance(moved, Unknown) or not ex.is_known(condition):
                    return Opaque(value)
                return ex.replace_in_condition(condition, moved)
            case _:
                return Opaque(value)

    def coordinates(self, terms: tuple[Term, ...]) -> tuple[Expression | Unknown, ...]:
        """For each term the position it selects, over the coordinates of the result of the access."""
        found: list[Expression | Unknown] = []
        axis, lanes_at = 0, -1
        for term in terms:
            match term:
                case Whole():
                    found.append(coordinate(axis))
                    axis += 1
                case Slice():
                    found.append(self.scalar(term.begin) + coordinate(axis))
                    axis += 1
                case Along():
                    domain = self.domain(term.domain)
                    found.append(domain.begin + coordinate(axis) * domain.step)
                    axis += 1
                case Point():
                    found.append(self.expression(term.index))
                case Lanes():
                    rank = term.index.tensor.rank
                    if lanes_at < 0:
                        lanes_at, axis = axis, axis + rank
                    found.append(_moved(self.expression(term.index), rank, lanes_at))
        return tuple(found)

    def domain(self, value: Value) -> DomainType:
        """The type of a domain with the scalars of its bounds written out."""
        found = value.domain
        return DomainType(self.written(found.begin), self.written(found.extent), self.written(found.step))

    def written(self, expression: IntExpr) -> IntExpr:
        """An expression with its scalars replaced by their own expressions."""
        values = {
            symbol: self.scalar(value)
            for symbol in symbols(expression)
            if (value := self.structure.by_serial.get(symbol.serial)) is not None
        }
        return substitute(expression, values) if values else expression

    def _expression(self, value: Value) -> Expression | Unknown:
        op = self.structure.defining.get(value)
        match op:
            case None:
                return value.as_symbol
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
                moved = coordinate_map(op)
                return moved if isinstance(moved, Unknown) else _over(self.expression(op.source), moved)
            case Gather():
                return self._gather(op)
            case Load():
                return Unknown("read from a view or buffer")
            case _:
                return Unknown(f"the result of {type(op).__name__.lower()}")

    def _cast(self, op: Cast) -> Expression | Unknown:
        if not op.source.tensor.dtype.is_integer:
            return Unknown(f"cast from {op.source.tensor.dtype}")
        return self._fitting(self.expression(op.source), op.result)

    def _pointwise(self, op: Pointwise) -> Expression | Unknown:
        if op.fn == "select":
            sides = [self.expression(argument) for argument in op.args[1:]]
            if isinstance(sides[0], Unknown) or isinstance(sides[1], Unknown):
                return next(side for side in sides if isinstance(side, Unknown))
            return Choice(self.condition(op.args[0]), sides[0], sides[1])
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
        return self._fitting(ex.apply(function, known[0], known[1]), op.result)

    def _fitting(self, expression: Expression | Unknown, result: Value) -> Expression | Unknown:
        """The expression unless the result's dtype may wrap it; 64-bit indices do not."""
        dtype = result.tensor.dtype
        if isinstance(expression, Unknown) or (dtype.is_signed and dtype.bits == 64):
            return expression
        facts = Facts(self.structure, coordinate_bounds(result.tensor.shape))
        least, greatest = dtype.integer_range
        if all(facts.nonneg(leaf - least) and facts.nonneg(greatest - leaf) for leaf in ex.leaves(expression)):
            return expression
        return Unknown(f"{dtype} arithmetic may wrap")

    def _gather(self, op: Gather) -> Expression | Unknown:
        positions = self.coordinates(op.terms)
        unknown = next((p for p in positions if isinstance(p, Unknown)), None)
        if unknown is not None:
            return unknown
        exact = [p for p in positions if isinstance(p, IntExpr)]
        if len(exact) != len(positions):
            return Unknown("a gather at a choice of positions")
        found = _over(self.expression(op.source), {axis_symbol(axis): p for axis, p in enumerate(exact)})
        if op.valid is None or op.fill is None or isinstance(found, Unknown):
            return found
        fill = self.expression(op.fill)
        return fill if isinstance(fill, Unknown) else Choice(self.condition(op.valid), found, fill)


def coordinate_map(op: Broadcast | Transpose | Reshape) -> dict[Symbol, IntExpr] | Unknown:
    """For each coordinate of the source its expression over the coordinates of the result."""
    match op:
        case Broadcast():
            return _broadcast_map(op)
        case Transpose():
            return {axis_symbol(source): coordinate(axis) for axis, source in enumerate(op.permutation)}
        case Reshape():
            return reshape_map(op.source.tensor.shape, op.result.tensor.shape)
        case _:
            assert_never(op)


def _broadcast_map(op: Broadcast) -> dict[Symbol, IntExpr] | Unknown:
    if op.guarded:
        return Unknown("whether an axis is stretched is decided at run time")
    source, result = op.source.tensor.shape, op.result.tensor.shape
    return {
        axis_symbol(axis): coordinate(position) if source[axis] == result[position] else IntExpr.of(0)
        for position, axis in enumerate(op.axes)
        if axis is not None
    }


def reshape_map(source: Shape, result: Shape) -> dict[Symbol, IntExpr]:
    """The coordinates of the source at a result coordinate, through the row-major number of the element.

    Runs of axes with the same product are treated by themselves, so that untouched axes stay themselves.
    """
    found: dict[Symbol, IntExpr] = {}
    before = [axis for axis, extent in enumerate(source) if extent.constant != 1]
    after = [axis for axis, extent in enumerate(result) if extent.constant != 1]
    found.update({axis_symbol(axis): IntExpr.of(0) for axis in range(len(source)) if axis not in before})
    while before:
        left, right = _least_group(tuple(source[axis] for axis in before), tuple(result[axis] for axis in after))
        number = _linear([result[axis] for axis in after[:right]], [coordinate(axis) for axis in after[:right]])
        stride = IntExpr.of(1)
        for axis in reversed(before[:left]):
            quotient = number // stride
            found[axis_symbol(axis)] = quotient if axis == before[0] else quotient % source[axis]
            stride = stride * source[axis]
        before, after = before[left:], after[right:]
    return found


def _least_group(source: Shape, result: Shape) -> tuple[int, int]:
    """How many leading axes of each side make up the same count; all of both when no prefix does."""
    for size in range(2, len(source) + len(result)):
        for left in range(1, size):
            right = size - left
            if left <= len(source) and right <= len(result) and count(source[:left]) == count(result[:right]):
                return left, right
    return len(source), len(result)


def _linear(shape: list[IntExpr], position: list[IntExpr]) -> IntExpr:
    total = IntExpr.of(0)
    for extent, at in zip(shape, position, strict=True):
        total = total * extent + at
    return total


def _over(expression: Expression | Unknown, values: Mapping[Symbol, IntExpr]) -> Expression | Unknown:
    return expression if isinstance(expression, Unknown) else ex.replace(expression, values)


def _moved(expression: Expression | Unknown, rank: int, first: int) -> Expression | Unknown:
    """The expression of an index tensor whose axes stand at `first` of the result of an access."""
    return _over(expression, {axis_symbol(axis): coordinate(first + axis) for axis in range(rank)})
