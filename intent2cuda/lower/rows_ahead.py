"""Rows that the data choose: which numbers a reduction asks for later ones by."""

from __future__ import annotations

from intent2cuda.lower import ask
from intent2cuda.lower.writer import Writer
from intent2cuda.machine.expressions import Apply, Binary, Construct, Expression, Integer, Lambda, Name, Subscript
from intent2cuda.machine.statements import Declare
from intent2cuda.machine.walk import names_in, nodes


def rows_ahead(writer: Writer, member: Lambda) -> tuple[Expression, ...]:
    """`intent::RowsAhead{x_lines, column_line, begin, count}` for the first matrix that a member reads a row of by a
    number in a line: `x_lines(column_line[begin + i], c)`.
    """
    (_, row), (_, column) = member.parameters
    declared = {node.name: node.value for node in nodes(member.body) if isinstance(node, Declare)}
    for node in nodes(member.body):
        match node:
            case Apply(Name(lines), (number, Name(c))) if c == column:
                number = declared.get(number.text, number) if isinstance(number, Name) else number
                found = _numbers(writer, number, row)
                if found is not None:
                    return (Construct("intent::RowsAhead", (Name(lines), *found)),)
            case _:
                pass
    return ()


def _numbers(writer: Writer, number: Expression | None, row: str) -> tuple[Expression, Expression, Expression] | None:
    """The line that a number stands in, the position of member 0, and how many numbers there are."""
    match number:
        case Subscript(Name(line), Name(i)) if i == row:
            begin: Expression = Integer(0)
        case Subscript(Name(line), Binary("+", begin, Name(i))) if i == row and row not in names_in(begin):
            pass
        case _:
            return None
    for block in writer.blocks.open:
        for (view, axis, _), name in block.lines.items():
            if name == line and not isinstance(view, str):
                return Name(line), begin, ask.integer(writer, view.resource.shape[axis])
    return None
