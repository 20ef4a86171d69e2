"""One kernel as it will stand in the emitted file, and the interface by which people call it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from intent2cuda.machine.expressions import Expression
from intent2cuda.machine.statements import Statement
from intent2cuda.machine.types import CType
from intent2cuda.types.dtype import DType


@dataclass(frozen=True)
class Constant:
    """`constexpr type name = value;  // reason`."""

    type: CType
    name: str
    value: Expression
    reason: str


@dataclass(frozen=True)
class Assertion:
    """`static_assert(condition, "sentence");`"""

    condition: Expression
    sentence: str


@dataclass(frozen=True)
class Parameter:
    type: CType
    name: str


class FunctionKind(Enum):
    KERNEL = "kernel"  # the code that does the work: a plain function on cpu, __global__ on cuda
    ROUTINE = "routine"  # a part of the kernel that has a name of its own; the kernel calls it once
    LAUNCHER = "launcher"  # the public function of the header: checks, choice of the instance, launch
    WORKSPACE = "workspace"  # cuda: bytes of workspace that a call needs

    @property
    def is_public(self) -> bool:
        """Whether others call it."""
        return self in (FunctionKind.LAUNCHER, FunctionKind.WORKSPACE)


@dataclass(frozen=True)
class Function:
    """`comment` lines stand above (one for each tensor: name, [shape], dtype, how it is used). `template` holds `bool
    kDense`-like parameters."""

    kind: FunctionKind
    result: CType
    name: str
    parameters: tuple[Parameter, ...]
    body: tuple[Statement, ...]
    template: tuple[str, ...] = ()
    comment: tuple[str, ...] = ()
    launch_bounds: str = ""


class Direction(Enum):
    IN = "in"
    OUT = "out"
    INOUT = "inout"
    SCALAR = "scalar"


@dataclass(frozen=True)
class InterfaceParameter:
    """A runtime parameter as callers see it. `dims`: a number or a symbol name for each axis (views).

    `cpp_name` is `name` unless that is no identifier of C++ or is taken (reserved words get a trailing underscore).
    """

    name: str
    cpp_name: str
    direction: Direction
    dtype: DType
    dims: tuple[int | str, ...] = ()
    strides: tuple[int | str | None, ...] | None = None
    alias: str | None = None
    noalias: bool = False


@dataclass(frozen=True)
class Overlap:
    """`rule` is "disjoint" or "same_or_disjoint"; names of parameters as authors wrote them."""

    written: str
    other: str
    rule: str


@dataclass(frozen=True)
class Interface:
    """`name` is the author's kernel name, `cpp_name` the C++ one. `doc` is the first paragraph of the kernel's
    docstring."""

    name: str
    cpp_name: str
    parameters: tuple[InterfaceParameter, ...]
    overlaps: tuple[Overlap, ...]
    has_workspace: bool
    doc: str
    source: str  # path of the author's file, relative
    line: int


@dataclass(frozen=True)
class Section:
    """`kind`: device, host or data; the names that are defined there."""

    kind: str
    symbols: tuple[str, ...]


@dataclass(frozen=True)
class KernelUnit:
    """All that is printed of one kernel. `headers` are the runtime headers used (`intent/cpu/fold.hpp`), `system` the
    standard ones (`cstdint`). `abi`: by what it is compiled and called.

    `digests`: (layer, full digest) for kir, portable and concrete. `plan_line` is the one-sentence plan of the file
    head.
    """

    interface: Interface
    target: str  # cpu or cuda
    plan_line: str
    constants: tuple[Constant, ...]
    assertions: tuple[Assertion, ...]
    functions: tuple[Function, ...]
    tags: tuple[str, ...]  # names of the scratch tags declared before the functions
    headers: tuple[str, ...]
    system: tuple[str, ...]
    digests: tuple[tuple[str, str], ...]
    abi: str = ""

    @property
    def entry_points(self) -> tuple[str, ...]:
        """The functions that others call."""
        return tuple(f.name for f in self.functions if f.kind.is_public)

    @property
    def symbols(self) -> tuple[str, ...]:
        """The names that the program gives to its functions and constants."""
        return (*(function.name for function in self.functions), *(constant.name for constant in self.constants))

    @property
    def sections(self) -> tuple[Section, ...]:
        """The parts of the program by what they are: code of the device, code of the host, data."""
        device = tuple(f.name for f in self.functions if not f.kind.is_public)
        found = (("device", device), ("host", self.entry_points), ("data", tuple(c.name for c in self.constants)))
        return tuple(Section(kind, symbols) for kind, symbols in found if symbols)

    @property
    def verifier_requirements(self) -> tuple[str, ...]:
        """What is verified of the program before it is printed."""
        return ("names", "dialect", "uniform barriers", "entries", "conservation")

    @property
    def executable_refs(self) -> tuple[str, ...]:
        """The code that the program uses and does not contain."""
        return (*self.headers, *self.system)
