"""Types of Kernel IR values."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from intent2cuda.base.intexpr import IntExpr
from intent2cuda.types.dtype import DType

Shape: TypeAlias = tuple[IntExpr, ...]
"""Extents, outermost first. An extent may evaluate to a negative number, which means 0 (an empty domain)."""


@dataclass(frozen=True)
class TensorType:
    """An immutable tensor. A scalar has rank 0; the two are told apart by `is_scalar` only where authors can see it."""

    dtype: DType
    shape: Shape = ()
    is_scalar: bool = False

    @property
    def rank(self) -> int:
        return len(self.shape)


@dataclass(frozen=True)
class DomainType:
    """An ordered set of coordinates begin, begin + step, ... of `extent` members (negative: none)."""

    begin: IntExpr
    extent: IntExpr
    step: IntExpr


class Access(Enum):
    IN = "In"
    OUT = "Out"
    INOUT = "InOut"


@dataclass(frozen=True)
class ViewType:
    """An external array. `strides`: per axis None (free), a number, or a symbol name that must agree within the
    call."""

    dtype: DType
    shape: Shape
    access: Access
    strides: tuple[int | str | None, ...] | None = None
    alias: str | None = None
    noalias: bool = False


@dataclass(frozen=True)
class BufferType:
    """Kernel-local storage, private to the execution that creates it."""

    dtype: DType
    shape: Shape


ValueType: TypeAlias = TensorType | DomainType | ViewType | BufferType


def scalar(dtype: DType) -> TensorType:
    """The type of an author-visible scalar."""
    return TensorType(dtype, (), True)
