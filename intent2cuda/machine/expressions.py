"""Expressions of the machine program."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from intent2cuda.machine.origin import Traced
from intent2cuda.machine.types import CType
from intent2cuda.types.dtype import DType

if TYPE_CHECKING:
    from intent2cuda.machine.statements import Statement


@dataclass(frozen=True)
class Name(Traced):
    text: str


@dataclass(frozen=True)
class Literal(Traced):
    """A constant of an element type; `spelling` is the author's own text where it fits the type."""

    value: bool | int | float
    dtype: DType
    spelling: str = ""


@dataclass(frozen=True)
class Integer(Traced):
    """A plain C++ integer, without suffix."""

    value: int


@dataclass(frozen=True)
class Text(Traced):
    """A string literal."""

    text: str


@dataclass(frozen=True)
class Unary(Traced):
    """`-`, `!` or `&`."""

    operator: str
    operand: Expression


@dataclass(frozen=True)
class Binary(Traced):
    """A C++ binary operator."""

    operator: str
    lhs: Expression
    rhs: Expression


@dataclass(frozen=True)
class Conditional(Traced):
    condition: Expression
    true_value: Expression
    false_value: Expression


@dataclass(frozen=True)
class Call(Traced):
    """`function<template...>(args...)`; names of the runtime are written with their namespace (`intent::exp`).

    A template argument is a type, or a constant by its name.
    """

    function: str
    args: tuple[Expression, ...]
    template: tuple[CType | str, ...] = ()


@dataclass(frozen=True)
class Method(Traced):
    """`object.name(args...)`."""

    object: Expression
    name: str
    args: tuple[Expression, ...] = ()


@dataclass(frozen=True)
class Apply(Traced):
    """`object(args...)`: the element of a view."""

    object: Expression
    args: tuple[Expression, ...]


@dataclass(frozen=True)
class Member(Traced):
    """`object.name`."""

    object: Expression
    name: str


@dataclass(frozen=True)
class Subscript(Traced):
    base: Expression
    index: Expression


@dataclass(frozen=True)
class Construct(Traced):
    """`type{args...}`."""

    type: str
    args: tuple[Expression, ...] = ()


@dataclass(frozen=True)
class Cast(Traced):
    """`static_cast<type>(operand)`."""

    type: CType
    operand: Expression


@dataclass(frozen=True)
class Lambda(Traced):
    """`[=](parameters) { body }`, captures by value (by reference where `by_reference`).

    `reference_to`: the type of the element that the body returns a reference to.
    """

    parameters: tuple[tuple[CType, str], ...]
    body: tuple[Statement, ...]
    by_reference: bool = False
    reference_to: CType | None = None


Expression: TypeAlias = (
    Name
    | Literal
    | Integer
    | Text
    | Unary
    | Binary
    | Conditional
    | Call
    | Method
    | Apply
    | Member
    | Subscript
    | Construct
    | Cast
    | Lambda
)
