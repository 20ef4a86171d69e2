"""Numbers and strings as the author wrote them."""

from __future__ import annotations

import ast
import math
import re

import libcst as cst

from intent2cuda.parse.values import Literal, Text

_PORTABLE = re.compile(r"(0[xX][0-9a-fA-F]+|[0-9]+|([0-9]+\.[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?|[0-9]+[eE][-+]?[0-9]+)$")


_DIGITS = 4000
"""How many digits Python converts at a time: it refuses more than 4300."""


def number_of(node: cst.Integer | cst.Float) -> Literal:
    """The number, with its spelling where C++ reads it the same way."""
    text = node.value.replace("_", "")
    value = float(text) if isinstance(node, cst.Float) else _integer(text)
    return Literal(value, text if _PORTABLE.match(text) and len(text) < 40 else "")


def is_infinite(literal: Literal) -> bool:
    """Whether a number is too large for f64; infinity itself has a name and is no number of the text."""
    return isinstance(literal.value, float) and math.isinf(literal.value)


def _integer(text: str) -> int:
    if len(text) <= _DIGITS:
        return int(text, 0)
    value = 0
    for start in range(0, len(text), _DIGITS):
        part = text[start : start + _DIGITS]
        value = value * 10 ** len(part) + int(part)
    return value


def string_of(node: cst.SimpleString | cst.ConcatenatedString) -> Text | None:
    """The text of a string or bytes literal; None for a formatted one."""
    if isinstance(node, cst.SimpleString):
        value = ast.literal_eval(node.value)
        return Text(value) if isinstance(value, str) else Text(value.decode("latin-1"), is_bytes=True)
    if not isinstance(node.left, cst.SimpleString) or isinstance(node.right, cst.FormattedString):
        return None
    left, right = string_of(node.left), string_of(node.right)
    return Text(left.value + right.value, left.is_bytes) if left is not None and right is not None else None
