"""Expressions of elements of any one dtype, from names of values of that dtype."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from .programs import COMPARISONS, INTEGER_OPERATORS, Draw

INTEGERS = ("i8", "i16", "i64", "u8", "u16", "u32", "u64", "index")
FLOATS = ("f16", "bf16", "f64")
EIGHT_BITS = ("f8e4m3fn", "f8e5m2")
ODD = (*INTEGERS, *FLOATS, *EIGHT_BITS, "bool")
LIBRARY = ("exp", "exp2", "log1p", "sin", "cos", "tanh", "erf", "erfc", "sigmoid", "rsqrt", "lgamma", "asin")


def elements(draw: Draw, dtype: str, names: Sequence[str], depth: int) -> str:
    """An expression of the names."""
    if depth == 0:
        return draw(st.sampled_from(names))
    lhs, rhs = (elements(draw, dtype, names, depth - 1) for _ in range(2))
    if draw(st.integers(0, 3)) == 0:
        comparison = draw(st.sampled_from(COMPARISONS[-2:] if dtype == "bool" else COMPARISONS))
        return f"I.select({lhs} {comparison} {rhs}, {lhs}, {rhs})"
    if dtype == "bool":
        return draw(st.sampled_from((f"({lhs} and {rhs})", f"({lhs} or {rhs})", f"(not {lhs})", f"({lhs} ^ {rhs})")))
    if dtype in EIGHT_BITS:
        return _through_f32(draw, dtype, lhs, rhs)
    return _number(draw, dtype, lhs, rhs)


def _number(draw: Draw, dtype: str, lhs: str, rhs: str) -> str:
    if draw(st.integers(0, 2)) == 0:
        return f"I.{draw(st.sampled_from(('maximum', 'minimum', 'maximum_num', 'minimum_num')))}({lhs}, {rhs})"
    if dtype in INTEGERS or dtype == "i32":
        kind = draw(st.sampled_from((*INTEGER_OPERATORS, "//", "%", "<<", ">>")))
        right = {"//": f"(({rhs} & 7) + 1)", "%": f"(({rhs} & 7) + 1)", "<<": f"({rhs} & 7)", ">>": f"({rhs} & 7)"}
        return f"({lhs} {kind} {right.get(kind, rhs)})"
    kind = draw(st.sampled_from(("+", "-", "*", "/", "sqrt", "floor", "library")))
    if kind == "/":
        return f"({lhs} / (I.abs({rhs}) + 1.0))"
    if kind in ("sqrt", "floor"):
        return f"I.{kind}({lhs})"
    if kind == "library":
        return f"I.{draw(st.sampled_from(LIBRARY))}({lhs})" if dtype != "f64" else f"(-{lhs})"
    return f"({lhs} {kind} {rhs})"


def _through_f32(draw: Draw, dtype: str, lhs: str, rhs: str) -> str:
    """Numbers of f8 cannot be added themselves; what is written back lies in their range."""
    total = f"I.cast({lhs}, I.f32) {draw(st.sampled_from('+-*'))} I.cast({rhs}, I.f32)"
    return f"I.cast(I.maximum(I.minimum({total}, 400.0), -400.0), I.{dtype})"


def converted(draw: Draw, dtype: str, i32: str, f32: str) -> str:
    """A value of the dtype from one of i32 or one of f32."""
    if draw(st.booleans()):
        return f"I.cast({i32} & 63, I.{dtype})" if dtype in EIGHT_BITS else f"I.cast({i32}, I.{dtype})"
    if dtype == "bool":
        return f"I.cast({f32}, I.bool)"
    low, high = ("0.0", "100.0") if dtype in (*INTEGERS, *EIGHT_BITS) else ("-1.0e6", "1.0e6")
    return f"I.cast(I.maximum_num(I.minimum_num({f32}, {high}), {low}), I.{dtype})"


def as_i32(dtype: str, text: str) -> str:
    """A value of the dtype as i32."""
    if dtype in (*FLOATS, *EIGHT_BITS):
        return f"I.cast(I.maximum_num(I.minimum_num(I.cast({text}, I.f32), 1000.0), -1000.0), I.i32)"
    return f"I.cast({text}, I.i32)"
