"""Integer expressions on one line, for pragmas."""

from __future__ import annotations

from intent2cuda.base.diagnostics import InternalError
from intent2cuda.machine.expressions import Binary, Expression, Integer, Name

_LEVELS = {"*": 3, "/": 3, "%": 3, "+": 2, "-": 2, ">=": 1}


def flat(expression: Expression) -> str:
    """The text of names, numbers and operators."""
    match expression:
        case Name():
            return expression.text
        case Integer():
            return str(expression.value)
        case Binary():
            level = _LEVELS[expression.operator]
            return f"{_side(expression.lhs, level)} {expression.operator} {_side(expression.rhs, level + 1)}"
        case _:
            raise InternalError(f"a {type(expression).__name__} has no place in a pragma")


def is_flat(expression: Expression) -> bool:
    match expression:
        case Name() | Integer():
            return True
        case Binary():
            return expression.operator in _LEVELS and is_flat(expression.lhs) and is_flat(expression.rhs)
        case _:
            return False


def _side(side: Expression, least: int) -> str:
    return f"({flat(side)})" if isinstance(side, Binary) and _LEVELS[side.operator] < least else flat(side)
