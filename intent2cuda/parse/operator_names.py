"""The scalar functions that Python's operators mean."""

from __future__ import annotations

from collections.abc import Mapping

import libcst as cst

BINARY: Mapping[type[cst.CSTNode], str] = {
    cst.Add: "add",
    cst.Subtract: "sub",
    cst.Multiply: "mul",
    cst.Divide: "div",
    cst.FloorDivide: "floordiv",
    cst.Modulo: "mod",
    cst.Power: "pow",
    cst.LeftShift: "shl",
    cst.RightShift: "shr",
    cst.BitAnd: "bit_and",
    cst.BitOr: "bit_or",
    cst.BitXor: "bit_xor",
}

AUGMENTED: Mapping[type[cst.CSTNode], str] = {
    cst.AddAssign: "add",
    cst.SubtractAssign: "sub",
    cst.MultiplyAssign: "mul",
    cst.DivideAssign: "div",
    cst.FloorDivideAssign: "floordiv",
    cst.ModuloAssign: "mod",
    cst.PowerAssign: "pow",
    cst.LeftShiftAssign: "shl",
    cst.RightShiftAssign: "shr",
    cst.BitAndAssign: "bit_and",
    cst.BitOrAssign: "bit_or",
    cst.BitXorAssign: "bit_xor",
}

COMPARE: Mapping[type[cst.CSTNode], str] = {
    cst.Equal: "eq",
    cst.NotEqual: "ne",
    cst.LessThan: "lt",
    cst.LessThanEqual: "le",
    cst.GreaterThan: "gt",
    cst.GreaterThanEqual: "ge",
}

SYMBOL: Mapping[str, str] = {
    "add": "+", "sub": "-", "mul": "*", "div": "/", "floordiv": "//", "mod": "%", "pow": "**", "shl": "<<", "shr": ">>",
    "bit_and": "&", "bit_or": "|", "bit_xor": "^", "eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
    "neg": "-", "not": "not", "and": "and", "or": "or",
}  # fmt: skip


def spelled(fn: str) -> str:
    """A scalar function as authors write it: an operator, or a name of the language."""
    return SYMBOL.get(fn, f"I.{fn}")
