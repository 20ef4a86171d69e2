"""What the rules of single ops share: equalities of extents, and the complaints about results, terms and guards."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from intent2cuda.base.intexpr import IntExpr
from intent2cuda.ir.terms import Along, Lanes, Point, Slice, Term, Whole
from intent2cuda.ir.value import Value
from intent2cuda.types.dtype import BOOL, DType
from intent2cuda.types.value_type import DomainType, Shape, TensorType

Complaint: TypeAlias = tuple[str, str]
"""A code and a sentence."""


class Equalities:
    """Extents that are one expression, or that an earlier `RequireEqual` makes equal."""

    def __init__(self) -> None:
        self._required: set[frozenset[IntExpr]] = set()

    def require(self, lhs: IntExpr, rhs: IntExpr) -> None:
        self._required.add(frozenset((lhs, rhs)))

    def same(self, lhs: IntExpr, rhs: IntExpr) -> bool:
        return lhs == rhs or frozenset((lhs, rhs)) in self._required

    def same_shape(self, lhs: Shape, rhs: Shape) -> bool:
        return len(lhs) == len(rhs) and all(self.same(a, b) for a, b in zip(lhs, rhs, strict=True))


def is_scalar_of(value: Value, dtype: DType | None = None) -> bool:
    """Rank 0, and of that dtype if one is given, else of an integer dtype."""
    found = value.type
    if not isinstance(found, TensorType) or found.shape:
        return False
    return found.dtype.is_integer if dtype is None else found.dtype == dtype


def check_result(value: Value, dtype: DType, shape: Shape, known: Equalities) -> Iterator[Complaint]:
    found = value.type
    if not isinstance(found, TensorType):
        yield "kir.op.type", f"the result {value!r} is no tensor"
        return
    if found.dtype != dtype:
        yield "kir.op.dtype", f"the result {value!r} is {found.dtype}, not {dtype}"
    if not known.same_shape(found.shape, shape):
        yield "kir.op.shape", f"the result {value!r} has the shape {shown(found.shape)}, not {shown(shape)}"


def shown(shape: Shape) -> str:
    return f"[{', '.join(str(extent) for extent in shape)}]"


def check_terms(shape: Shape, terms: tuple[Term, ...]) -> Iterator[Complaint]:
    if len(terms) != len(shape):
        yield "kir.terms.rank", f"{len(terms)} terms for rank {len(shape)}"
        return
    lanes: list[Value] = []
    for axis, term in enumerate(terms):
        match term:
            case Whole():
                pass
            case Slice():
                if not is_scalar_of(term.begin):
                    yield "kir.index.dtype", f"the slice of axis {axis} begins at {term.begin!r}"
            case Along():
                if not isinstance(term.domain.type, DomainType):
                    yield "kir.index.dtype", f"axis {axis} runs along {term.domain!r}"
            case Point():
                if not is_scalar_of(term.index):
                    yield "kir.index.dtype", f"the point of axis {axis} is {term.index!r}"
            case Lanes():
                lanes.append(term.index)
                if not isinstance(term.index.type, TensorType) or not term.index.type.dtype.is_integer:
                    yield "kir.index.dtype", f"the lanes of axis {axis} are {term.index!r}"


def check_guard(valid: Value | None, shape: Shape, known: Equalities) -> Iterator[Complaint]:
    if valid is not None and (valid.tensor.dtype != BOOL or not known.same_shape(valid.tensor.shape, shape)):
        yield "kir.access.incomplete", f"the validity is {valid.tensor.dtype}{shown(valid.tensor.shape)}"
