"""Reads and writes of views, buffers and tensors through index terms, and promises and checks about extents."""

from __future__ import annotations

from dataclasses import dataclass

from intent2cuda.base.intexpr import IntExpr
from intent2cuda.ir.op import Op
from intent2cuda.ir.terms import Term
from intent2cuda.ir.value import Value


@dataclass(frozen=True, eq=False)
class Load(Op):
    """A snapshot of elements of a view or buffer. Where `valid` is false nothing is touched and the result is `fill`.

    Shapes: `valid` and `fill`, when given, have the shape of the result.
    """

    resource: Value
    terms: tuple[Term, ...]
    result: Value
    valid: Value | None = None
    fill: Value | None = None


@dataclass(frozen=True, eq=False)
class Gather(Op):
    """The same selection from an immutable tensor."""

    source: Value
    terms: tuple[Term, ...]
    result: Value
    valid: Value | None = None
    fill: Value | None = None


@dataclass(frozen=True, eq=False)
class Store(Op):
    """Writes a value of the shape that the terms select. `promised_unique`: the author vouches for distinct
    destinations."""

    resource: Value
    terms: tuple[Term, ...]
    value: Value
    valid: Value | None = None
    promised_unique: bool = False


@dataclass(frozen=True, eq=False)
class Allocate(Op):
    """A logical buffer, fresh at each execution; without `init` (a scalar or a tensor of its shape) it holds nothing
    yet."""

    result: Value
    init: Value | None = None


@dataclass(frozen=True, eq=False)
class RequireEqual(Op):
    """A condition on extents that only a call can decide; `text` says it in the author's names."""

    lhs: IntExpr
    rhs: IntExpr
    text: str


@dataclass(frozen=True, eq=False)
class AssumeInBounds(Op):
    """The author's promise that an integer value lies inside an axis of a view or buffer."""

    index: Value
    resource: Value
    axis: int
