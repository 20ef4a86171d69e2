"""Arithmetic of numbers known at compile time, in Python's own rules."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from typing import Any

from intent2cuda.parse.values import Literal

MAX_BITS = 4096

_BINARY: Mapping[str, Callable[[Any, Any], Any]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "floordiv": lambda a, b: a // b,
    "mod": lambda a, b: a % b,
    "pow": lambda a, b: a**b,
    "shl": lambda a, b: a << b,
    "shr": lambda a, b: a >> b,
    "bit_and": lambda a, b: a & b,
    "bit_or": lambda a, b: a | b,
    "bit_xor": lambda a, b: a ^ b,
    "maximum": lambda a, b: a if a != a or a >= b else b,
    "minimum": lambda a, b: a if a != a or a <= b else b,
    "maximum_num": lambda a, b: b if a != a or b >= a else a,
    "minimum_num": lambda a, b: b if a != a or b <= a else a,
}

_COMPARE: Mapping[str, Callable[[Any, Any], bool]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
}


class FoldingError(Exception):
    """Constants that an operator does not take; `code` and the message are for the author."""

    def __init__(self, code: str, message: str) -> None:
        self.code = code
        super().__init__(message)


def binary(fn: str, lhs: Literal, rhs: Literal) -> Literal:
    """The value of an operator of two constants. Raises FoldingError."""
    a, b = lhs.value, rhs.value
    if isinstance(a, bool) != isinstance(b, bool) or (isinstance(a, bool) and not fn.startswith("bit_")):
        raise FoldingError(
            "kir.dtype.operator", f"`{fn}` of the constants {shown(lhs)} and {shown(rhs)}: bool has no arithmetic"
        )
    if fn in ("div", "floordiv", "mod") and b == 0:
        raise FoldingError("kir.divisor", f"{shown(lhs)} is divided by zero")
    if isinstance(a, int) and isinstance(b, int) and _too_large(fn, a, b):
        raise FoldingError("src.literal.size", f"the constant has more than {MAX_BITS} bits")
    if fn == "pow" and isinstance(a, int) and isinstance(b, int) and b < 0:
        a = float(a)
    try:
        value = _BINARY[fn](a, b)
    except OverflowError:
        raise FoldingError("src.literal.size", "the constant is too large for a float") from None
    except (TypeError, ValueError, ZeroDivisionError):
        raise FoldingError(
            "kir.dtype.operator", f"`{fn}` does not take the constants {shown(lhs)} and {shown(rhs)}"
        ) from None
    if isinstance(value, complex):
        raise FoldingError("src.literal.complex", "the constant is a complex number")
    return Literal(value)


def _too_large(fn: str, a: int, b: int) -> bool:
    if fn == "pow":
        return b > 0 and a.bit_length() * b > MAX_BITS
    if fn == "shl":
        return b > MAX_BITS
    return max(a.bit_length(), b.bit_length()) > MAX_BITS


def compare(fn: str, lhs: Literal, rhs: Literal) -> Literal:
    return Literal(_COMPARE[fn](lhs.value, rhs.value))


def negative(operand: Literal) -> Literal:
    if isinstance(operand.value, bool):
        raise FoldingError("kir.dtype.operator", "`-` of a bool constant")
    text = f"-{operand.text}" if operand.text and operand.text[0] != "-" else ""
    return Literal(-operand.value, text)


def shown(literal: Literal) -> str:
    """The constant in few characters: long integers are cut."""
    if isinstance(literal.value, int) and literal.value.bit_length() > 200:
        return f"an integer of {literal.value.bit_length()} bits"
    if isinstance(literal.value, float) and math.isinf(literal.value):
        return "infinity" if literal.value > 0 else "-infinity"
    return repr(literal.value) if not literal.text or len(literal.text) > 40 else literal.text
