"""What stands behind the colon of a kernel parameter. Compiling a kernel checks it, importing one does not."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Any, cast

from intent2cuda.types.dtype import BY_NAME, DType
from intent2cuda.types.value_type import Access


@dataclass(frozen=True)
class Constraints:
    """What a call must fulfil beyond dtype and shape. `strides`: per axis None (free), elements, or a symbol."""

    strides: tuple[int | str | None, ...] | None = None
    alias: str | None = None
    noalias: bool = False


def constraints(
    *, strides: tuple[int | str | None, ...] | None = None, alias: str | None = None, noalias: bool = False
) -> Constraints:
    """What a call must fulfil beyond dtype and shape: the third part of a view's annotation.

    strides: one entry an axis, in elements: None is free, a number fixed, and equal symbols are equal.
    alias: the name of an allocation group; the views of one group must lie in one allocation.
    noalias: the view overlaps no other one.
    Refused: `src.view.strides` strides for another rank; `src.view.constraints` alias beside noalias;
    `src.view.physical` alignment, layout or vector width, which are no matter of the algorithm. By the call:
    `call.stride`, `call.alias`.
    """
    return Constraints(strides, alias, noalias)


@dataclass(frozen=True)
class ViewAnnotation:
    """An external array, as an author annotates it."""

    access: Access
    dtype: DType
    shape: tuple[int | str, ...]
    constraints: Constraints = Constraints()


@dataclass(frozen=True)
class ViewKind:
    """`In`, `Out` or `InOut`: subscripted by dtype, shape and, if wanted, constraints."""

    access: Access

    def __getitem__(self, described: tuple[Any, ...]) -> ViewAnnotation:
        dtype, shape, *rest = described
        return ViewAnnotation(self.access, dtype, tuple(shape), *rest)


In = ViewKind(Access.IN)
"""An array that the kernel reads: `I.In[dtype, shape]`, with `I.constraints(...)` as a third part where needed.

shape: ints and symbols. Equal symbols are equal extents at the call; a symbol that names a Constexpr is its value. `()`
is rank 0, an array of one element that is read as `x[()]`.
Refused: `src.view.dtype`, `src.view.shape`, `src.view.extent`, `src.view.symbol` what is no dtype or no shape;
`kir.view.write` a write. By the call: `call.dtype`, `call.shape`.
"""
Out = ViewKind(Access.OUT)
"""An array that the kernel writes, annotated like `I.In`. What it does not write it leaves as it is.

An element may be read where the kernel has written it before.

Refused: `kir.view.undefined` a read that no write precedes. By the call: `call.argument` a read-only array.
"""
InOut = ViewKind(Access.INOUT)
"""An array that the kernel reads and writes, annotated like `I.In`; atomics need one.

Refused: by the call, `call.argument` a read-only array.
"""


@dataclass(frozen=True)
class ConstexprAnnotation:
    """A parameter that is bound when the kernel is compiled: an int, a float, a bool or a member of an Enum."""

    type: type[Any]


class Constexpr:
    """A compile-time parameter: `N: I.Constexpr[int] = 4`, bound by the compile call or by its Python default.

    It decides branches, extents and options, and only the branch that is taken is compiled.

    Refused: `src.constexpr.missing` no value; `src.constexpr.type` a value of another type, a bool for an int too;
    `src.constexpr.unknown` a value for a name that is none; `src.constexpr.target`, `src.constexpr.tile`,
    `src.constexpr.layout`, `src.constexpr.tuning` names of machines.
    """

    def __class_getitem__(cls, type: type[Any]) -> ConstexprAnnotation:
        return ConstexprAnnotation(type)


class Enum(enum.Enum):
    """The base class of compile-time choices: unique names with unique integer values.

    Members compare with members of their own class, in conditions that are decided when the kernel is compiled.

    Refused: `src.enum.definition` a member that is no integer or repeats a value (TypeError where Python imports it);
    `src.enum.mixed`, `src.enum.operator`, `src.enum.value` anything but such a comparison.
    """

    def __init_subclass__(cls) -> None:
        for name, entry in cls.__members__.items():
            value = cast(object, entry.value)
            if isinstance(value, bool) or not isinstance(value, int):
                raise TypeError(f"{cls.__name__}.{name} must be an integer, not {value!r}")
            if entry.name != name:
                raise TypeError(f"{cls.__name__}.{name} repeats the value of {cls.__name__}.{entry.name}")


def dtype(name: str) -> DType:
    """The element type of a name such as "f32" or "i64". Raises KeyError for other names."""
    return BY_NAME[name]
