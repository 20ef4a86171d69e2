"""Element by element: constants, scalar functions, conversions. There is no implicit broadcast: shapes agree
exactly."""

from __future__ import annotations

from dataclasses import dataclass

from intent2cuda.base.intexpr import NAMELESS, IntExpr
from intent2cuda.ir.op import Op
from intent2cuda.ir.value import Value


@dataclass(frozen=True, eq=False)
class Constant(Op):
    """A scalar known at compile time. `value` is a bool, an int, or a float of the result's dtype; `literal` is how
    the author wrote it, if he did. `meaning`: what it is the number of, where it is no number of the author's. `named`:
    the integer or the float in the names of Constexpr parameters, where it was made of them."""

    value: bool | int | float
    result: Value
    literal: str = ""
    meaning: str = ""
    named: IntExpr = NAMELESS


@dataclass(frozen=True, eq=False)
class Pointwise(Op):
    """`fn` (a name of `types.scalar_fn`) of operands of one shape and, but for the condition of `select`, one dtype.

    `approximate` and `flush_to_zero` are the author's numerical permissions (f32 only).
    """

    fn: str
    args: tuple[Value, ...]
    result: Value
    approximate: bool = False
    flush_to_zero: bool = False


@dataclass(frozen=True, eq=False)
class Cast(Op):
    """A conversion of every element to the result's dtype by the language's rules."""

    source: Value
    result: Value


@dataclass(frozen=True, eq=False)
class Bitcast(Op):
    """The same bits under another dtype of the same width."""

    source: Value
    result: Value
