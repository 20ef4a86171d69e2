"""Expressions and quantities that mean the same in every process: symbols by name, without serial numbers."""

from __future__ import annotations

from intent2cuda.base.intexpr import IntExpr, Symbol, renamed, symbols
from intent2cuda.ir.notation import Names
from intent2cuda.plan.quantity import Exact, Quantity, Unknown


def spelled(expression: IntExpr, names: Names) -> IntExpr:
    """The expression with scalars by their names: parameters by their own, others by the identifier of their op."""
    found = {s: Symbol(names.symbol(s)) for s in symbols(expression) if s.serial}
    return renamed(expression, found) if found else expression


def spelled_quantity(quantity: Quantity, names: Names) -> Quantity:
    match quantity:
        case Exact():
            return Exact(spelled(quantity.expression, names), quantity.basis)
        case Unknown():
            upper = quantity.upper
            return Unknown(quantity.reason, None if upper is None else spelled(upper, names))
