"""What an expression of the author stands for while it is read: a runtime value, or something only known here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

import libcst as cst

from intent2cuda.base.intexpr import NAMELESS, IntExpr
from intent2cuda.base.span import Span
from intent2cuda.ir.ops import SparseFormat
from intent2cuda.ir.value import Value
from intent2cuda.parse.source import Module
from intent2cuda.types.dtype import DType


@dataclass(frozen=True)
class Literal:
    """A number or truth value known now; it takes the dtype of its place. `text` is how the author wrote it, `named`
    the number in the names of Constexpr parameters, where it is made of them."""

    value: bool | int | float
    text: str = ""
    named: IntExpr = field(default=NAMELESS, compare=False)

    @property
    def type_name(self) -> str:
        return type(self.value).__name__


@dataclass(frozen=True)
class Extent:
    """An index scalar known as an expression, for which no op has been made. `named` as for a Literal."""

    expression: IntExpr
    named: IntExpr = field(default=NAMELESS, compare=False)


@dataclass(frozen=True)
class Text:
    """A string: the name of an extent, or something that has no place in a kernel."""

    value: str
    is_bytes: bool = False


@dataclass(frozen=True)
class Nothing:
    """`None`: a new axis of an index."""


@dataclass(frozen=True)
class Dots:
    """`...`: the remaining axes of an index, or the inferred extent of a reshape."""


@dataclass(frozen=True)
class Stretch:
    """A slice of an index; a missing bound is `None`."""

    lower: Val | None
    upper: Val | None
    step: Val | None


@dataclass(frozen=True)
class Tuple:
    items: tuple[Val, ...]


@dataclass(frozen=True)
class Record:
    """Named values; the order of the fields is part of the type."""

    fields: tuple[tuple[str, Val], ...]

    def field(self, name: str) -> Val | None:
        return next((value for field, value in self.fields if field == name), None)


@dataclass(frozen=True)
class EnumType:
    """A closed set of names with integer values. `fault` says why it is none, at `span`."""

    name: str
    members: tuple[tuple[str, int], ...]
    span: Span
    fault: str = ""

    def names(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.members)


@dataclass(frozen=True)
class EnumMember:
    type: EnumType
    name: str

    def __str__(self) -> str:
        return f"{self.type.name}.{self.name}"


@dataclass(frozen=True)
class Element:
    """A dtype, as in `I.f32`."""

    dtype: DType


@dataclass(frozen=True)
class Intrinsic:
    """A name of the language by its path after `I.`: `reduce.sum`."""

    path: str


@dataclass(frozen=True)
class Package:
    """The module `intent` or `intent.language`, whatever the file calls it."""

    name: str


@dataclass(frozen=True)
class HostName:
    """Something of Python or of a library that a kernel cannot use, by its dotted name: `math.exp`, `len`."""

    path: str


@dataclass(frozen=True)
class FileModule:
    """Another source file of the project."""

    module: Module


@dataclass(frozen=True)
class Folder:
    """A package of the project: a folder whose files are its attributes."""

    path: Path


@dataclass(frozen=True)
class Function:
    """A function of a source file. `kind` is `kernel`, `fn`, `python` (no decorator) or `lambda`."""

    name: str
    kind: str
    node: cst.FunctionDef | None
    module: Module


@dataclass(frozen=True)
class HostValue:
    """A value of the module that a kernel cannot capture: a list, a dictionary, the result of a call."""

    name: str
    kind: str


@dataclass(frozen=True)
class Unresolved:
    """A name whose import leads nowhere; `reason` is a sentence."""

    reason: str


@dataclass(frozen=True)
class Sparsity:
    """A compressed axis: which of its positions are present, and how many it has when it is expanded."""

    format: SparseFormat
    axis: int
    extent: IntExpr


@dataclass(frozen=True)
class Ragged:
    """Members of `members` in groups, one for each coordinate of `outer`: from one offset to before the next.

    `mapping` turns coordinates of members into the members that are meant, where they are others.
    """

    outer: Value
    members: Value
    offsets: Value
    mapping: Value | None = None


@dataclass(frozen=True)
class Void:
    """The result of a call that is a statement: of a helper that returns nothing, or of an intrinsic for its effect."""

    name: str
    code: str = "src.fn.no_value"
    help: str = "let the helper return a value, or call it as a statement"


@dataclass(frozen=True)
class Poison:
    """A value whose making has been reported as an error; nothing more is said about it."""


Val: TypeAlias = (
    Value
    | Literal
    | Extent
    | Text
    | Nothing
    | Dots
    | Stretch
    | Tuple
    | Record
    | EnumType
    | EnumMember
    | Element
    | Intrinsic
    | Package
    | HostName
    | FileModule
    | Folder
    | Function
    | HostValue
    | Unresolved
    | Sparsity
    | Ragged
    | Void
    | Poison
)

POISON = Poison()

Bindings: TypeAlias = Mapping[str, Val]
