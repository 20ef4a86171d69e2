"""Elements of views and buffers as C++: `x(row, k)`, or `x_row[n]` where an inner loop walks along one axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from intent2cuda.base.intexpr import IntExpr, Symbol, substitute, symbols
from intent2cuda.ir.value import Value
from intent2cuda.lower.coordinates import Coordinates
from intent2cuda.lower.writer import Writer
from intent2cuda.machine.expressions import Apply, Call, Expression, Name, Subscript
from intent2cuda.machine.names import derived, identifier
from intent2cuda.machine.statements import Declare
from intent2cuda.machine.types import Named


@dataclass(frozen=True)
class Known:
    """The expression of a symbol that has no variable of its own, and the depth from which on it can be used."""

    expression: Expression
    depth: int


class Access:
    """One access: where it goes, and how its symbols are written."""

    def __init__(self, writer: Writer, known: Mapping[Symbol, Known]) -> None:
        self._writer = writer
        self._known = known
        self._integers = writer.integers({symbol: k.expression for symbol, k in known.items()})

    def depth(self, expression: IntExpr) -> int:
        """The depth of the block from which on all symbols of an expression are known."""
        return max((self._depth(symbol) for symbol in symbols(expression)), default=0)

    def _depth(self, symbol: Symbol) -> int:
        if symbol in self._known:
            return self._known[symbol].depth
        bound = self._writer.blocks.symbols.get(symbol)
        return bound.depth if bound else 0

    def view(self, view: Value, at: Coordinates) -> Expression:
        """The element of a view."""
        name = self._writer.parameters[view]
        axis = self.walked_axis(at)
        if axis is not None and not self._is_field(view, at, axis):
            others = tuple(c for i, c in enumerate(at) if i != axis)
            return Subscript(Name(self._line(view, axis, others)), self._integers.text(at[axis]))
        coordinates = tuple(self._integers.text(c) for c in at)
        if self._writer.blocks.current.pair and self._moves_along_unit_axis(view, at):
            return Apply(Name(self._lines(view, len(at) - 1)), coordinates)
        return Apply(Name(name), coordinates)

    def _is_field(self, view: Value, at: Coordinates, axis: int) -> bool:
        """Whether a constant coordinate says which field of a record is read: `x(row, g, 2)`, not a column of it."""
        apart = axis != len(at) - 1 and (view, axis) not in self._writer.unit_axes
        return apart and any(c.constant is not None for c in at)

    def _moves_along_unit_axis(self, view: Value, at: Coordinates) -> bool:
        inner = self._writer.blocks.current.depth
        return (view, len(at) - 1) in self._writer.unit_axes and self.depth(at[-1]) == inner

    def _lines(self, view: Value, axis: int) -> str:
        """The name of the view as lines along an axis, for a body that moves along two axes at once."""
        blocks = self._writer.blocks
        key = (view, axis, ())
        top = blocks.open[0]
        if key not in top.lines:
            name = blocks.name((derived(identifier(view.name), "lines"),), top)
            value = Call("intent::lines", (Name(self._writer.parameters[view]),), (str(axis), "kDense"))
            shown = ", ".join(":" if i == axis else "." for i in range(axis + 1))
            blocks.declare_at(Declare(Named("auto"), name, value, note=f"{view.name}[{shown}]"), 0)
            top.lines[key] = name
        return top.lines[key]

    def walked_axis(self, at: Coordinates) -> int | None:
        """The axis along which the innermost loop moves, when that is one axis and the others are fixed outside it."""
        depths = [self.depth(c) for c in at]
        lanes = self._lane_axis(at)
        if lanes is not None:
            return lanes
        inner = max(depths, default=0)
        if inner == 0 or depths.count(inner) != 1 or not self._writer.blocks.open[inner].leaf:
            return None
        return depths.index(inner)

    def _lane_axis(self, at: Coordinates) -> int | None:
        """The axis of the vector lanes, when a loop inside them goes on and no other coordinate depends on them."""
        for block in reversed(self._writer.blocks.open[:-1]):
            if block.lanes is None:
                continue
            moving = [axis for axis, c in enumerate(at) if block.lanes in symbols(c)]
            if any(s in self._known for c in at for s in symbols(c)) or len(moving) != 1:
                return None
            return moving[0] if self.depth(at[moving[0]]) == block.depth else None
        return None

    def _line(self, view: Value, axis: int, others: Coordinates) -> str:
        """The name of the rebased line, declared where the fixed coordinates are known."""
        blocks = self._writer.blocks
        for block in reversed(blocks.open):
            if (found := block.lines.get((view, axis, others))) is not None:
                return found
        home = blocks.open[max((self.depth(c) for c in others), default=0)]
        rank = len(others) + 1
        role = "line" if rank == 1 or axis not in (rank - 1, rank - 2) else "row" if axis == rank - 1 else "column"
        name = blocks.name(line_names(identifier(view.name), role, others), home)
        dense = "kDense" if (view, axis) in self._writer.unit_axes else "false"
        fixed = [self._integers.text(c) for c in others]
        value = Call("intent::line", (Name(self._writer.parameters[view]), *fixed), (str(axis), dense))
        shown = [str_of(self._named(c)) for c in others]
        shown.insert(axis, ":")
        note = f"{view.name}[{', '.join(shown)}]"
        blocks.declare_at(Declare(Named("auto"), name, value, note=note), home.depth)
        home.lines[view, axis, others] = name
        return name

    def _named(self, expression: IntExpr) -> IntExpr:
        """The expression with variables for scalars that the author gave no name."""
        written = {s: self._integers.text(IntExpr((((s,), 1),))) for s in symbols(expression) if not s.name}
        variables = {s: IntExpr.symbol(e.text) for s, e in written.items() if isinstance(e, Name)}
        return substitute(expression, variables)

    def text(self, expression: IntExpr) -> Expression:
        return self._integers.text(expression)

    def nested(self, base: str, at: Sequence[IntExpr]) -> Expression:
        result: Expression = Name(base)
        for coordinate in at:
            result = Subscript(result, self._integers.text(coordinate))
        return result


def str_of(expression: IntExpr) -> str:
    """An expression as people read it, without the serial numbers of its symbols."""
    text = str(expression)
    for symbol in symbols(expression):
        text = text.replace(f"{symbol.name}%{symbol.serial}", symbol.name)
    return text


def line_names(base: str, role: str, others: Coordinates) -> tuple[str, ...]:
    """Names for a line or an element of something: `x_row`; `x_i_next_row` for a neighbour of the one that `i` stands
    for, `x_row_next` of the one that `row` stands for; `x_2_row` for a fixed one.
    """
    shifted = [shift(c) for c in others]
    where = "_".join(s for s in shifted if s)
    plain = derived(base, role)
    if not where:
        return (plain,)
    special = derived(base, where) if where.startswith(f"{role}_") else derived(derived(base, where), role)
    telling = any(s.endswith(("_next", "_before")) or s.isdigit() for s in shifted)
    return (special, plain) if telling else (plain, special)


def shift(coordinate: IntExpr) -> str:
    """How a coordinate shows in a name: its number, or its variable and whether it is the next or the previous one."""
    if coordinate.constant is not None and coordinate.constant >= 0:
        return str(coordinate.constant)
    variables = list(symbols(coordinate))
    if len(variables) != 1 or not variables[0].name:
        return ""
    name = identifier(variables[0].name)
    offset = (coordinate - IntExpr((((variables[0],), 1),))).constant
    return {0: name, 1: derived(name, "next"), -1: derived(name, "before")}.get(offset if offset is not None else 2, "")
