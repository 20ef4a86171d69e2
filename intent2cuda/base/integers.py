"""Integer division as the language defines it: rounded down, the remainder with the sign of the divisor."""

from __future__ import annotations


def floor_div(lhs: int, rhs: int) -> int:
    return lhs // rhs


def floor_mod(lhs: int, rhs: int) -> int:
    return lhs % rhs


def ceil_div(lhs: int, rhs: int) -> int:
    return -(-lhs // rhs)
