"""Statements of the machine program."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from intent2cuda.machine.expressions import Expression
from intent2cuda.machine.origin import Traced
from intent2cuda.machine.types import CType


@dataclass(frozen=True)
class SourceLine:
    """A statement of the author: file (its last path component), line, the statement on one line."""

    file: str
    line: int
    text: str


@dataclass(frozen=True)
class Source(Traced):
    """`// kernel.py:11  mean = total / count` before the code of these statements."""

    lines: tuple[SourceLine, ...]


@dataclass(frozen=True)
class Remark(Traced):
    """A comment line that states a fact the compiler used (why no guard is needed, what a shape is)."""

    text: str


@dataclass(frozen=True)
class Declare(Traced):
    """`const T name = value;  // note`. Without a value the variable is assigned before use on every path.

    `maybe_unused`: only a pragma needs it, which compilers without OpenMP do not read.
    """

    type: CType
    name: str
    value: Expression | None
    const: bool = True
    note: str = ""
    maybe_unused: bool = False


@dataclass(frozen=True)
class Array(Traced):
    """`T name[d0][d1];`, in shared memory where `shared`."""

    type: CType
    name: str
    dims: tuple[Expression, ...]
    shared: bool = False
    note: str = ""


@dataclass(frozen=True)
class Assign(Traced):
    """`target op value;` with `op` one of =, +=, -=, *=."""

    target: Expression
    value: Expression
    operator: str = "="


@dataclass(frozen=True)
class Evaluate(Traced):
    """A call for its effect."""

    call: Expression


@dataclass(frozen=True)
class If(Traced):
    condition: Expression
    then_body: tuple[Statement, ...]
    else_body: tuple[Statement, ...] = ()
    note: str = ""


@dataclass(frozen=True)
class For(Traced):
    """`for (type variable = begin; variable < end; variable += step)`; a step of 1 is printed `++variable`.

    `pragmas` stand above the loop, without the word `#pragma`.
    """

    type: CType
    variable: str
    begin: Expression
    end: Expression
    step: Expression
    body: tuple[Statement, ...]
    pragmas: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True)
class While(Traced):
    condition: Expression
    body: tuple[Statement, ...]


@dataclass(frozen=True)
class Break(Traced):
    pass


@dataclass(frozen=True)
class Return(Traced):
    value: Expression | None = None


@dataclass(frozen=True)
class Scope(Traced):
    """`{ body }` under an optional pragma (an OpenMP parallel region)."""

    body: tuple[Statement, ...]
    pragma: str = ""


@dataclass(frozen=True)
class Try(Traced):
    """`try { body } catch (...) { keeper.keep(); }`: no exception leaves it."""

    body: tuple[Statement, ...]
    keeper: Expression


@dataclass(frozen=True)
class Barrier(Traced):
    """`__syncthreads();  // reason`."""

    reason: str


Statement: TypeAlias = (
    Source | Remark | Declare | Array | Assign | Evaluate | If | For | While | Break | Return | Scope | Try | Barrier
)
