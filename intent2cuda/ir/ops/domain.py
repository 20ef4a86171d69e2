"""Coordinates: domains, their parts, and the tensors of coordinates they give."""

from __future__ import annotations

from dataclasses import dataclass

from intent2cuda.base.intexpr import NAMELESS, IntExpr
from intent2cuda.ir.op import Op
from intent2cuda.ir.value import Value


@dataclass(frozen=True, eq=False)
class Dim(Op):
    """An index scalar that is an integer expression of extents and other index scalars. `named`: the same in the names
    of Constexpr parameters, where it was made of them."""

    expression: IntExpr
    result: Value
    named: IntExpr = NAMELESS


@dataclass(frozen=True, eq=False)
class Domain(Op):
    """begin, begin + step, ... below end. The operands are integer scalars; the result's type holds them as
    expressions."""

    begin: Value
    end: Value
    step: Value
    result: Value


@dataclass(frozen=True, eq=False)
class Subregion(Op):
    """The coordinates of `source` (unit step) from `begin` to before `end`; a missing bound is the source's own."""

    source: Value
    begin: Value | None
    end: Value | None
    result: Value


@dataclass(frozen=True, eq=False)
class Indices(Op):
    """The coordinates of a domain as a rank-1 index tensor."""

    domain: Value
    result: Value
