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
    """Strides in elements (None is free, a number fixed, equal symbols equal), or how views share memory.

    alias: the name of an allocation group; the views of one group must lie in one allocation. noalias: the view
    overlaps no other one.
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
Out = ViewKind(Access.OUT)
InOut = ViewKind(Access.INOUT)


@dataclass(frozen=True)
class ConstexprAnnotation:
    """A parameter that is bound when the kernel is compiled: an int, a float, a bool or a member of an Enum."""

    type: type[Any]


class Constexpr:
    """`Constexpr[T]` annotates a compile-time parameter; it may have a Python default."""

    def __class_getitem__(cls, type: type[Any]) -> ConstexprAnnotation:
        return ConstexprAnnotation(type)


class Enum(enum.Enum):
    """The base class of compile-time choices: unique names with unique integer values.

    Raises TypeError for a member that is no integer or repeats the value of another one.
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
